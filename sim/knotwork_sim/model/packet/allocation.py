# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of routers with credits: their registers, the allocator, and the inputs' fronts.

Each input shows one flit, its front. It is eligible if there is space for it and its output channel
is its packet's or nobody's. Each output grants the eligible input that is first in its order.
"""

from typing import NamedTuple

import numpy as np
from knotwork.network import Network
from knotwork.parameters import PacketParameters
from knotwork.routing.selection import FIRST_STATE

from ...compiled import (
    NONE,
    contains,
    exclude,
    include,
    lowest_bit,
    part,
    without_lowest,
)
from .buffers import beat_of, copies_at_once, leave, leave_copy, push, resume_copy, way_out
from .interfaces import FILL
from .loops import change_way, choose_way, draw_way, fetch
from .state import (
    ARRIVAL,
    State,
    can_escape,
    draws_ways,
    has_broadcasts,
    has_classes,
    has_options,
    has_stores,
    prefers_open,
)

_MOST = 1 << 14
"""Numbers with which the input ports of an output are ordered."""


WAY_DRAWS = np.dtype([("state", np.int32), ("way", np.int32), ("drawn_in", np.int64)])
"""State of a router's generator, and the way that it drew last, in which cycle."""


class Registers(NamedTuple):
    """Registers of all routers, and lists of what they sent.

    Channels and slots are those of `State`; a group is a port, or of each class of traffic one.
    What is on its way arrives by the cycle: a list for each cycle modulo one more than the longest
    way, which is a link's latency and the cycles before it.

    Members
    -------
    front : ndarray
        Input channel whose head flit is in the front of each (router * groups + group), int32, -1
        for none; unused where a group has one channel.
    shown : ndarray
        Set of the input channels whose head flit is in a front; where a group has one channel, the
        same array as `State.fronts`.
    places : ndarray
        Of each output (router * groups + group), int16 of shape (outputs, ports + 1): a number of
        each input port, and after them the next number. Of the inputs that request the output, that
        with the lowest number is granted.
    credits : ndarray
        Credits of each output channel, int16; before a node, 0 while its skid register is full.
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
        `ARRIVAL` of the flits between grant and buffer, of shape (lists, ports of all routers).
    flying : ndarray
        Entries in each list of `flights`, int64.
    returning : ndarray
        Output channels whose credit is on its way back, int32, of shape (lists, groups of all
        routers and one).
    credited : ndarray
        Entries in each list of `returning`, int64.
    winners : ndarray
        Input channel that each output (router * groups + group) grants, int32, -1 for none.
    wanted : ndarray
        Output channel that it requests, int32.
    opens : ndarray
        Whether each output channel of a link could take a head at the start of the cycle, bool;
        empty unless heads prefer such channels.
    draws : ndarray
        `WAY_DRAWS` of each router; empty unless routers draw the ways with which heads begin.
    blocked : ndarray
        Input channels whose front is not eligible, int32.
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
    opens: np.ndarray
    draws: np.ndarray
    blocked: np.ndarray


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
    lists = longest + network.cycles_to_link
    weights = np.array(network.class_weights, np.int16)
    free = np.full(channels, depth, np.int16)
    escapes = network.routing.escape_class is not None
    selection = network.routing.selection
    draws = np.zeros(routers if selection.is_drawn else 0, WAY_DRAWS)
    draws["state"], draws["drawn_in"] = FIRST_STATE, NONE
    shown = np.zeros_like(state.fronts) if channels > routers * groups else state.fronts
    return Registers(
        front=np.full(routers * groups, NONE, np.int32),
        shown=shown,
        places=np.tile(np.arange(ports + 1, dtype=np.int16), (routers * groups, 1)),
        credits=free,
        capacity=free.copy() if escapes else free[:0].copy(),
        weights=weights,
        left=np.tile(weights, routers * ports),
        sender=sender,
        latency=latency,
        flights=np.zeros((lists, routers * ports), ARRIVAL),
        flying=np.zeros(lists, np.int64),
        returning=np.zeros((lists, routers * groups + 1), np.int32),
        credited=np.zeros(lists, np.int64),
        winners=np.full(routers * groups, NONE, np.int32),
        wanted=np.full(routers * groups, NONE, np.int32),
        opens=np.ones(channels if selection.prefers_open else 0, np.bool_),
        draws=draws,
        blocked=np.zeros(routers * groups, np.int32),
    )


@part
def _note_shown(fixed, scratch, channel):
    """Note a channel that came to a front from its buffer, or stays there though it was blocked."""
    if prefers_open(fixed):
        scratch.shown[scratch.counters[0].shown] = channel
        scratch.counters[0].shown += 1


@part
def _show(registers, group, channel):
    """Put the head flit of a channel into the front of its group; none with `channel` -1."""
    if registers.front[group] >= 0:
        exclude(registers.shown, registers.front[group])
    registers.front[group] = channel
    if channel >= 0:
        include(registers.shown, channel)


@part
def _show_if_empty(fixed, registers, channel):
    """Put the head flit of a channel into the front of its group, if that is empty."""
    if fixed.share > 1 and registers.front[fixed.group_of[channel]] < 0:
        _show(registers, fixed.group_of[channel], channel)


@part
def write(fixed, state, registers, branches, scratch, flit):
    """Write a flit into its buffer, and into the front if that is empty."""
    channel = flit.channel
    push(fixed, state, branches, scratch, channel, flit.packet, flit.beat, flit.label)
    resume_copy(fixed, state, branches, channel)
    _show_if_empty(fixed, registers, channel)


@part
def show_broadcasts(fixed, state, registers, scratch):
    """Put the broadcasts that nodes have completed into empty fronts."""
    if fixed.share == 1:
        return
    for number in range(scratch.counters[0].entering):
        here = state.nodes[scratch.entering[number]]
        first = here.entry + here.first_vc
        if registers.front[fixed.group_of[first]] >= 0:
            continue
        for vc in range(fixed.share):
            if contains(state.fronts, first + vc):
                _show(registers, fixed.group_of[first], first + vc)


@part
def _arrival_list(fixed, registers, channel, now, stages):
    """List of what sets off to or from a channel's link in the cycle whose own list is `now`.

    It waits for `stages` cycles before the link.
    """
    latency = registers.latency[channel] if has_options(fixed) and len(registers.latency) > 0 else 1
    number, lists = now + latency + stages, len(registers.flying)
    return number if number < lists else number - lists


@part
def take_off(fixed, registers, out, into, packet, beat, label, now):
    """Put a flit on its way to an input channel; takes a credit."""
    registers.credits[out] -= 1
    then = _arrival_list(fixed, registers, into, now, fixed.pipeline - 2)
    flit = registers.flights[then, registers.flying[then]]
    flit.channel, flit.packet, flit.beat = into, packet, beat
    if has_broadcasts(fixed):
        flit.label = label
    registers.flying[then] += 1


@part
def _return_credit(fixed, registers, channel, now):
    """Give a credit for a flit that leaves a channel, if that is behind a link.

    A flit that leaves in cycle t gives a credit that its sender can use one cycle after the
    latency of their link.
    """
    then, sender = _arrival_list(fixed, registers, channel, now, 0), registers.sender[channel]
    registers.returning[then, registers.credited[then]] = sender
    registers.credited[then] += sender >= 0


@part
def count_credits(registers, now):
    """Count the credits that arrive in this cycle."""
    for number in range(registers.credited[now]):
        registers.credits[registers.returning[now, number]] += 1


@part
def _reopen(fixed, state, registers, out):
    """Note whether an output channel could take a head in the next cycle."""
    slot = out % (fixed.ports * fixed.vcs)
    can_be = registers.credits[out] > 0
    if fixed.vc_of[slot] % fixed.classes < fixed.escape:
        can_be = registers.credits[out] == registers.capacity[out]
    registers.opens[out] = can_be and state.outputs[out].owner < 0


@part
def choose_ways(fixed, state, registers, scratch, now):
    """Let the heads that are shown anew choose, by what was open at the start of the cycle."""
    counters = scratch.counters[0]
    for number in range(counters.shown):
        choose_way(fixed, state, registers.opens, scratch.shown[number])
    counters.shown = 0
    for number in range(counters.requested):
        _reopen(fixed, state, registers, registers.wanted[scratch.requested[number]])
    for number in range(registers.credited[now]):
        _reopen(fixed, state, registers, registers.returning[now, number])


@part
def is_under_way(registers):
    """Whether a flit or a credit is on its way between routers."""
    for number in range(len(registers.flying)):
        if registers.flying[number] + registers.credited[number] > 0:
            return True
    return False


@part
def _node_takes(fixed, state, stores, node, out):
    """Whether a node's interface has space for what crosses to it.

    A store has if it will still be filling in the next cycle, and the gate register can be left.
    """
    here, vc = state.nodes[node], fixed.vc_of[out]
    if not has_stores(fixed) or vc == 0:
        return here.skid_packet < 0
    if here.ejected_packet >= 0:
        if here.ejected_class == 0:
            if here.skid_packet >= 0:
                return False
        elif here.ejected_class == vc:
            last = fixed.headers[here.ejected_packet].length - 1
            if here.ejected_beat == last:
                return False
    return stores.phase[node, vc] == FILL


@part
def _opens(fixed, state, registers, channel, out):
    """Whether a front may go to a link's channel that has a credit: a head needs an empty buffer.

    That is so where packets can escape, but for the escape classes.
    """
    if state.inputs[channel].beat > 0 or state.outputs[out].into < 0:
        return True
    vc_class = fixed.vc_of[out - state.inputs[channel].base] % fixed.classes
    return vc_class >= fixed.escape or registers.credits[out] == registers.capacity[out]


@part
def _is_eligible(fixed, state, stores, registers, branches, channel, out):
    """Whether a front can cross: there is space, and its output channel is its own or free."""
    output = state.outputs[out]
    if has_stores(fixed) and output.into < 0:
        if not _node_takes(fixed, state, stores, ~output.into, out - state.inputs[channel].base):
            return False
    elif registers.credits[out] == 0:
        return False
    if can_escape(fixed) and not _opens(fixed, state, registers, channel, out):
        return False
    return output.owner < 0 or beat_of(fixed, state, branches, channel) > 0


@part
def _request(fixed, state, registers, scratch, channel, out):
    """Request an output for an eligible front; the first in the output's order is granted."""
    group, counters = fixed.group_of[out], scratch.counters[0]
    winner = registers.winners[group]
    if winner < 0:
        scratch.requested[counters.requested] = group
        counters.requested += 1
    else:
        places = registers.places[group]
        port = fixed.port_of[state.inputs[channel].slot]
        if places[port] > places[fixed.port_of[state.inputs[winner].slot]]:
            return
    registers.winners[group], registers.wanted[group] = channel, out


