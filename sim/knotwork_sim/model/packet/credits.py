# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of networks of packet routers with credits: its compiled loop.

A flit that is granted in a cycle is on the link in the next one, or with ``pipeline=3`` in the one
after, and is there for the link's latency, at whose end it is written into the next buffer. All
decisions of a cycle use the state at its start: the loop writes into buffers, and counts credits,
after all routers have decided.
"""

from ...compiled import NONE, exclude, include, loop, lowest_bit, part, without_lowest
from ...traffic.endpoints import Endpoints
from ...traffic.packets import Creations
from ..router_model import Log, Tally, note
from .allocation import (
    Registers,
    choose_ways,
    count_credits,
    decide,
    is_under_way,
    leave_front,
    pass_blocked,
    reorder,
    show_broadcasts,
    take_off,
    write,
)
from .buffers import Branches, beat_of, finish_copy, label_of
from .interfaces import Stores, eject, enter, interface_clock, settle_busy, take_beats, wake
from .loops import Totals, fetch_behind, find_turns, has_moved, is_idle, next_due
from .state import Fixed, Scratch, State, has_broadcasts, has_stores, prefers_open


@part
def _eject(fixed, state, registers, stores, ends, scratch, log, logged, clock, node):
    """One cycle of the gate register and the skid register before a node; returns beats logged."""
    here, counters = state.nodes[node], scratch.counters[0]
    opens, storing = here.skid_packet < 0, counters.storing
    logged = eject(fixed, state, stores, ends, scratch, log, logged, clock, node)
    if opens != (here.skid_packet < 0):
        for channel in range(here.entry, here.entry + fixed.vcs):
            registers.credits[channel] = here.skid_packet < 0
    if has_stores(fixed):
        interface_clock(fixed, state, stores, scratch, node)
        opens = opens or here.ejected_class > 0
        settle_busy(stores, node, counters.storing > storing)
    if opens and here.ejected_packet >= 0:
        here.ejected_packet = NONE
        counters.flits -= 1
    if here.skid_packet < 0 and here.ejected_packet < 0:
        exclude(state.receiving, node)
    return logged


@part
def _eject_all(fixed, state, registers, stores, ends, scratch, log, logged, clock):
    """One cycle of the interfaces that hold something for their nodes; returns beats logged."""
    for word in range(len(state.receiving)):
        left = state.receiving[word] | stores.busy[word]
        while left != 0:
            node = word * 64 + lowest_bit(left)
            left = without_lowest(left)
            logged = _eject(
                fixed, state, registers, stores, ends, scratch, log, logged, clock, node
            )
    return logged


@part
def _send(state, scratch, node, packet, beat, vc):
    """Put a flit into the gate register before the node."""
    here = state.nodes[node]
    here.ejected_packet, here.ejected_beat, here.ejected_class = packet, beat, vc
    scratch.counters[0].flits += 1
    include(state.receiving, node)


@part
def _cross(fixed, state, registers, branches, scratch, tally, clock, now, group):
    """Take the flit that an output grants from its buffer to the register of the link."""
    channel, out = registers.winners[group], registers.wanted[group]
    registers.winners[group] = NONE
    here, output = state.inputs[channel], state.outputs[out]
    packet, beat, into = here.packet, beat_of(fixed, state, branches, channel), output.into
    port = fixed.port_of[out - here.base] if has_broadcasts(fixed) else NONE
    label = label_of(fixed, branches, channel, port)
    is_tail = beat == here.length - 1
    if len(tally.crossings) > 0:
        tally.crossings[out] += 1
        tally.hops[packet] += beat == 0 and into >= 0
        note(tally, clock, out, packet, beat)
    output.owner = NONE if is_tail else here.slot
    reorder(fixed, registers, group, fixed.port_of[here.slot], is_tail)
    if finish_copy(fixed, state, branches, channel, port):
        leave_front(fixed, state, registers, branches, scratch, channel, is_tail, clock, now)
    if into < 0:
        _send(state, scratch, ~into, packet, beat, fixed.vc_of[out - here.base])
    else:
        take_off(fixed, registers, out, into, packet, beat, label, now)


@part
def _cross_all(fixed, state, registers, branches, scratch, tally, clock, now):
    """Take all flits that are granted across their routers."""
    counters = scratch.counters[0]
    for number in range(counters.requested):
        group = scratch.requested[number]
        _cross(fixed, state, registers, branches, scratch, tally, clock, now, group)
    counters.steps += counters.requested
    counters.crossings += counters.requested
    pass_blocked(fixed, state, registers, scratch)


@part
def _write_all(fixed, state, registers, branches, scratch, flits, number):
    """Write the first flits of a list into their buffers."""
    for place in range(number):
        if fixed.is_large:
            fetch_behind(fixed, state, flits, number, place)
        write(fixed, state, registers, branches, scratch, flits[place])


@part
def _settle(fixed, state, registers, stores, branches, ends, scratch, log, refused, clock, now):
    """End a cycle: credits, flits from links and nodes; returns packets refused so far."""
    count_credits(registers, now)
    _write_all(
        fixed, state, registers, branches, scratch, registers.flights[now], registers.flying[now]
    )
    registers.flying[now] = 0
    refused = enter(fixed, state, stores, branches, ends, scratch, log, refused, clock)
    if has_broadcasts(fixed):
        show_broadcasts(fixed, state, registers, scratch)
    arrivals = scratch.counters[0].arrivals
    _write_all(fixed, state, registers, branches, scratch, scratch.arrivals, arrivals)
    find_turns(fixed, state, branches, scratch)
    if prefers_open(fixed):
        choose_ways(fixed, state, registers, scratch, now)
    registers.credited[now] = 0
    return refused


@part
def run_cycle(fixed, state, stores, branches, registers, ends, scratch, log, tally, begun):
    """One cycle of the network; returns the totals after it."""
    counters, (clock, logged, refused) = scratch.counters[0], begun
    now = clock % len(registers.flying)
    counters.steps = counters.arrivals = counters.heads = 0
    counters.offering = counters.entering = counters.storing = 0
    take_beats(fixed, state, stores, ends, scratch, clock)
    decide(fixed, state, stores, registers, branches, scratch)
    logged = _eject_all(fixed, state, registers, stores, ends, scratch, log, logged, clock)
    _cross_all(fixed, state, registers, branches, scratch, tally, clock, now)
    refused = _settle(
        fixed, state, registers, stores, branches, ends, scratch, log, refused, clock, now
    )
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
    due: Creations,
    until: int,
    patience: int,
) -> Totals:
    """Step as `packet.plain.run` does."""
    done, idle = Totals(0, 0, 0), 0
    while done.clocks < until and idle < patience:
        if done.logged == len(log.clock) and done.refused == len(log.refused_clock):
            break
        wake(scratch, due, done.clocks)
        if is_idle(stores, scratch) and not is_under_way(registers):
            done = Totals(next_due(scratch, due, until), done.logged, done.refused)
            continue
        before = done.logged
        done = run_cycle(fixed, state, stores, branches, registers, ends, scratch, log, tally, done)
        idle = 0 if has_moved(scratch, done.logged - before) else idle + 1
    return done
