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
from knotwork.routing import Rule
from numba import njit

from .endpoints import accepted, drive
from .state import NONE


def _source_stamp(rule: Rule) -> int:
    """Digest the sources that `rule` is made of: Numba's cache knows this file only."""
    digest = hashlib.sha256()
    files = sorted(Path(knotwork.routing.__file__).parent.glob("*.py"))
    files += [Path(__file__).with_name(name) for name in ("endpoints.py", "state.py")]
    for file in [*files, Path(inspect.getfile(rule))]:
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
def _has_room(fixed, state, ends, router, out):
    """Whether a flit could cross to an output channel of a router."""
    ports, vcs = fixed.neighbours.shape[1], fixed.vcs
    port = out // vcs
    if port != 0:
        peer = fixed.neighbours[router, port]
        into = (peer * ports + fixed.peer_ports[router, port]) * vcs + out % vcs
        return state.level[into] < state.packet.shape[1]
    if fixed.has_skid[router]:
        return state.skid_packet[router] < 0
    return ends.taking[router]


@njit(inline="always")
def _grant_channels(fixed, state, ends, scratch, router):
    """Channel arbiters of one router, and which granted flits have room behind their output."""
    slots = fixed.neighbours.shape[1] * fixed.vcs
    base = router * slots
    for slot in range(slots):
        if state.front_packet[base + slot] < 0:
            continue
        out = state.turn[base + slot]
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
    for out in range(slots):
        if not scratch.asked[out]:
            continue
        if state.held[base + out]:
            grant = state.owner[base + out] if scratch.owner_asks[out] else NONE
        else:
            grant = scratch.above[out] if scratch.above[out] >= 0 else scratch.lowest[out]
        scratch.grant[out] = grant
        if grant >= 0:
            scratch.can_cross[out] = _has_room(fixed, state, ends, router, out)


@njit(inline="always")
def _switch(fixed, state, ends, scratch, clock, router, count):
    """Offers of the outputs, acceptances of the inputs: moves of one router."""
    ports, vcs = fixed.neighbours.shape[1], fixed.vcs
    base = router * ports * vcs
    for port in range(ports):
        place = router * ports + port
        vc = state.output_last[place]
        if state.output_moved[place] != clock - 1 or not scratch.can_cross[port * vcs + vc]:
            vc = _next_after(scratch.can_cross, port * vcs, vcs, vc)
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
        out = scratch.offer[slot]
        scratch.moves[count, 0] = base + slot
        scratch.moves[count, 1] = base + out
        count += 1
        packet = state.front_packet[base + slot]
        is_tail = state.front_beat[base + slot] == ends.length[packet] - 1
        output = router * ports + out // vcs
        state.input_last[place] = vc
        state.output_last[output] = out % vcs
        if not is_tail:
            state.input_moved[place] = clock
            state.output_moved[output] = clock
        state.owner[base + out] = slot
        state.held[base + out] = not is_tail
        scratch.grant[out] = NONE
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
def _decide(fixed, state, ends, scratch, clock):
    """All routers; returns the number of moves. Buffers stay as they are."""
    count = 0
    for router in range(len(state.flits)):
        if state.flits[router] > 0:
            _grant_channels(fixed, state, ends, scratch, router)
            count = _switch(fixed, state, ends, scratch, clock, router, count)
    return count


@njit(inline="always")
def _set_front(state, scratch, channel, packet, beat):
    """Put a flit where it asks for its turn; the rule is asked at the clock's end."""
    state.front_packet[channel] = packet
    state.front_beat[channel] = beat
    scratch.fronts[scratch.counts[0]] = channel
    scratch.counts[0] += 1


@njit(inline="always")
def _refill(state, scratch, channel):
    """Bring the next flit of a buffer to the empty front."""
    first = state.first[channel]
    packet, beat = state.packet[channel, first], state.beat[channel, first]
    state.first[channel] = first + 1 if first + 1 < state.packet.shape[1] else 0
    _set_front(state, scratch, channel, packet, beat)


