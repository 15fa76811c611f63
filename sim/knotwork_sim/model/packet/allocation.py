# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of routers with credits: their registers, the allocator, and the inputs' fronts.

Each input shows one flit, its front. It is eligible if there is space for it and its output channel
is its packet's or nobody's. Each output grants the eligible input that is first in its order.
"""

from typing import NamedTuple

import numpy as np
from knotwork.network import Network
from knotwork.parameters import PacketParameters

from ...compiled import (
    NONE,
    contains,
    exclude,
    include,
    lowest_bit,
    part,
    without_lowest,
    words_for,
)
from .buffers import beat_of, copies_at_once, leave, leave_copy, push, resume_copy, way_out
from .interfaces import FILL
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


@part
def _node_takes(fixed, state, stores, node, out):
    """Whether a node's interface has space for what crosses to it.

    A store has if it will still be filling in the next cycle, and the gate register can be left.
    """
    here, vc = state.nodes[node], fixed.vc_of[out]
    if fixed.stores == 0 or vc == 0:
        return here.skid_packet < 0
    if here.ejected_packet >= 0:
        if here.ejected_class == 0:
            if here.skid_packet >= 0:
                return False
        elif here.ejected_class == vc:
            last = fixed.packets[here.ejected_packet].length - 1
            if here.ejected_beat == last:
                return False
    return stores.phase[node, vc] == FILL


@part
def _opens(fixed, state, registers, channel, out):
    """Whether a front may go to a link's channel that has a credit: a head needs an empty buffer.

    That is so where packets can escape, but for the escape class.
    """
    if fixed.escape < 0 or state.inputs[channel].beat > 0:
        return True
    vc_class = fixed.vc_of[out % (fixed.ports * fixed.vcs)] % fixed.classes
    return vc_class == fixed.escape or registers.credits[out] == registers.capacity[out]


@part
def _is_eligible(fixed, state, stores, registers, branches, base, slot, out):
    """Whether a front can cross: there is space, and its output channel is its own or free."""
    output = state.outputs[base + out]
    if output.into < 0:
        if not _node_takes(fixed, state, stores, ~output.into, out):
            return False
    elif registers.credits[base + out] == 0 or not _opens(
        fixed, state, registers, base + slot, base + out
    ):
        return False
    return beat_of(fixed, state, branches, base + slot) > 0 or output.owner < 0


@part
def _request(fixed, registers, scratch, router, slot, out):
    """Request an output for an eligible front; the first in the output's order is granted."""
    group, counters = fixed.group_of[out], scratch.counters[0]
    winner = registers.winners[group]
    if winner < 0:
        scratch.requested[counters.requested] = group
        counters.requested += 1
        registers.winners[group], registers.wanted[group] = slot, out
        return
    places = registers.places[router * fixed.ports * fixed.traffic_classes + group]
    if places[fixed.port_of[slot]] < places[fixed.port_of[winner]]:
        registers.winners[group], registers.wanted[group] = slot, out


@part
def _request_exits(fixed, state, stores, registers, branches, scratch, router, base, slot):
    """Request the outputs that a front can cross to; returns whether there is one."""
    if not copies_at_once(fixed, state, branches, base + slot):
        out = way_out(fixed, state, branches, base + slot)
        if not _is_eligible(fixed, state, stores, registers, branches, base, slot, out):
            return False
        _request(fixed, registers, scratch, router, slot, out)
        return True
    found = False
    for port in range(fixed.ports):
        if branches.pending[base + slot] >> port & 1:
            out = branches.out[base + slot, port]
            if _is_eligible(fixed, state, stores, registers, branches, base, slot, out):
                _request(fixed, registers, scratch, router, slot, out)
                found = True
    return found


@part
def _is_shared(fixed, group):
    """Whether an output's link is that of all classes of traffic; nodes have one for each class."""
    return fixed.traffic_classes > 1 and group >= fixed.local_ports * fixed.traffic_classes


@part
def _has_link(fixed, registers, router, group):
    """Whether no other class of traffic that asks for the same link goes first.

    The highest one does; with weights, the highest of those that have something left in this round,
    if there are any.
    """
    if not _is_shared(fixed, group):
        return True
    first = group // fixed.traffic_classes * fixed.traffic_classes
    highest = with_rest = NONE
    for other in range(first, first + fixed.traffic_classes):
        if registers.winners[other] < 0:
            continue
        highest = other
        if (
            len(registers.left) > 0
            and registers.left[router * fixed.ports * fixed.traffic_classes + other] > 0
        ):
            with_rest = other
    return group == (highest if with_rest < 0 else with_rest)


