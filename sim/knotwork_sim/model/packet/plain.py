# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of networks of plain routers (`gateware.packet.plain`): the same flits and cycles.

In each cycle every output with requests decides which flit crosses (`_request_outputs`, `_grant`),
and takes it to the input behind it (`_cross`). All decisions use the state at the start of the
cycle: flits that cross are written into the next buffers, and buffers shrink, after all routers
have decided (`_settle`). Cycles in which no flit is in the network are skipped.

A plain router has one virtual channel, so that a channel of `State` is a port, and its slot within
the router too.
"""

from ...compiled import NONE, include, loop, lowest_bit, part, without_lowest
from ...traffic.endpoints import Endpoints, takes
from ...traffic.packets import Creations
from ..router_model import Log, Tally, note
from .buffers import Branches, arrive, leave, push
from .interfaces import Stores, eject, enter, take_beats, wake
from .loops import Totals, fetch, fetch_behind, find_turns, has_moved, is_idle, next_due
from .state import Fixed, Scratch, State


@part
def _request_outputs(fixed, state, scratch):
    """Collect the requests of the front flits, by output."""
    counters = scratch.counters[0]
    counters.requested = 0
    for word in range(len(state.fronts)):
        if fixed.is_large:
            for step in range(3):
                fetch(state, state.fronts[word], word, step)
        left = state.fronts[word]
        while left != 0:
            channel = word * 64 + lowest_bit(left)
            left = without_lowest(left)
            here = state.inputs[channel]
            out, port = here.turn, here.slot
            request, output = scratch.requests[out], state.outputs[out]
            if request.lowest < 0:
                scratch.requested[counters.requested] = out
                counters.requested += 1
                request.lowest = port
            if port > output.last and request.above < 0:
                request.above = port
            request.owner_requests = request.owner_requests or port == output.owner


@part
def _grant(state, scratch, out):
    """Input that an output is granted to, -1 for none: its owner, or the next that requests it."""
    request, owner = scratch.requests[out], state.outputs[out].owner
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
def _cross(fixed, state, branches, scratch, tally, channel, out, clock):
    """Take the granted flit of an input to an output."""
    output, here, counters = state.outputs[out], state.inputs[channel], scratch.counters[0]
    packet, beat = here.packet, here.beat
    output.owner = NONE if beat == here.length - 1 else here.slot
    leave(fixed, state, branches, scratch, channel)
    scratch.departures[counters.departures] = channel
    counters.departures += 1
    if len(tally.crossings) > 0:
        tally.crossings[out] += 1
        tally.hops[packet] += beat == 0 and output.into >= 0
        note(tally, clock, out, packet, beat)
    if output.into >= 0:
        arrive(scratch, output.into, packet, beat, 0)
    else:
        node = state.nodes[~output.into]
        node.ejected_packet, node.ejected_beat = packet, beat
        include(state.receiving, ~output.into)
    counters.steps += 1
    counters.crossings += 1


@part
def _move(fixed, state, branches, ends, scratch, tally, clock):
    """Grant the outputs, and take the flits across that have space behind them."""
    _request_outputs(fixed, state, scratch)
    for number in range(scratch.counters[0].requested):
        out = scratch.requested[number]
        grant, output = _grant(state, scratch, out), state.outputs[out]
        if grant < 0:
            continue
        output.last = grant
        if _has_space(fixed, state, ends, output.into, clock):
            channel = out - out % fixed.ports + grant
            _cross(fixed, state, branches, scratch, tally, channel, out, clock)
        else:
            output.owner = grant  # granted, it keeps the output while it waits


@part
def _eject_all(fixed, state, stores, ends, scratch, log, logged, clock):
    """Let the nodes take the flits that crossed to them; returns beats logged so far."""
    for word in range(len(state.receiving)):
        left = state.receiving[word]
        state.receiving[word] = 0
        while left != 0:
            node = word * 64 + lowest_bit(left)
            left = without_lowest(left)
            logged = eject(fixed, state, stores, ends, scratch, log, logged, clock, node)
            state.nodes[node].ejected_packet = NONE
    return logged


@part
def _settle(fixed, state, stores, branches, ends, scratch, log, refused, clock):
    """End a cycle: flits leave buffers and are written into others; returns packets refused."""
    counters = scratch.counters[0]
    for number in range(counters.departures):
        state.levels[scratch.departures[number]] -= 1
    refused = enter(fixed, state, stores, branches, ends, scratch, log, refused, clock)
    for number in range(counters.arrivals):
        if fixed.is_large:
            fetch_behind(fixed, state, scratch.arrivals, counters.arrivals, number)
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
    due: Creations,
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
        wake(scratch, due, clock)
        if is_idle(stores, scratch):
            clock = next_due(scratch, due, until)
            continue
        counters.steps = counters.departures = counters.arrivals = counters.heads = 0
        counters.offering = counters.entering = 0
        before = logged
        # The nodes' beats enter by the levels at the start of the cycle.
        take_beats(fixed, state, stores, ends, scratch, clock)
        _move(fixed, state, branches, ends, scratch, tally, clock)
        logged = _eject_all(fixed, state, stores, ends, scratch, log, logged, clock)
        refused = _settle(fixed, state, stores, branches, ends, scratch, log, refused, clock)
        idle = 0 if has_moved(scratch, logged - before) else idle + 1
        clock += 1
    return Totals(clock, logged, refused)
