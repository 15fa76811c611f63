# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Registers that routers with credits have beside their buffers."""

from typing import NamedTuple

import numpy as np
from knotwork.network import Network
from knotwork.parameters import PacketParameters

from ...compiled import NONE, contains, exclude, include, part, words_for
from .buffers import push
from .copies import resume_copy
from .state import ARRIVAL, State

COUNTS = np.dtype([("moving", np.int64), ("blocked", np.int64)])
"""Flits and credits on their way between routers; entries in the list of `Registers.blocked`."""


class Registers(NamedTuple):
    """Registers of all routers, and lists of what they sent.

    Channels and slots are those of `State`; a group is a port, or of each class of traffic one.
    What is on its way arrives by the cycle: a list for each cycle modulo the longest way, which is
    a link's latency and the cycles before it.

    Members
    -------
    front : ndarray
        Virtual channel whose head flit is in the front of each (router * groups + group), int16,
        -1 for none.
    shown : ndarray
        Set of the slots whose head flit is in a front, of shape (routers, words).
    places : ndarray
        Place of each input port in the order of each output (router * groups + group), int16 of
        shape (outputs, ports): of the inputs that request it the lowest is granted.
    credits : ndarray
        Credits of each output channel, int16.
    capacity : ndarray
        Credits of each with an empty buffer behind it, int16; empty where no packet can escape.
    weights : ndarray
        Flits that each class of traffic may send over a link per round, int16; empty where the
        highest class goes first.
    left : ndarray
        Those that each class may still send by each output (router * groups + group), int16; empty
        as `weights`.
    sender : ndarray
        Output channel before each input channel, int32, -1 for a node.
    latency : ndarray
        Cycles of the link before each input channel, int16; empty where all take 1.
    flights : ndarray
        `ARRIVAL` of the flits between grant and buffer, of shape (longest way, ports of all
        routers).
    flying : ndarray
        Entries in each list of `flights`, int64.
    returning : ndarray
        Output channels whose credit is on its way back, int32, of shape (longest way, groups of
        all routers).
    credited : ndarray
        Entries in each list of `returning`, int64.
    winners : ndarray
        Slot that each output group of the current router grants, int32, -1 for none.
    wanted : ndarray
        Output channel that that slot asks for, int32.
    blocked : ndarray
        Slots of the current router whose front is not eligible, int32.
    counts : ndarray
        `COUNTS`, one.
    """

    front: np.ndarray
    shown: np.ndarray
    places: np.ndarray
    credits: np.ndarray
    capacity: np.ndarray
    weights: np.ndarray
    left: np.ndarray
    sender: np.ndarray
    latency: np.ndarray
    flights: np.ndarray
    flying: np.ndarray
    returning: np.ndarray
    credited: np.ndarray
    winners: np.ndarray
    wanted: np.ndarray
    blocked: np.ndarray
    counts: np.ndarray


