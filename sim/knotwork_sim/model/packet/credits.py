# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of networks of packet routers with credits: its compiled loop.

A flit that is granted in a cycle is on the link in the next one, or with ``pipeline=3`` in the one
after, and is there for the link's latency, at whose end it is written into the next buffer. All
decisions of a cycle use the state at its start: the loop writes into buffers, and counts credits,
after all routers have decided.
"""

import numpy as np

from ...compiled import NONE, exclude, include, is_empty, loop, lowest_bit, part, without_lowest
from ...traffic.endpoints import Endpoints
from ..router_model import Log, Tally, note
from .allocation import (
    Registers,
    decide,
    leave_front,
    pass_blocked,
    reorder,
    return_credits,
    show_broadcasts,
    take_off,
    write,
)
from .buffers import Branches, arrive, beat_of, finish_copy, label_of, settle_departures
from .interfaces import (
    Stores,
    eject,
    enter,
    interface_clock,
    offer_beats,
    send_all,
    settle_busy,
    take_beats,
    wake,
)
from .loops import (
    Totals,
    fetch,
    fetch_behind,
    find_turns,
    has_moved,
    is_idle,
    next_due,
)
from .state import Fixed, Scratch, State


@part
def _eject(fixed, state, stores, ends, scratch, log, logged, clock, node):
    """One cycle of the gate register and the skid register before a node; returns beats logged."""
    here = state.nodes[node]
    opens = here.skid_packet < 0
    logged = eject(fixed, state, stores, ends, scratch, log, logged, clock, node)
    if fixed.stores > 0:
        interface_clock(fixed, state, stores, scratch, node)
        opens = opens or here.ejected_class > 0
    if opens and here.ejected_packet >= 0:
        here.ejected_packet = NONE
        scratch.counters[0].flits -= 1
    return logged


@part
def _holds(state, node):
    """Whether a flit waits in one of the registers before a node."""
    return state.nodes[node].skid_packet >= 0 or state.nodes[node].ejected_packet >= 0


@part
def _send(state, scratch, node, packet, beat, vc):
    """Put a flit into the gate register before the node."""
    here = state.nodes[node]
    here.ejected_packet, here.ejected_beat, here.ejected_class = packet, beat, vc
    scratch.counters[0].flits += 1
    include(state.busy, here.router)


@part
def _cross(fixed, state, registers, branches, scratch, tally, router, clock):
    """Take the granted flits of a router from their buffers to the registers of the links."""
    base, counters = router * fixed.ports * fixed.vcs, scratch.counters[0]
    for number in range(counters.moves):
        move = scratch.moves[number]
        slot, out = move.slot, move.out
        here, output = state.inputs[base + slot], state.outputs[base + out]
        packet, beat = here.packet, beat_of(fixed, state, branches, base + slot)
        label = label_of(fixed, branches, base + slot, fixed.port_of[out])
        is_tail = beat == here.length - 1
        if len(tally.crossings) > 0:
            tally.crossings[base + out] += 1
            tally.hops[packet] += beat == 0 and output.into >= 0
            note(tally, clock, base + out, packet, beat)
        output.owner = NONE if is_tail else slot
        reorder(fixed, registers, router, out, slot, is_tail)
        if finish_copy(fixed, state, branches, base + slot, fixed.port_of[out]):
            leave_front(fixed, state, registers, branches, scratch, router, slot, is_tail)
        if output.into < 0:
            _send(state, scratch, ~output.into, packet, beat, fixed.vc_of[out])
        else:
            registers.credits[base + out] -= 1
            arrive(scratch, output.into, packet, beat, label)
    counters.steps += counters.moves
    counters.crossings += counters.moves
    pass_blocked(fixed, state, registers, router)


@part
def _run_router(
    fixed, state, registers, stores, branches, ends, scratch, log, tally, logged, clock, router
):
    """One cycle of a router and its nodes, but for writes into buffers; returns beats logged."""
    has_flits = not is_empty(state.fronts[router])
    if has_flits:
        decide(fixed, state, stores, registers, branches, scratch, router)
    if fixed.stores > 0:
        send_all(fixed, state, stores, ends, router, clock)
    take_beats(fixed, state, stores, ends, scratch, router, clock)
    is_kept, storing = False, scratch.counters[0].storing
    for port in range(fixed.local_ports):
        node = fixed.local_nodes[router, port]
        if node >= 0:
            logged = _eject(fixed, state, stores, ends, scratch, log, logged, clock, node)
            is_kept = is_kept or _holds(state, node)
    if fixed.stores > 0:
        settle_busy(stores, router, scratch.counters[0].storing > storing)
    if not is_kept:
        exclude(state.busy, router)  # a flit that crosses to a node includes it again
    if has_flits:
        _cross(fixed, state, registers, branches, scratch, tally, router, clock)
        if not is_empty(state.fronts[router]):
            include(state.busy, router)
    return logged


@part
def _run_routers(
    fixed, state, registers, stores, branches, ends, scratch, log, tally, logged, clock
):
    """One cycle of all routers that have work; returns beats logged so far."""
    offer_beats(fixed, state, ends, scratch, clock)
    for word in range(len(state.busy)):
        if fixed.is_large:
            for step in range(2):  # the third is for levels behind the outputs
                fetch(fixed, state, state.busy[word], word, step)
        left = state.busy[word] | stores.busy[word]
        while left != 0:
            logged = _run_router(
                fixed,
                state,
                registers,
                stores,
                branches,
                ends,
                scratch,
                log,
                tally,
                logged,
                clock,
                word * 64 + lowest_bit(left),
            )
            left = without_lowest(left)
    return logged


@part
def _write_all(fixed, state, registers, branches, scratch, flits, number):
    """Write the first flits of a list into their buffers, and find the turns of the heads."""
    for place in range(number):
        if fixed.is_large:
            fetch_behind(fixed, state, flits, number, place)
        write(fixed, state, registers, branches, scratch, flits[place])
        find_turns(fixed, state, branches, scratch)


@part
def _settle(fixed, state, registers, stores, branches, ends, scratch, log, refused, clock):
    """End a cycle: credits, flits from links and nodes; returns packets refused so far."""
    counters, now = scratch.counters[0], clock % len(registers.flying)
    find_turns(fixed, state, branches, scratch)
    return_credits(fixed, state, registers, scratch, now)
    settle_departures(state, scratch)
    flights, flying = registers.flights[now], registers.flying[now]
    _write_all(fixed, state, registers, branches, scratch, flights, flying)
    take_off(fixed, registers, scratch, now)
    refused = enter(fixed, state, stores, branches, ends, scratch, log, refused, clock)
    if fixed.broadcast_rule != 0:
        find_turns(fixed, state, branches, scratch)
        show_broadcasts(fixed, state, registers, scratch)
    _write_all(fixed, state, registers, branches, scratch, scratch.arrivals, counters.arrivals)
    return refused


@part
def run_cycle(fixed, state, stores, branches, registers, ends, scratch, log, tally, begun):
    """One cycle of the network; returns the totals after it."""
    counters, (clock, logged, refused) = scratch.counters[0], begun
    counters.steps = counters.departures = counters.arrivals = counters.heads = 0
    counters.offering = counters.entering = counters.storing = 0
    logged = _run_routers(
        fixed, state, registers, stores, branches, ends, scratch, log, tally, logged, clock
    )
    refused = _settle(fixed, state, registers, stores, branches, ends, scratch, log, refused, clock)
    return Totals(clock + 1, logged, refused)


@loop
def run(
    fixed: Fixed,
    state: State,
    stores: Stores,
    branches: Branches,
    registers: Registers,
    ends: Endpoints,
    scratch: Scratch,
    log: Log,
    tally: Tally,
    due: np.ndarray,
    until: int,
    patience: int,
) -> Totals:
    """Step as `packet.plain.run` does."""
    done, idle, counts = Totals(0, 0, 0), 0, registers.counts[0]
    while done.clocks < until and idle < patience:
        if done.logged == len(log.clock) and done.refused == len(log.refused_clock):
            break
        wake(ends, scratch, due, done.clocks)
        if counts.moving == 0 and is_idle(stores, scratch):
            done = Totals(next_due(ends, scratch, due, until), done.logged, done.refused)
            continue
        before = done.logged
        done = run_cycle(fixed, state, stores, branches, registers, ends, scratch, log, tally, done)
        idle = 0 if has_moved(scratch, done.logged - before) else idle + 1
    return done
