# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of the packet router and its network: the same flits in the same clocks.

A clock has two halves. First every router decides, from the state at the clock's start, which flits
cross; then all flits move. The decisions are those of `knotwork.gateware.parts`, described there.

All is one compiled function a routing rule: calls would count references to every array of the
tuples that they pass, and Numba's cache would not see that a function called has changed.
"""

import hashlib
import inspect
from functools import cache
from pathlib import Path
from typing import Any

import knotwork.routing
import numpy as np
from knotwork.routing import Rule
from knotwork.routing.broadcast import BroadcastRule
from numba import njit
from numba.extending import register_jitable

from .branches import is_shown, start_branches, step_branches
from .buffers import advance_pipeline, leave, push
from .endpoints import drive
from .interfaces import eject, enter, interface_clock, offers
from .state import FILL, NONE
from .stores import send_all

_PARTS = ("branches", "buffers", "endpoints", "interfaces", "state", "stores")


def _source_stamp(*rules: Any) -> int:
    """Digest the sources that rules are made of: Numba's cache knows this file only."""
    digest = hashlib.sha256()
    files = sorted(Path(knotwork.routing.__file__).parent.glob("*.py"))
    files += [Path(__file__).with_name(f"{name}.py") for name in _PARTS]
    for file in [*files, *(Path(inspect.getfile(rule)) for rule in rules)]:
        digest.update(file.read_bytes())
    return int.from_bytes(digest.digest()[:7], "little")


@njit(inline="always")
def _next_after(present, base, count, last):
    """First index after `last`, round and round, with ``present[base + index]``; else NONE."""
    for step in range(1, count + 1):
        index = (last + step) % count
        if present[base + index]:
            return index
    return NONE


@njit(inline="always")
def _has_room(fixed, state, stores, ends, multicasts, router, out):
    """Whether a flit could cross to an output channel of a router."""
    ports, vcs = fixed.neighbours.shape[1], fixed.vcs
    port = out // vcs
    if port != 0:
        peer = fixed.neighbours[router, port]
        into = (peer * ports + fixed.peer_ports[router, port]) * vcs + out % vcs
        return state.level[into] < state.packet.shape[1]
    if multicasts and out > 0:
        return stores.phase[router, out] == FILL
    if fixed.has_skid[router]:
        return state.skid_packet[router] < 0
    return ends.taking[router]


@njit(inline="always")
def _is_open(fixed, state, router, out):
    """Whether an output channel has no owner, and the buffer behind it no flit."""
    ports, vcs = fixed.neighbours.shape[1], fixed.vcs
    port = out // vcs
    if port == 0:
        return True
    peer = fixed.neighbours[router, port]
    into = (peer * ports + fixed.peer_ports[router, port]) * vcs + out % vcs
    held = state.held[router * ports * vcs + out]
    return not held and state.level[into] == 0 and state.front_packet[into] < 0


@njit(inline="always")
def _wanted(fixed, state, escapes, router, channel):
    """Output channel that a front flit asks for in this clock."""
    out = state.turn[channel]
    if not escapes or state.escape[channel] < 0 or state.bound[channel]:
        return out
    return out if _is_open(fixed, state, router, out) else state.escape[channel]


@njit(inline="always")
def _ask(state, scratch, base, slot, out):
    """Ask for an output channel."""
    if not scratch.asked[out]:
        scratch.asked[out] = True
        scratch.above[out] = NONE
        scratch.lowest[out] = slot
        scratch.owner_asks[out] = False
    owner = state.owner[base + out]
    if slot > owner and scratch.above[out] < 0:
        scratch.above[out] = slot
    if slot == owner:
        scratch.owner_asks[out] = True