@part
def _request_exits(fixed, state, stores, registers, branches, scratch, channel):
    """Request the outputs that a front can cross to; returns whether there is one."""
    if not copies_at_once(fixed, state, branches, channel):
        out = way_out(fixed, state, branches, channel)
        if not _is_eligible(fixed, state, stores, registers, branches, channel, out):
            return False
        _request(fixed, state, registers, scratch, channel, out)
        return True
    found = False
    for port in range(fixed.ports):
        if branches.pending[channel] >> port & 1:
            out = branches.out[channel, port]
            if _is_eligible(fixed, state, stores, registers, branches, channel, out):
                _request(fixed, state, registers, scratch, channel, out)
                found = True
    return found


@part
def _is_shared(fixed, group):
    """Whether an output's link is that of all classes of traffic; nodes have one for each class."""
    return group // fixed.traffic_classes % fixed.ports >= fixed.local_ports


@part
def _has_link(fixed, registers, group):
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
        if len(registers.left) > 0 and registers.left[other] > 0:
            with_rest = other
    return group == (highest if with_rest < 0 else with_rest)


@part
def _spend(fixed, registers, group):
    """Count a flit of a class of traffic that has its link; a new round begins where it must."""
    if len(registers.left) == 0 or not _is_shared(fixed, group):
        return
    if registers.left[group] == 0:  # so has no class that asks anything left
        first = group // fixed.traffic_classes * fixed.traffic_classes
        for other in range(fixed.traffic_classes):
            registers.left[first + other] = registers.weights[other]
    registers.left[group] -= 1


