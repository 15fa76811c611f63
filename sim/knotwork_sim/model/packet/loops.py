"""Golden model of what the loops over plain routers and over routers with credits share.

Routers see only the levels of each other's buffers. The levels change after all routers have
decided, so every decision uses the state at the start of the cycle. A loop visits only routers with
flits, and skips cycles in which no flit is in the network.
"""

from typing import NamedTuple

from knotwork.routing.compiled import calls
from knotwork.routing.draws import drawn, next_state

from ...compiled import is_empty, lowest_bit, part, prefetch, without_lowest
from .buffers import ejected_to, start_branches
from .state import can_escape, has_broadcasts


class Totals(NamedTuple):
    """Totals of a run.

    Members
    -------
    clocks : int
        Cycles that were run.
    logged, refused : int
        Beats logged and packets refused.
    """

    clocks: int
    logged: int
    refused: int


_AHEAD = 8
"""Entries of a list by which the loop prefetches in advance."""


@part
def fetch(state, fronts, word, step):
    """Prefetch what the decisions on the input channels of a word need, one step per call."""
    while fronts != 0:
        channel = word * 64 + lowest_bit(fronts)
        fronts = without_lowest(fronts)
        if step == 0:
            prefetch(state.inputs, channel)
            prefetch(state.levels, channel)
            continue
        if step == 1 and state.levels[channel] > 1:
            prefetch(state.flits, channel)
        out = state.inputs[channel].turn
        if step == 1:
            prefetch(state.outputs, out)
        elif state.outputs[out].into >= 0:
            prefetch(state.levels, state.outputs[out].into)


@part
def fetch_behind(fixed, state, flits, count, number):
    """Prefetch in two steps what the flits after this one need, of a list that is written."""
    if number + 2 * _AHEAD < count:
        prefetch(state.inputs, flits[number + 2 * _AHEAD].channel)
    if number + _AHEAD < count:
        flit = flits[number + _AHEAD]
        if flit.beat == 0:
            prefetch(fixed.headers, flit.packet)


@part
def _call_rule(fixed, state, channel, destination):
    """Call the rule: the output channel that a head flit requests by its way."""
    here = state.inputs[channel]
    port, vc = fixed.port_of[here.slot], fixed.vc_of[here.slot]
    number = vc % fixed.classes
    first = here.base + vc - number  # of the lane
    if can_escape(fixed) and here.way > 0:
        number = fixed.other_ways[here.way - 1]
    output, out_class = calls.call_rule(
        fixed.rule, fixed.parameters, here.router, port, number, destination
    )
    turn = output * fixed.vcs + out_class
    return here.base + turn if output < fixed.local_ports else first + turn


@part
def _has_ways(fixed, here):
    """Whether the front flit of a channel may request several ways."""
    if here.beat > 0 or fixed.vc_of[here.slot] % fixed.classes >= fixed.escape:
        return False
    return here.turn - here.base >= fixed.local_ports * fixed.vcs  # else all lead to the node


@part
def change_way(fixed, state, channel):
    """Let a head that could not move request its next way when it is shown again."""
    here = state.inputs[channel]
    if not _has_ways(fixed, here):
        return
    here.way = here.way + 1 if here.way < len(fixed.other_ways) else 0
    here.turn = _call_rule(fixed, state, channel, fixed.headers[here.packet].destination)


@part
def choose_way(fixed, state, opens, channel):
    """Let a head that is shown request the first of its ways that is open; its first if none is."""
    here = state.inputs[channel]
    if not _has_ways(fixed, here):
        return
    destination = fixed.headers[here.packet].destination
    for way in range(len(fixed.other_ways) + 2):
        here.way = way if way <= len(fixed.other_ways) else 0
        here.turn = _call_rule(fixed, state, channel, destination)
        if opens[here.turn]:
            return


@part
def draw_way(fixed, state, draws, clock, channel):
    """Draw the way with which the head behind a tail begins that leaves a channel."""
    here = state.inputs[channel]
    source = draws[here.router]
    if source.drawn_in != clock:
        source.way, source.drawn_in = drawn(source.state, fixed.drawn_ways), clock
        source.state = next_state(source.state)
    if fixed.vc_of[here.slot] % fixed.classes < fixed.escape:
        here.way = source.way


@part
def _find_turn(fixed, state, branches, channel):
    """Find the turn of the head flit that came to the front of a channel."""
    here = state.inputs[channel]
    if has_broadcasts(fixed) and fixed.packets[here.packet].broadcast:
        if branches.holds[channel]:
            start_branches(fixed, state, branches, channel)
        else:
            here.turn = here.base + ejected_to(fixed, state, channel) * fixed.vcs
        return
    destination = fixed.headers[here.packet].destination
    if len(fixed.turns) == 0:
        here.turn = _call_rule(fixed, state, channel, destination)
        return
    place = channel * fixed.nodes + destination
    turn = fixed.turns[place]
    if turn == 0:  # not known yet
        turn = _call_rule(fixed, state, channel, destination) - here.base + 1
        fixed.turns[place] = turn
    here.turn = here.base + turn - 1


@part
def find_turns(fixed, state, branches, scratch):
    """Find the turn of every head flit that came to a front, while it is in the cache."""
    for number in range(scratch.counters[0].heads):
        _find_turn(fixed, state, branches, scratch.heads[number])
    scratch.counters[0].heads = 0


@part
def is_idle(stores, scratch):
    """Whether no flit is in the network, and no source has one to give."""
    if scratch.counters[0].flits > 0:
        return False
    return is_empty(scratch.sources) and is_empty(stores.busy)


@part
def next_due(scratch, due, until):
    """Cycle in which the next packet is due, `until` at the latest: nothing happens before."""
    woken = scratch.counters[0].woken
    return min(until, int(due.time[woken])) if woken < len(due.time) else until


@part
def has_moved(scratch, taken):
    """Whether something moved in a cycle in which nodes took `taken` beats, or nothing waits."""
    counters = scratch.counters[0]
    if counters.steps + counters.entering + taken > 0:
        return True
    return counters.offering + counters.flits + counters.storing == 0
