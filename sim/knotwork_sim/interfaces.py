# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of the nodes' interfaces: `gateware.parts.interface`, `gateware.parts.multicast`."""

from numba import njit

from .buffers import arrive, cancel, push_part
from .endpoints import accepted
from .state import NONE
from .stores import FILL, deliver, delivered, fill, look_up, sent


@njit(inline="always")
def offers(fixed, state, stores, ends, scratch, multicasts, broadcasts):
    """Which sources' beats the network takes in this clock; returns how many offer one."""
    ports, vcs = fixed.neighbours.shape[1], fixed.vcs
    waiting = 0
    for node in range(len(ends.offered)):
        scratch.enters[node] = False
        if ends.offered[node]:
            waiting += 1
            packet = ends.packet[node]
            if multicasts and fixed.multicast[packet]:
                takes = stores.phase[node, 0] == FILL
            elif broadcasts and fixed.broadcast[packet] and ends.beat[node] < fixed.longest:
                channel = node * ports * vcs + fixed.start_vc[packet]
                takes = state.level[channel] < state.packet.shape[1]
            elif fixed.refused[packet]:
                takes = True
            elif multicasts:
                takes = stores.way[node] == 0
            else:
                channel = node * ports * vcs + fixed.start_vc[packet]
                takes = state.level[channel] < state.packet.shape[1]
            scratch.enters[node] = takes
    return waiting


@njit(inline="always")
def eject(fixed, state, stores, ends, scratch, log, multicasts, logged, clock, node):
    """One clock of a node's interface towards the node; returns beats logged so far."""
    packet, beat = scratch.ejected[node, 0], scratch.ejected[node, 1]
    if multicasts and scratch.ejected[node, 2] > 0:  # on its way into a store
        packet = NONE
    was_kept = state.skid_packet[node] >= 0
    if was_kept:
        packet, beat = state.skid_packet[node], state.skid_beat[node]
    taken = ends.taking[node]
    if multicasts:
        tail = packet >= 0 and beat == fixed.length[packet] - 1
        way = deliver(fixed, stores, node, packet >= 0, tail, taken)
        if way > 0 and taken:
            log.clock[logged] = clock
            log.node[logged] = node
            log.packet[logged] = stores.copy[node, way]
            log.beat[logged] = stores.beat[node, way]
            logged += 1
            delivered(fixed, stores, node, way)
        taken = taken and way == 0
    if packet >= 0 and taken:
        state.skid_packet[node] = NONE
        log.clock[logged] = clock
        log.node[logged] = node
        log.packet[logged] = packet
        log.beat[logged] = beat
        logged += 1
    elif packet >= 0 and not was_kept:
        state.skid_packet[node] = packet
        state.skid_beat[node] = beat
    return logged


@njit(inline="always")
def interface_clock(fixed, stores, scratch, node):
    """One clock of a node's multicast unit; returns its stores that are not idle."""
    busy = look_up(fixed, stores, node)
    vc_class = scratch.ejected[node, 2]
    if scratch.ejected[node, 0] >= 0 and vc_class > 0:
        fill(fixed, stores, node, vc_class, scratch.ejected[node, 0], False)
    if stores.way[node] > 0:
        copy, beat = sent(fixed, stores, node, stores.way[node] - 1)
        channel = node * fixed.neighbours.shape[1] * fixed.vcs + stores.way_class[node]
        arrive(scratch, channel, copy, beat, 0)
    return busy


@njit(inline="always")
def enter(
    fixed,
    state,
    stores,
    branches,
    ends,
    scratch,
    log,
    multicasts,
    broadcasts,
    refused,
    clock,
):
    """Write the beats that the sources gave; returns packets refused so far."""
    slots = fixed.neighbours.shape[1] * fixed.vcs
    for node in range(len(ends.offered)):
        if not scratch.enters[node]:
            continue
        packet, beat = ends.packet[node], ends.beat[node]
        accepted(ends, node)
        if multicasts and fixed.multicast[packet]:
            fill(fixed, stores, node, 0, packet, fixed.refused[packet])
        elif broadcasts and fixed.broadcast[packet]:
            channel = node * slots + fixed.start_vc[packet]
            if beat < fixed.longest:
                push_part(fixed, state, branches, scratch, channel, packet, beat)
            elif beat == fixed.longest:
                cancel(fixed, state, branches, channel)
        elif not fixed.refused[packet]:
            channel = node * slots + fixed.start_vc[packet]
            arrive(scratch, channel, packet, beat, 0)
        if fixed.refused[packet] and ends.beat[node] == 0:
            log.refused_clock[refused] = clock + 1
            log.refused_node[refused] = node
            refused += 1
    return refused
