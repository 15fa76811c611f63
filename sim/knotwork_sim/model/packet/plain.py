# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of networks of plain routers (`gateware.packet.plain`): the same flits and cycles.

In each cycle every router with flits decides which of them cross (`_request_outputs`, `_grant`),
then takes them to the inputs behind its outputs (`_cross`). All decisions use the state at the
start of the cycle: flits that cross are written into the next buffers, and buffers shrink, after
all routers have decided (`_settle`). Cycles in which no flit is in the network are skipped.

A plain router has one virtual channel, so that a channel of `State` is a port, and its slot within
the router too.
"""

import numpy as np

from ...compiled import NONE, exclude, is_empty, loop, lowest_bit, part, without_lowest
from ...traffic.endpoints import Endpoints, takes
from ..router_model import Log, Tally, note
from .buffers import Branches, arrive, leave, push, settle_departures
from .interfaces import Stores, eject, enter, offer_beats, take_beats, wake
from .loops import Totals, fetch, fetch_behind, find_turns, has_moved, is_idle, next_due
from .state import Fixed, Scratch, State


@part
def _request_outputs(state, scratch, router, base):
    """Collect the requests of a router's front flits, by output."""
    counters = scratch.counters[0]
    counters.requested = 0
    for word in range(len(state.fronts[router])):
        left = state.fronts[router, word]
        while left != 0:
            port = word * 64 + lowest_bit(left)
            left = without_lowest(left)
            out = state.inputs[base + port].turn
            request, output = scratch.requests[out], state.outputs[base + out]
            if request.lowest < 0:
                scratch.requested[counters.requested] = out
                counters.requested += 1
                request.lowest = port
            if port > output.last and request.above < 0:
                request.above = port
            request.owner_requests = request.owner_requests or port == output.owner


@part
def _grant(state, scratch, base, out):
    """Input that an output is granted to, -1 for none: its owner, or the next that requests it."""
    request, owner = scratch.requests[out], state.outputs[base + out].owner
    grant = request.above if request.above >= 0 else request.lowest
    if owner >= 0:
        grant = owner if request.owner_requests else NONE
    request.above = request.lowest = NONE
    request.owner_requests = False
    return grant


@part
def _has_space(fixed, state, ends, into, clock):
    """Whether the buffer behind an output has space, or its node takes a beat."""
    return state.levels[into] < fixed.depth if into >= 0 else takes(ends, ~into, clock)


@part
def _cross(fixed, state, branches, scratch, tally, router, base, grant, out, clock):
    """Take the granted flit of an input to an output."""
    output, here = state.outputs[base + out], state.inputs[base + grant]
    packet, beat = here.packet, here.beat
    output.owner = NONE if beat == here.length - 1 else grant
    leave(fixed, state, branches, scratch, base + grant)
    if len(tally.crossings) > 0:
        tally.crossings[base + out] += 1
        tally.hops[packet] += beat == 0 and output.into >= 0
        note(tally, clock, base + out, packet, beat)
    if output.into >= 0:
        arrive(scratch, output.into, packet, beat, 0)
    else:
        node = state.nodes[~output.into]
        node.ejected_packet, node.ejected_beat = packet, beat
    scratch.counters[0].steps += 1
    scratch.counters[0].crossings += 1


@part
def _move(fixed, state, branches, ends, scratch, tally, router, clock):
    """Grant the outputs of a router, and take the flits across it that have space behind it."""
    base = router * fixed.ports
    _request_outputs(state, scratch, router, base)
    for number in range(scratch.counters[0].requested):
        out = scratch.requested[number]
        grant, output = _grant(state, scratch, base, out), state.outputs[base + out]
        if grant < 0:
            continue
        output.last = grant
        if _has_space(fixed, state, ends, output.into, clock):
            _cross(fixed, state, branches, scratch, tally, router, base, grant, out, clock)
        else:
            output.owner = grant  # granted, it keeps the output while it waits


@part
def _run_router(fixed, state, stores, branches, ends, scratch, log, tally, logged, clock, router):
    """One cycle of a router and its nodes, but for arrivals in buffers; returns beats logged."""
    # The nodes' beats enter by the levels at the start of the cycle.
    take_beats(fixed, state, stores, ends, scratch, router, clock)
    if not is_empty(state.fronts[router]):
        _move(fixed, state, branches, ends, scratch, tally, router, clock)
    for port in range(fixed.local_ports):
        node = fixed.local_nodes[router, port]
        if node >= 0:
            logged = eject(fixed, state, stores, ends, scratch, log, logged, clock, node)
            state.nodes[node].ejected_packet = NONE
    if is_empty(state.fronts[router]):
        exclude(state.busy, router)
    return logged


@part
def _run_routers(fixed, state, stores, branches, ends, scratch, log, tally, logged, clock):
    """One cycle of all routers that have work; returns beats logged so far."""
    offer_beats(fixed, state, ends, scratch, clock)
    for word in range(len(state.busy)):
        if fixed.is_large:
            for step in range(3):
                fetch(fixed, state, state.busy[word], word, step)
        left = state.busy[word]
        while left != 0:
            router = word * 64 + lowest_bit(left)
            left = without_lowest(left)
            logged = _run_router(
                fixed, state, stores, branches, ends, scratch, log, tally, logged, clock, router
            )
    return logged


@part
def _settle(fixed, state, stores, branches, ends, scratch, log, refused, clock):
    """End a cycle: flits leave buffers and are written into others; returns packets refused."""
    settle_departures(state, scratch)
    refused = enter(fixed, state, stores, branches, ends, scratch, log, refused, clock)
    find_turns(fixed, state, branches, scratch)
    arrivals = scratch.counters[0].arrivals
    for number in range(arrivals):
        if fixed.is_large:
            fetch_behind(fixed, state, scratch.arrivals, arrivals, number)
        flit = scratch.arrivals[number]
        push(fixed, state, branches, scratch, flit.channel, flit.packet, flit.beat, flit.label)
        find_turns(fixed, state, branches, scratch)
    return refused


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
    counters = scratch.counters[0]
    while clock < until and idle < patience:
        if logged == len(log.clock) and refused == len(log.refused_clock):
            break
        wake(ends, scratch, due, clock)
        if is_idle(stores, scratch):
            clock = next_due(ends, scratch, due, until)
            continue
        counters.steps = counters.departures = counters.arrivals = counters.heads = 0
        counters.offering = counters.entering = 0
        before = logged
        logged = _run_routers(
            fixed, state, stores, branches, ends, scratch, log, tally, logged, clock
        )
        refused = _settle(fixed, state, stores, branches, ends, scratch, log, refused, clock)
        idle = 0 if has_moved(scratch, logged - before) else idle + 1
        clock += 1
    return Totals(clock, logged, refused)