def make_registers(network: Network, state: State) -> Registers:
    """Make registers as after reset; `state` says which channel follows which."""
    routers, ports = network.topology.neighbours.shape
    channels, groups = len(state.outputs), ports * network.traffic_classes
    into = state.outputs["into"]
    sender = np.full(channels, NONE, np.int32)
    sender[into[into >= 0]] = np.flatnonzero(into >= 0)
    depth, latency = PacketParameters.of(network.hardware).buffer_depth, np.zeros(0, np.int16)
    longest, latencies, behind = 1, network.topology.link_latency, network.buffers_behind
    if latencies is not None and behind is not None:
        vcs = channels // latencies.size
        longest = int(latencies.max())
        latency = np.ones(channels, np.int16)
        latency[into[into >= 0]] = np.repeat(latencies.ravel(), vcs)[into >= 0]
        depth = np.repeat(behind, vcs)
    longest += network.cycles_to_link - 1
    weights = np.array(network.class_weights, np.int16)
    free = np.full(channels, depth, np.int16)
    escapes = network.routing.escape_class is not None
    return Registers(
        front=np.full(routers * groups, NONE, np.int16),
        shown=np.zeros((routers, words_for(channels // routers)), np.uint64),
        places=np.tile(np.arange(ports, dtype=np.int16), (routers * groups, 1)),
        credits=free,
        capacity=free.copy() if escapes else free[:0].copy(),
        weights=weights,
        left=np.tile(weights, routers * ports),
        sender=sender,
        latency=latency,
        flights=np.zeros((longest, routers * ports), ARRIVAL),
        flying=np.zeros(longest, np.int64),
        returning=np.zeros((longest, routers * groups), np.int32),
        credited=np.zeros(longest, np.int64),
        winners=np.full(groups, NONE, np.int32),
        wanted=np.full(groups, NONE, np.int32),
        blocked=np.zeros(groups, np.int32),
        counts=np.zeros(1, COUNTS),
    )


@part
def show(fixed, registers, router, group, vc):
    """Put the head flit of a virtual channel into an input's front; none with `vc` -1."""
    place = router * fixed.ports * fixed.traffic_classes + group
    port = group // fixed.traffic_classes
    if registers.front[place] >= 0:
        exclude(registers.shown[router], port * fixed.vcs + registers.front[place])
    registers.front[place] = vc
    if vc >= 0:
        include(registers.shown[router], port * fixed.vcs + vc)


@part
def write(fixed, state, registers, branches, scratch, flit):
    """Write a flit into its buffer, and into the front if that is empty."""
    channel = flit.channel
    push(fixed, state, branches, scratch, channel, flit.packet, flit.beat, flit.label)
    resume_copy(fixed, state, branches, channel)
    here = state.inputs[channel]
    group = fixed.group_of[here.slot]
    if registers.front[here.router * fixed.ports * fixed.traffic_classes + group] < 0:
        show(fixed, registers, here.router, group, fixed.vc_of[here.slot])


@part
def _arrival_list(registers, channel, now, stages):
    """List of what sets off in this cycle, whose own list is `now`, to or from a channel's link.

    It waits for `stages` cycles before the link.
    """
    latency = registers.latency[channel] if len(registers.latency) > 0 else 1
    number = now + latency + stages
    return number if number < len(registers.flying) else number - len(registers.flying)


@part
def show_broadcasts(fixed, state, registers, scratch):
    """Put the broadcasts that nodes have completed into empty fronts."""
    for number in range(scratch.counters[0].entering):
        node = scratch.entering[number]
        here = state.nodes[node]
        first = here.entry + here.first_vc - here.router * fixed.ports * fixed.vcs
        group = fixed.group_of[first]
        groups = fixed.ports * fixed.traffic_classes
        if registers.front[here.router * groups + group] >= 0:
            continue
        for vc in range(fixed.share):
            if contains(state.fronts[here.router], first + vc):
                show(fixed, registers, here.router, group, here.first_vc + vc)


@part
def return_credits(fixed, state, registers, scratch, now):
    """Count the credits that arrive in this cycle; note those of the flits that left in it.

    A flit that leaves in cycle t gives a credit that its sender can use one cycle after the
    latency of their link.
    """
    for number in range(registers.credited[now]):
        registers.credits[registers.returning[now, number]] += 1
    moving = -registers.credited[now]
    registers.credited[now] = 0
    for number in range(scratch.counters[0].departures):
        channel = scratch.departures[number]
        if fixed.port_of[state.inputs[channel].slot] >= fixed.local_ports:
            then = _arrival_list(registers, channel, now, 0)
            registers.returning[then, registers.credited[then]] = registers.sender[channel]
            registers.credited[then] += 1
            moving += 1
    registers.counts[0].moving += moving


@part
def take_off(fixed, registers, scratch, now):
    """Put the flits that crossed to links in this cycle on their way, after those that arrived.

    Those that nodes' stores sent stay in the list of arrivals: they have no link.
    """
    moving, stay = -registers.flying[now], 0
    registers.flying[now] = 0
    for number in range(scratch.counters[0].arrivals):
        flit = scratch.arrivals[number]
        if fixed.stores > 0 and registers.sender[flit.channel] < 0:
            scratch.arrivals[stay] = flit
            stay += 1
            continue
        then = _arrival_list(registers, flit.channel, now, fixed.pipeline - 2)
        registers.flights[then, registers.flying[then]] = flit
        registers.flying[then] += 1
        moving += 1
    registers.counts[0].moving += moving
    scratch.counters[0].arrivals = stay
