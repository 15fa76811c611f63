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
def _refill(state, branches, scratch, broadcasts, channel):
    """Bring the next flit of a buffer to the empty front."""
    first = state.first[channel]
    packet, beat = state.packet[channel, first], state.beat[channel, first]
    if broadcasts:
        branches.front_label[channel] = branches.labels[channel, first]
    state.first[channel] = first + 1 if first + 1 < state.packet.shape[1] else 0
    _set_front(state, scratch, channel, packet, beat)


@njit(inline="always")
def stays(fixed, state, branches, broadcasts, channel):
    """Whether the front is a broadcast's that stays in the buffer until all have read it."""
    if not broadcasts or not branches.holds[channel]:
        return False
    packet = state.front_packet[channel]
    return packet >= 0 and fixed.broadcast[packet]


@njit(inline="always")
def _complete(state, branches, broadcasts, channel):
    """Flits in a buffer that can be seen."""
    level = state.level[channel]
    return level - branches.open[channel] if broadcasts else level


@njit(inline="always")
def _write(fixed, state, branches, broadcasts, channel, packet, beat, label):
    """Write a flit behind the others of a buffer."""
    behind = state.level[channel]
    counts = fixed.pipeline == 1 or stays(fixed, state, branches, broadcasts, channel)
    if counts and state.front_packet[channel] >= 0:
        behind -= 1
    state.level[channel] += 1
    state.flits[channel // (fixed.vcs * fixed.neighbours.shape[1])] += 1
    place = state.first[channel] + behind
    if place >= state.packet.shape[1]:
        place -= state.packet.shape[1]
    state.packet[channel, place] = packet
    state.beat[channel, place] = beat
    if broadcasts:
        branches.labels[channel, place] = label


@njit(inline="always")
def arrive(scratch, channel, packet, beat, label):
    """Note a flit that is written into a buffer at the clock's end."""
    number = scratch.counts[1]
    scratch.arrivals[number, 0], scratch.arrivals[number, 1] = channel, packet
    scratch.arrivals[number, 2], scratch.arrivals[number, 3] = beat, label
    scratch.counts[1] += 1


@njit(inline="always")
def push(fixed, state, branches, scratch, broadcasts, channel, packet, beat, label):
    """Write a flit into a buffer."""
    if fixed.pipeline == 1 and state.level[channel] == 0:
        state.level[channel] += 1
        state.flits[channel // (fixed.vcs * fixed.neighbours.shape[1])] += 1
        if broadcasts:
            branches.front_label[channel] = label
        _set_front(state, scratch, channel, packet, beat)
        return
    _write(fixed, state, branches, broadcasts, channel, packet, beat, label)


@njit(inline="always")
def push_part(fixed, state, branches, scratch, channel, packet, beat):
    """Write a broadcast's flit into a node's buffer, where it can be seen as a whole only."""
    _write(fixed, state, branches, True, channel, packet, beat, 0)
    branches.open[channel] += 1
    if beat == fixed.length[packet] - 1:
        branches.open[channel] = 0
        if fixed.pipeline == 1 and state.front_packet[channel] < 0:
            _refill(state, branches, scratch, True, channel)


@njit(inline="always")
def cancel(fixed, state, branches, channel):
    """Forget the flits of the broadcast that is not complete."""
    state.level[channel] -= branches.open[channel]
    router = channel // (fixed.vcs * fixed.neighbours.shape[1])
    state.flits[router] -= branches.open[channel]
    branches.open[channel] = 0


@njit(inline="always")
def leave(fixed, state, branches, scratch, broadcasts, channel):
    """Take the front flit away; returns it."""
    packet, beat = state.front_packet[channel], state.front_beat[channel]
    state.front_packet[channel] = NONE
    state.flits[channel // (fixed.vcs * fixed.neighbours.shape[1])] -= 1
    if fixed.pipeline == 1:
        state.level[channel] -= 1
        if _complete(state, branches, broadcasts, channel) > 0:
            _refill(state, branches, scratch, broadcasts, channel)
    return packet, beat


@njit(inline="always")
def leave_whole(fixed, state, branches, scratch, channel):
    """Take the broadcast at the front away, all its flits."""
    length = fixed.length[state.front_packet[channel]]
    state.front_packet[channel] = NONE
    state.flits[channel // (fixed.vcs * fixed.neighbours.shape[1])] -= length
    state.level[channel] -= length
    state.first[channel] = (state.first[channel] + length - 1) % state.packet.shape[1]
    if fixed.pipeline == 1 and _complete(state, branches, True, channel) > 0:
        _refill(state, branches, scratch, True, channel)


@njit(inline="always")
def advance_pipeline(fixed, state, branches, scratch, broadcasts, router):
    """Let the registers behind the buffers of one router take the next flits."""
    slots = fixed.neighbours.shape[1] * fixed.vcs
    for channel in range(router * slots, (router + 1) * slots):
        seen = _complete(state, branches, broadcasts, channel)
        if state.front_packet[channel] < 0 and seen > 0:
            _refill(state, branches, scratch, broadcasts, channel)
            if not stays(fixed, state, branches, broadcasts, channel):
                state.level[channel] -= 1