@part
def _share_links(fixed, registers, scratch):
    """Drop the requests of classes of traffic that do not get their link."""
    counters, granted = scratch.counters[0], 0
    for number in range(counters.requested):
        if not _has_link(fixed, registers, scratch.requested[number]):
            scratch.requested[number] = ~scratch.requested[number]
    for number in range(counters.requested):
        group = scratch.requested[number]
        if group >= 0:
            _spend(fixed, registers, group)
            scratch.requested[granted] = group
            granted += 1
        else:
            registers.winners[~group] = NONE
    counters.requested = granted


@part
def decide(fixed, state, stores, registers, branches, scratch):
    """Choose the flits that cross in this cycle, by output; note the fronts that cannot."""
    counters = scratch.counters[0]
    counters.requested = counters.blocked = 0
    for word in range(len(registers.shown)):
        if fixed.is_large:
            for step in range(2):  # the third is for levels behind the outputs
                fetch(state, registers.shown[word], word, step)
        left = registers.shown[word]
        while left != 0:
            channel = word * 64 + lowest_bit(left)
            left = without_lowest(left)
            if not _request_exits(fixed, state, stores, registers, branches, scratch, channel):
                registers.blocked[counters.blocked] = channel
                counters.blocked += 1
    if has_classes(fixed):
        _share_links(fixed, registers, scratch)