@njit(inline="always")
def _grant_channels(
    fixed, state, stores, branches, ends, scratch, escapes, multicasts, broadcasts, router
):
    """Channel arbiters of one router, and which granted flits have room behind their output."""
    ports, vcs = fixed.neighbours.shape[1], fixed.vcs
    slots = ports * vcs
    base = router * slots
    for slot in range(slots):
        channel = base + slot
        if state.front_packet[channel] < 0:
            continue
        if broadcasts and branches.pending[channel]:
            for port in range(ports):
                if branches.pending[channel] >> port & 1:
                    _ask(state, scratch, base, slot, branches.out[channel, port])
            continue
        _ask(state, scratch, base, slot, _wanted(fixed, state, escapes, router, channel))
    for out in range(slots):
        if not scratch.asked[out]:
            continue
        if state.held[base + out]:
            grant = state.owner[base + out] if scratch.owner_asks[out] else NONE
        else:
            grant = scratch.above[out] if scratch.above[out] >= 0 else scratch.lowest[out]
        scratch.grant[out] = grant
        if grant >= 0:
            scratch.can_cross[out] = _has_room(fixed, state, stores, ends, multicasts, router, out)
            if broadcasts and branches.pending[base + grant]:
                shown = is_shown(fixed, state, branches, base + grant, out // vcs)
                scratch.can_cross[out] = scratch.can_cross[out] and shown
                if scratch.can_cross[out]:
                    branches.could[base + grant] = True
            if escapes:
                state.turn[base + grant] = out
                state.bound[base + grant] = True


@njit(inline="always")
def _move(fixed, state, scratch, clock, router, count, slot, out, is_tail):
    """Let a slot's flit cross by an output channel; `count` moves came before."""
    ports, vcs = fixed.neighbours.shape[1], fixed.vcs
    base = router * ports * vcs
    scratch.moves[count, 0] = base + slot
    scratch.moves[count, 1] = base + out
    output = router * ports + out // vcs
    state.output_last[output] = out % vcs
    if not is_tail:
        state.output_moved[output] = clock
    state.owner[base + out] = slot
    state.held[base + out] = not is_tail
    scratch.grant[out] = NONE


@njit(inline="always")
def _switch(fixed, state, branches, scratch, escapes, broadcasts, clock, router, count):
    """Offers of the outputs, acceptances of the inputs: moves of one router."""
    ports, vcs = fixed.neighbours.shape[1], fixed.vcs
    base = router * ports * vcs
    for port in range(ports):
        place = router * ports + port
        vc = state.output_last[place]
        if state.output_moved[place] != clock - 1 or not scratch.can_cross[port * vcs + vc]:
            vc = _next_after(scratch.can_cross, port * vcs, vcs, vc)
        if broadcasts:
            scratch.port_out[port] = port * vcs + vc if vc >= 0 else NONE
        if vc >= 0:
            slot = scratch.grant[port * vcs + vc]
            scratch.offered[slot] = True
            scratch.offer[slot] = port * vcs + vc
    for port in range(ports):
        place = router * ports + port
        vc = state.input_last[place]
        if state.input_moved[place] != clock - 1 or not scratch.offered[port * vcs + vc]:
            vc = _next_after(scratch.offered, port * vcs, vcs, vc)
        if vc < 0:
            continue
        slot = port * vcs + vc
        state.input_last[place] = vc
        beat = state.front_beat[base + slot]
        if broadcasts and branches.pending[base + slot]:
            beat = branches.at[base + slot]
        is_tail = beat == fixed.length[state.front_packet[base + slot]] - 1
        if escapes and is_tail:
            state.bound[base + slot] = False
        if not is_tail:
            state.input_moved[place] = clock
        if broadcasts and branches.pending[base + slot]:
            for output in range(ports):
                out = scratch.port_out[output]
                if out >= 0 and scratch.grant[out] == slot:
                    _move(fixed, state, scratch, clock, router, count, slot, out, is_tail)
                    count += 1
            continue
        _move(fixed, state, scratch, clock, router, count, slot, scratch.offer[slot], is_tail)
        count += 1
    for out in range(ports * vcs):
        if scratch.asked[out] and scratch.grant[out] >= 0:  # granted, but kept waiting
            state.owner[base + out] = scratch.grant[out]
            state.held[base + out] = True
        scratch.grant[out] = NONE
        scratch.asked[out] = False
        scratch.can_cross[out] = False
        scratch.offered[out] = False
    return count


@njit(inline="always")
def _decide(fixed, state, stores, branches, ends, scratch, escapes, multicasts, broadcasts, clock):
    """All routers; returns the number of moves. Buffers stay as they are."""
    count = 0
    for router in range(len(state.flits)):
        if state.flits[router] > 0:
            _grant_channels(
                fixed,
                state,
                stores,
                branches,
                ends,
                scratch,
                escapes,
                multicasts,
                broadcasts,
                router,
            )
            count = _switch(
                fixed, state, branches, scratch, escapes, broadcasts, clock, router, count
            )
    return count


@njit(inline="always")
def _cross(fixed, state, branches, scratch, broadcasts, moves):
    """Take the crossing flits from their inputs; returns how many are on links."""
    ports, vcs = fixed.neighbours.shape[1], fixed.vcs
    slots, arrived = ports * vcs, 0
    for number in range(moves):
        channel, out = scratch.moves[number]
        router, port = out // slots, out % slots // vcs
        label = 0
        if broadcasts and branches.pending[channel]:
            packet, beat = state.front_packet[channel], np.int32(branches.at[channel])
            label = branches.label[channel, port]
            branches.moved[channel] |= 1 << port
        else:
            packet, beat = leave(fixed, state, branches, scratch, broadcasts, channel)
        if port == 0:
            scratch.ejected[router, 0], scratch.ejected[router, 1] = packet, beat
            scratch.ejected[router, 2] = out % vcs
            continue
        peer = fixed.neighbours[router, port]
        into = (peer * ports + fixed.peer_ports[router, port]) * vcs
        scratch.arrivals[arrived, 0] = into + out % vcs
        scratch.arrivals[arrived, 1], scratch.arrivals[arrived, 2] = packet, beat
        scratch.arrivals[arrived, 3] = label
        arrived += 1
    return arrived


@register_jitable
def _no_broadcast(parameters, router, port, channel_class, label, source, output):
    """Rule where there is none; never asked."""
    return -1, 0


@cache
def compiled_run(
    rule: Rule, *, broadcast: BroadcastRule | None = None, escapes: bool, multicasts: bool
) -> Any:
    """Compiled stepping loop for a routing's rules, kept on disk by Numba's cache.

    What a network does not have is left out of it: broadcasts, escapes, multicast units.
    """
    broadcasts, branch = broadcast is not None, broadcast or _no_broadcast
    stamp = _source_stamp(rule, branch)  # in the closure, so that it is part of the cache's key

    @njit(cache=True)
    def run(fixed, state, stores, branches, ends, scratch, log, until, patience):
        """Step until all is delivered, clock `until`, or `patience` clocks without a movement.

        Returns clocks stepped, beats logged, packets refused, clocks of the last standstill.
        """
        ports, vcs = fixed.neighbours.shape[1], fixed.vcs
        logged, refused, idle, clock = 0, 0, 0, stamp & 0
        while clock < until and idle < patience:
            if logged == len(log.clock) and refused == len(log.refused_clock):
                break
            drive(ends, clock)
            moves = _decide(
                fixed,
                state,
                stores,
                branches,
                ends,
                scratch,
                escapes,
                multicasts,
                broadcasts,
                clock,
            )
            if multicasts:
                send_all(fixed, state, stores, ends, clock)
            waiting = offers(fixed, state, stores, ends, scratch, multicasts, broadcasts)
            scratch.counts[0] = 0
            arrived = _cross(fixed, state, branches, scratch, broadcasts, moves)
            before, entered = logged, 0
            for node in range(len(state.flits)):
                comes = scratch.ejected[node, 0] >= 0 or state.skid_packet[node] >= 0
                if comes or multicasts:
                    logged = eject(
                        fixed, state, stores, ends, scratch, log, multicasts, logged, clock, node
                    )
                waiting += state.flits[node] + (state.skid_packet[node] >= 0)
                if broadcasts and state.flits[node] > 0:
                    step_branches(fixed, state, branches, scratch, node)
                if fixed.pipeline == 2 and state.flits[node] > 0:
                    advance_pipeline(fixed, state, branches, scratch, broadcasts, node)
                if multicasts:
                    waiting += interface_clock(
                        fixed, state, stores, branches, scratch, broadcasts, node
                    )
                    entered += stores.way[node] >= 0
                scratch.ejected[node, 0] = NONE
            for number in range(arrived):
                into, packet, beat, label = scratch.arrivals[number]
                push(fixed, state, branches, scratch, broadcasts, into, packet, beat, label)
            refused = enter(
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
            )
            for number in range(scratch.counts[0]):  # turns of the flits that came to a front
                channel = scratch.fronts[number]
                if escapes and state.bound[channel]:
                    continue
                if broadcasts and fixed.broadcast[state.front_packet[channel]]:
                    if branches.holds[channel]:
                        start_branches(fixed, state, branches, branch, channel)
                    else:
                        state.turn[channel] = 0
                    continue
                port, vc = (channel // vcs) % ports, channel % vcs
                lane = vc // fixed.classes
                router, vc_class = channel // (vcs * ports), vc - lane * fixed.classes
                destination = fixed.destination[state.front_packet[channel]]
                output, out_class = rule(fixed.parameters, router, port, vc_class, destination)
                first_vc = lane * fixed.classes
                state.turn[channel] = out_class + (output * vcs + first_vc if output else 0)
                if escapes:
                    state.escape[channel] = NONE
                    if output != 0 and vc_class != fixed.escape:
                        output, out_class = rule(
                            fixed.parameters, router, port, fixed.escape, destination
                        )
                        state.escape[channel] = output * vcs + first_vc + out_class
            still = moves == 0 and logged == before and scratch.counts[0] == 0
            still = still and entered == 0 and not scratch.enters.any()
            idle = idle + 1 if still and waiting > 0 else 0
            clock += 1
        return clock, logged, refused, idle

    return run