@part
def _spend(fixed, registers, router, group):
    """Count a flit of a class of traffic that has its link; a new round begins where it must."""
    if len(registers.left) == 0 or not _is_shared(fixed, group):
        return
    number = group % fixed.traffic_classes
    first = router * fixed.ports * fixed.traffic_classes + group - number
    if registers.left[first + number] == 0:  # so has no class that asks anything left
        for other in range(fixed.traffic_classes):
            registers.left[first + other] = registers.weights[other]
    registers.left[first + number] -= 1


@part
def decide(fixed, state, stores, registers, branches, scratch, router):
    """Choose the flits of one router that cross in this cycle; note the fronts that cannot."""
    base = router * fixed.ports * fixed.vcs
    counters, counts = scratch.counters[0], registers.counts[0]
    counters.requested = counters.moves = counts.blocked = 0
    for word in range(len(registers.shown[router])):
        left = registers.shown[router, word]
        while left != 0:
            slot = word * 64 + lowest_bit(left)
            left = without_lowest(left)
            if not _request_exits(
                fixed, state, stores, registers, branches, scratch, router, base, slot
            ):
                registers.blocked[counts.blocked] = slot
                counts.blocked += 1
    for number in range(counters.requested):
        group = scratch.requested[number]
        if not _has_link(fixed, registers, router, group):
            continue
        move = scratch.moves[counters.moves]
        move.slot, move.out = registers.winners[group], registers.wanted[group]
        counters.moves += 1
    for number in range(counters.moves):
        _spend(fixed, registers, router, fixed.group_of[scratch.moves[number].out])
    for number in range(counters.requested):
        registers.winners[scratch.requested[number]] = NONE


@part
def reorder(fixed, registers, router, out, slot, is_tail):
    """Move a granted input to the end of its output's order after a tail, else to its front."""
    places = registers.places[router * fixed.ports * fixed.traffic_classes + fixed.group_of[out]]
    port = fixed.port_of[slot]
    place = places[port]
    if is_tail:
        for other in range(fixed.ports):
            places[other] -= places[other] > place
        places[port] = fixed.ports - 1
    elif place > 0:
        for other in range(fixed.ports):
            places[other] += places[other] < place
        places[port] = 0


@part
def _other_channel(fixed, state, router, slot):
    """First virtual channel of the same group after a slot's that holds a flit; NONE for none."""
    vc = fixed.vc_of[slot]
    first, end = slot - vc, vc - vc % fixed.share + fixed.share
    for step in range(1, fixed.share):
        other = vc + step if vc + step < end else vc + step - fixed.share
        if contains(state.fronts[router], first + other):
            return other
    return NONE


@part
def leave_front(fixed, state, registers, branches, scratch, router, slot, is_tail):
    """Remove a granted flit, and choose the next front among the flits that were there."""
    channel = router * fixed.ports * fixed.vcs + slot
    if leave_copy(fixed, state, branches, channel, is_tail):
        follows = contains(state.fronts[router], slot)
    else:
        leave(fixed, state, branches, scratch, channel)
        follows = state.inputs[channel].packet >= 0
    if follows and not is_tail:
        return
    other = _other_channel(fixed, state, router, slot)
    if other >= 0 or not follows:
        show(fixed, registers, router, fixed.group_of[slot], other)


@part
def _change_way(fixed, here):
    """Let a head that could not move ask for its other way when it is shown again."""
    if fixed.escape >= 0 and here.beat == 0 and here.escape >= 0:
        here.turn, here.escape = here.escape, here.turn


@part
def pass_blocked(fixed, state, registers, router):
    """Show another channel of each input whose front was not eligible, if one holds a flit."""
    for number in range(registers.counts[0].blocked):
        slot = registers.blocked[number]
        _change_way(fixed, state.inputs[router * fixed.ports * fixed.vcs + slot])
        other = _other_channel(fixed, state, router, slot)
        if other >= 0:
            show(fixed, registers, router, fixed.group_of[slot], other)
