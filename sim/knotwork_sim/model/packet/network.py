# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Compiled loop over a network of packet routers: the same flits in the same cycles.

In each cycle every router in turn decides which of its flits cross, as `gateware.packet` does.
Routers see only the levels of each other's buffers. The levels change after all routers have
decided, so every decision uses the state at the start of the cycle. The loop visits only routers
with flits, and skips cycles in which no flit is in the network.

One loop runs every network; it skips what a network does not have.
"""

from typing import NamedTuple

import numpy as np
from knotwork.routing.compiled import calls

from ...compiled import (
    NONE,
    exclude,
    is_empty,
    loop,
    lowest_bit,
    part,
    prefetch,
    without_lowest,
)
from ...traffic.endpoints import Endpoints
from ..log import Log
from ..tally import Tally, note
from .arbitration import decide
from .branches import Branches, ejected_to, start_branches, step_branches
from .buffers import arrive, leave, push, settle_departures
from .interfaces import eject, enter, interface_clock, offer_beats, take_beats, wake
from .scratch import Scratch
from .state import Fixed, State
from .stores import Stores, send_all, settle_busy


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
def _cross(fixed, state, branches, scratch, tally, router, clock):
    """Take the crossing flits of a router from their inputs to the links."""
    base = router * fixed.ports * fixed.vcs
    for number in range(scratch.counters[0].moves):
        move = scratch.moves[number]
        channel, here = base + move.slot, state.inputs[base + move.slot]
        packet, beat, label = here.packet, here.beat, 0
        if fixed.broadcast_rule != 0 and branches.pending[channel] != 0:
            port = fixed.port_of[move.out]
            beat, label = branches.at[channel], branches.label[channel, port]
            branches.moved[channel] |= 1 << port
        else:
            leave(fixed, state, branches, scratch, channel)
        into = state.outputs[base + move.out].into
        if len(tally.crossings) > 0:
            tally.crossings[base + move.out] += 1
            tally.hops[packet] += beat == 0 and into >= 0
            note(tally, clock, base + move.out, packet, beat)
        if into >= 0:
            arrive(scratch, into, packet, beat, label)
        else:
            node = state.nodes[~into]
            node.ejected_packet, node.ejected_beat = packet, beat
            node.ejected_class = move.out
    scratch.counters[0].steps += scratch.counters[0].moves
    scratch.counters[0].crossings += scratch.counters[0].moves


@part
def fetch_behind(fixed, state, flits, count, number):
    """Prefetch in two steps what the flits after this one need, of a list that is written."""
    if number + 2 * _AHEAD < count:
        prefetch(state.inputs, flits[number + 2 * _AHEAD].channel)
    if number + _AHEAD < count:
        flit = flits[number + _AHEAD]
        prefetch(state.fronts, state.inputs[flit.channel].router)
        if flit.beat == 0:
            prefetch(fixed.packets, flit.packet)


@part
def _find_turn(fixed, state, branches, channel):
    """Ask the rules for the turn of the head flit that came to the front of a channel."""
    here = state.inputs[channel]
    if fixed.broadcast_rule != 0 and fixed.packets[here.packet].broadcast:
        if branches.holds[channel]:
            start_branches(fixed, state, branches, channel)
        else:
            here.turn = ejected_to(fixed, state, channel) * fixed.vcs
        return
    vc, vcs = fixed.vc_of[here.slot], fixed.vcs
    first_vc = vc // fixed.classes * fixed.classes
    destination, port = fixed.packets[here.packet].destination, fixed.port_of[here.slot]
    output, out_class = calls.call_rule(
        fixed.rule, fixed.parameters, here.router, port, vc - first_vc, destination
    )
    here.turn = output * vcs + out_class + (first_vc if output >= fixed.local_ports else 0)
    if fixed.escape >= 0:
        here.escape = NONE
        if output >= fixed.local_ports and vc - first_vc != fixed.escape:
            output, out_class = calls.call_rule(
                fixed.rule, fixed.parameters, here.router, port, fixed.escape, destination
            )
            here.escape = output * vcs + first_vc + out_class


@part
def _run_router(fixed, state, stores, branches, ends, scratch, log, tally, logged, clock, router):
    """One cycle of a router and its nodes, but for arrivals in buffers; returns beats logged."""
    moves = not is_empty(state.fronts[router])
    if moves:
        decide(fixed, state, stores, branches, ends, scratch, router, clock)
    if fixed.stores > 0:
        send_all(fixed, state, stores, ends, router, clock)
    take_beats(fixed, state, stores, ends, scratch, router, clock)
    if moves:
        _cross(fixed, state, branches, scratch, tally, router, clock)
    is_kept, storing = False, scratch.counters[0].storing
    for port in range(fixed.local_ports):
        node = fixed.local_nodes[router, port]
        if node < 0:
            continue
        logged = eject(fixed, state, stores, ends, scratch, log, logged, clock, node)
        if fixed.stores > 0:
            interface_clock(fixed, state, stores, scratch, node)
        state.nodes[node].ejected_packet = NONE
        is_kept = is_kept or state.nodes[node].skid_packet >= 0
    if fixed.stores > 0:
        settle_busy(stores, router, scratch.counters[0].storing > storing)
    if fixed.broadcast_rule != 0:
        step_branches(fixed, state, branches, scratch, router)
    if not is_kept and is_empty(state.fronts[router]):
        exclude(state.busy, router)
    return logged


@part
def fetch(fixed, state, routers, word, step):
    """Prefetch what the decisions at the routers of a word need, one step per call."""
    while routers != 0:
        router = word * 64 + lowest_bit(routers)
        routers = without_lowest(routers)
        base = router * fixed.ports * fixed.vcs
        for fronts in range(len(state.fronts[router])):
            left = state.fronts[router, fronts]
            while left != 0:
                channel = base + fronts * 64 + lowest_bit(left)
                left = without_lowest(left)
                if step == 0:
                    prefetch(state.inputs, channel)
                    prefetch(state.nodes, fixed.local_nodes[router, 0])
                    prefetch(state.levels, channel)
                    continue
                if step == 1 and state.levels[channel] > 1:
                    prefetch(state.flits, channel)
                out = base + state.inputs[channel].turn
                if step == 1:
                    prefetch(state.outputs, out)
                elif state.outputs[out].into >= 0:
                    prefetch(state.levels, state.outputs[out].into)


@part
def _run_routers(fixed, state, stores, branches, ends, scratch, log, tally, logged, clock):
    """One cycle of all routers, but for arrivals in buffers; returns beats logged so far."""
    offer_beats(fixed, state, ends, scratch, clock)
    for word in range(len(state.busy)):
        if fixed.is_large:
            for step in range(3):
                fetch(fixed, state, state.busy[word], word, step)
        left = state.busy[word] | stores.busy[word]
        while left != 0:
            router = word * 64 + lowest_bit(left)
            left = without_lowest(left)
            logged = _run_router(
                fixed, state, stores, branches, ends, scratch, log, tally, logged, clock, router
            )
    return logged


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
def next_due(ends, scratch, due, until):
    """Cycle in which the next packet is due, `until` at the latest: nothing happens before."""
    woken = scratch.counters[0].woken
    return min(until, int(ends.time[due[woken]])) if woken < len(due) else until


@part
def has_moved(scratch, taken):
    """Whether something moved in a cycle in which nodes took `taken` beats, or nothing waits."""
    counters = scratch.counters[0]
    if counters.steps + counters.entering + taken > 0:
        return True
    return counters.offering + counters.flits + counters.storing == 0


@part
def run_cycle(fixed, state, stores, branches, ends, scratch, log, tally, logged, refused, clock):
    """One cycle of the network; returns beats logged and packets refused so far."""
    counters = scratch.counters[0]
    counters.steps = counters.departures = counters.arrivals = counters.heads = 0
    counters.offering = counters.entering = counters.storing = 0
    logged = _run_routers(fixed, state, stores, branches, ends, scratch, log, tally, logged, clock)
    settle_departures(fixed, state, branches, scratch)
    refused = enter(fixed, state, stores, branches, ends, scratch, log, refused, clock)
    find_turns(fixed, state, branches, scratch)
    for number in range(counters.arrivals):
        if fixed.is_large:
            fetch_behind(fixed, state, scratch.arrivals, counters.arrivals, number)
        flit = scratch.arrivals[number]
        push(
            fixed,
            state,
            branches,
            scratch,
            flit.channel,
            flit.packet,
            flit.beat,
            flit.label,
        )
        find_turns(fixed, state, branches, scratch)
    return logged, refused


@loop
def run(
    fixed: Fixed,
    state: State,
    stores: Stores,
    branches: Branches,
    ends: Endpoints,
    scratch: Scratch,
    log: Log,
    tally: Tally,
    due: np.ndarray,
    until: int,
    patience: int,
) -> Totals:
    """Step until all is delivered, cycle `until`, or `patience` cycles without a movement.

    `due` lists all packets by their time.
    """
    logged, refused, idle, clock = 0, 0, 0, 0
    while clock < until and idle < patience:
        if logged == len(log.clock) and refused == len(log.refused_clock):
            break
        wake(ends, scratch, due, clock)
        if is_idle(stores, scratch):
            clock = next_due(ends, scratch, due, until)
            continue
        before = logged
        logged, refused = run_cycle(
            fixed, state, stores, branches, ends, scratch, log, tally, logged, refused, clock
        )
        idle = 0 if has_moved(scratch, logged - before) else idle + 1
        clock += 1
    return Totals(clock, logged, refused)
