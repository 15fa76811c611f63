# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of the arbiters: `gateware.parts.allocator`, and who asks them."""

from numba import njit

from .branches import is_shown
from .state import NONE
from .stores import FILL


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
def _ask_all(fixed, state, branches, scratch, escapes, broadcasts, router):
    """What the front flits of one router ask for; broadcasts for all branches that are left."""
    ports, vcs = fixed.neighbours.shape[1], fixed.vcs
    base = router * ports * vcs
    for slot in range(ports * vcs):
        channel = base + slot
        if state.front_packet[channel] < 0:
            continue
        asks = branches.pending[channel] if broadcasts else 0
        for port in range(ports if asks else 1):
            if asks == 0:
                out = _wanted(fixed, state, escapes, router, channel)
            elif asks >> port & 1:
                out = branches.out[channel, port]
            else:
                continue
            _ask(state, scratch, base, slot, out)


@njit(inline="always")
def _grant_channels(
    fixed, state, stores, branches, ends, scratch, escapes, multicasts, broadcasts, router
):
    """Channel arbiters of one router, and which granted flits have room behind their output."""
    slots = fixed.neighbours.shape[1] * fixed.vcs
    base = router * slots
    _ask_all(fixed, state, branches, scratch, escapes, broadcasts, router)
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
                shown = is_shown(fixed, state, branches, base + grant, out // fixed.vcs)
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
def _offer(fixed, state, scratch, clock, router):
    """Offer each output of one router to a granted flit that can cross."""
    ports, vcs = fixed.neighbours.shape[1], fixed.vcs
    for port in range(ports):
        place = router * ports + port
        vc = state.output_last[place]
        if state.output_moved[place] != clock - 1 or not scratch.can_cross[port * vcs + vc]:
            vc = _next_after(scratch.can_cross, port * vcs, vcs, vc)
        scratch.port_out[port] = port * vcs + vc if vc >= 0 else NONE
        if vc >= 0:
            slot = scratch.grant[port * vcs + vc]
            scratch.offered[slot] = True
            scratch.offer[slot] = port * vcs + vc


@njit(inline="always")
def _accept(fixed, state, branches, scratch, escapes, broadcasts, clock, router, count):
    """Let each input of one router accept an offer, a broadcast all it got; counts the moves."""
    ports, vcs = fixed.neighbours.shape[1], fixed.vcs
    base = router * ports * vcs
    for port in range(ports):
        place = router * ports + port
        vc = state.input_last[place]
        if state.input_moved[place] != clock - 1 or not scratch.offered[port * vcs + vc]:
            vc = _next_after(scratch.offered, port * vcs, vcs, vc)
        if vc < 0:
            continue
        slot = port * vcs + vc
        state.input_last[place] = vc
        is_branching = broadcasts and branches.pending[base + slot]
        beat = branches.at[base + slot] if is_branching else state.front_beat[base + slot]
        is_tail = beat == fixed.length[state.front_packet[base + slot]] - 1
        if escapes and is_tail:
            state.bound[base + slot] = False
        if not is_tail:
            state.input_moved[place] = clock
        first, end = 0, ports
        if not is_branching:
            first = scratch.offer[slot] // vcs
            end = first + 1
        for output in range(first, end):
            out = scratch.port_out[output]
            if out >= 0 and scratch.grant[out] == slot:
                _move(fixed, state, scratch, clock, router, count, slot, out, is_tail)
                count += 1
    return count


@njit(inline="always")
def _switch(fixed, state, branches, scratch, escapes, broadcasts, clock, router, count):
    """Offers of the outputs, acceptances of the inputs: moves of one router."""
    slots = fixed.neighbours.shape[1] * fixed.vcs
    base = router * slots
    _offer(fixed, state, scratch, clock, router)
    count = _accept(fixed, state, branches, scratch, escapes, broadcasts, clock, router, count)
    for out in range(slots):
        if scratch.asked[out] and scratch.grant[out] >= 0:  # granted, but kept waiting
            state.owner[base + out] = scratch.grant[out]
            state.held[base + out] = True
        scratch.grant[out] = NONE
        scratch.asked[out] = False
        scratch.can_cross[out] = False
        scratch.offered[out] = False
    return count


@njit(inline="always")
def decide(fixed, state, stores, branches, ends, scratch, escapes, multicasts, broadcasts, clock):
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
