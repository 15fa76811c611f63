# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of the input buffers: `gateware.parts.input_channel`."""

from numba import njit

from .state import NONE


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
def push(fixed, state, scratch, channel, packet, beat):
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
def leave(fixed, state, scratch, channel):
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
def advance_pipeline(fixed, state, scratch, router):
    """Let the registers behind the buffers of one router take the next flits."""
    slots = fixed.neighbours.shape[1] * fixed.vcs
    for channel in range(router * slots, (router + 1) * slots):
        if state.front_packet[channel] < 0 and state.level[channel] > 0:
            state.level[channel] -= 1
            _refill(state, scratch, channel)