@njit(inline="always")
def _push(fixed, state, scratch, channel, packet, beat):
    """Write a flit into a buffer."""
    behind = state.level[channel]
    state.level[channel] += 1
    state.flits[channel // (fixed.vcs * fixed.neighbours.shape[1])] += 1
    if fixed.pipeline == 1:
        if behind == 0:
            _set_front(state, scratch, channel, packet, beat)
            return
        behind -= 1
    place = state.first[channel] + behind
    if place >= state.packet.shape[1]:
        place -= state.packet.shape[1]
    state.packet[channel, place] = packet
    state.beat[channel, place] = beat


@njit(inline="always")
def _leave(fixed, state, scratch, channel):
    """Take the front flit away; returns it."""
    packet, beat = state.front_packet[channel], state.front_beat[channel]
    state.front_packet[channel] = NONE
    state.flits[channel // (fixed.vcs * fixed.neighbours.shape[1])] -= 1
    if fixed.pipeline == 1:
        state.level[channel] -= 1
        if state.level[channel] > 0:
            _refill(state, scratch, channel)
    return packet, beat


@njit(inline="always")
def _eject(fixed, state, ends, log, logged, clock, router, packet, beat):
    """One clock of a node's interface; `packet` is NONE where nothing crosses to it."""
    if fixed.has_skid[router] and state.skid_packet[router] >= 0:
        if not ends.taking[router]:
            return logged
        packet, beat = state.skid_packet[router], state.skid_beat[router]
        state.skid_packet[router] = NONE
    elif packet >= 0 and not ends.taking[router]:
        state.skid_packet[router] = packet
        state.skid_beat[router] = beat
        return logged
    if packet >= 0:
        log.clock[logged] = clock
        log.node[logged] = router
        log.packet[logged] = packet
        log.beat[logged] = beat
        logged += 1
    return logged


@njit(inline="always")
def _offers(fixed, state, ends, scratch):
    """Which sources' beats the network takes in this clock; returns how many offer one."""
    ports, vcs = fixed.neighbours.shape[1], fixed.vcs
    waiting = 0
    for node in range(len(ends.offered)):
        scratch.enters[node] = False
        if ends.offered[node]:
            packet = ends.packet[node]
            channel = node * ports * vcs + fixed.start_vc[packet]
            room = state.level[channel] < state.packet.shape[1]
            scratch.enters[node] = room or fixed.destination[packet] < 0
            waiting += 1
    return waiting


@njit(inline="always")
def _cross(fixed, state, scratch, moves):
    """Take the crossing flits from their inputs; returns how many are on links."""
    ports, vcs = fixed.neighbours.shape[1], fixed.vcs
    slots, arrived = ports * vcs, 0
    for number in range(moves):
        channel, out = scratch.moves[number]
        router, port = out // slots, out % slots // vcs
        packet, beat = _leave(fixed, state, scratch, channel)
        if port == 0:
            scratch.ejected[router, 0], scratch.ejected[router, 1] = packet, beat
            continue
        peer = fixed.neighbours[router, port]
        into = (peer * ports + fixed.peer_ports[router, port]) * vcs
        scratch.arrivals[arrived, 0] = into + out % vcs
        scratch.arrivals[arrived, 1], scratch.arrivals[arrived, 2] = packet, beat
        arrived += 1
    return arrived


@njit(inline="always")
def _advance_pipeline(fixed, state, scratch, router):
    """Let the registers behind the buffers of one router take the next flits."""
    slots = fixed.neighbours.shape[1] * fixed.vcs
    for channel in range(router * slots, (router + 1) * slots):
        if state.front_packet[channel] < 0 and state.level[channel] > 0:
            state.level[channel] -= 1
            _refill(state, scratch, channel)


@njit(inline="always")
def _enter(fixed, state, ends, scratch, log, refused, clock):
    """Write the beats that the sources gave; returns packets refused so far."""
    slots = fixed.neighbours.shape[1] * fixed.vcs
    for node in range(len(ends.offered)):
        if not scratch.enters[node]:
            continue
        packet, beat = ends.packet[node], ends.beat[node]
        accepted(ends, node)
        if fixed.destination[packet] >= 0:
            channel = node * slots + fixed.start_vc[packet]
            _push(fixed, state, scratch, channel, packet, beat)
        elif ends.beat[node] == 0:
            log.refused_clock[refused] = clock + 1
            log.refused_node[refused] = node
            refused += 1
    return refused


@cache
def compiled_run(rule: Rule) -> Any:
    """Compiled stepping loop for a routing rule, kept on disk by Numba's cache."""
    stamp = _source_stamp(rule)  # in the closure, so that it is part of the cache's key

    @njit(cache=True)
    def run(fixed, state, ends, scratch, log, until, patience):
        """Step until all is delivered, clock `until`, or `patience` clocks without a movement.

        Returns clocks stepped, beats logged, packets refused, clocks of the last standstill.
        """
        ports, vcs = fixed.neighbours.shape[1], fixed.vcs
        logged, refused, idle, clock = 0, 0, 0, stamp & 0
        while clock < until and idle < patience:
            if logged == len(log.clock) and refused == len(log.refused_clock):
                break
            drive(ends, clock)
            moves = _decide(fixed, state, ends, scratch, clock)
            waiting = _offers(fixed, state, ends, scratch)
            scratch.counts[0] = 0
            arrived = _cross(fixed, state, scratch, moves)
            before = logged
            for node in range(len(state.flits)):
                packet, beat = scratch.ejected[node]
                scratch.ejected[node, 0] = NONE
                logged = _eject(fixed, state, ends, log, logged, clock, node, packet, beat)
                waiting += state.flits[node] + (state.skid_packet[node] >= 0)
                if fixed.pipeline == 2 and state.flits[node] > 0:
                    _advance_pipeline(fixed, state, scratch, node)
            for number in range(arrived):
                into, packet, beat = scratch.arrivals[number]
                _push(fixed, state, scratch, into, packet, beat)
            refused = _enter(fixed, state, ends, scratch, log, refused, clock)
            for number in range(scratch.counts[0]):  # turns of the flits that came to a front
                channel = scratch.fronts[number]
                port, vc = (channel // vcs) % ports, channel % vcs
                lane = vc // fixed.classes
                output, vc_class = rule(
                    fixed.parameters,
                    channel // (vcs * ports),
                    port,
                    vc - lane * fixed.classes,
                    fixed.destination[state.front_packet[channel]],
                )
                state.turn[channel] = 0
                if output != 0:
                    state.turn[channel] = output * vcs + lane * fixed.classes + vc_class
            entered = scratch.enters.any()
            still = moves == 0 and logged == before and scratch.counts[0] == 0 and not entered
            idle = idle + 1 if still and waiting > 0 else 0
            clock += 1
        return clock, logged, refused, idle

    return run