@part
def _renumber(fixed, places):
    """Number the input ports of an output anew, in the same order."""
    for rank in range(fixed.ports):
        first = 0
        for port in range(fixed.ports):
            if places[port] < places[first]:
                first = port
        places[first] = _MOST + rank
    for port in range(fixed.ports):
        places[port] -= _MOST
    places[fixed.ports] = fixed.ports


@part
def reorder(fixed, registers, group, port, is_tail):
    """Move a granted input to the end of its output's order after a tail, else to its front."""
    places = registers.places[group]
    number = places[fixed.ports]
    places[port] = number if is_tail else -number
    places[fixed.ports] = number + 1
    if number + 1 == _MOST:
        _renumber(fixed, places)


@part
def _other_channel(fixed, state, channel):
    """Next channel after this one in its group that holds a flit; NONE for none."""
    first = fixed.group_of[channel] * fixed.share
    end = first + fixed.share
    for step in range(1, fixed.share):
        other = channel + step if channel + step < end else channel + step - fixed.share
        if contains(state.fronts, other):
            return other
    return NONE


@part
def leave_front(fixed, state, registers, branches, scratch, channel, is_tail, clock, now):
    """Remove a granted flit, and choose the next front among the flits that were there."""
    if can_escape(fixed) and is_tail:
        state.inputs[channel].way = 0
        if draws_ways(fixed):
            draw_way(fixed, state, registers.draws, clock, channel)
    if leave_copy(fixed, state, branches, channel, is_tail):
        follows = contains(state.fronts, channel)
    else:
        leave(fixed, state, branches, scratch, channel)
        state.levels[channel] -= 1
        _return_credit(fixed, registers, channel, now)
        follows = state.inputs[channel].packet >= 0
    if fixed.share == 1 or (follows and not is_tail):
        return
    other = _other_channel(fixed, state, channel)
    if other >= 0 or not follows:
        _show(registers, fixed.group_of[channel], other)
    if other >= 0 or follows:
        _note_shown(fixed, scratch, other if other >= 0 else channel)


@part
def pass_blocked(fixed, state, registers, scratch):
    """Show another channel of each input whose front was not eligible, if one holds a flit."""
    if fixed.share == 1 and not can_escape(fixed):
        return
    for number in range(scratch.counters[0].blocked):
        channel = registers.blocked[number]
        if can_escape(fixed):
            change_way(fixed, state, channel)
        other = _other_channel(fixed, state, channel)
        if other >= 0:
            _show(registers, fixed.group_of[channel], other)
        _note_shown(fixed, scratch, other if other >= 0 else channel)
