# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of the input buffers."""

from ...compiled import NONE, exclude, include, part


@part
def _set_front(fixed, state, scratch, channel, packet, beat):
    """Put a flit at the front, where it requests its turn; a head's is found later."""
    front, counters = state.inputs[channel], scratch.counters[0]
    front.packet, front.beat = packet, beat
    include(state.fronts[front.router], front.slot)
    include(state.busy, front.router)
    counters.steps += 1
    if beat == 0:
        front.length = fixed.packets[packet].length
        scratch.heads[counters.heads] = channel
        counters.heads += 1


@part
def _refill(fixed, state, branches, scratch, channel):
    """Move the next flit of a buffer to the empty front."""
    here = state.inputs[channel]
    flit = state.flits[channel, here.first]
    if fixed.broadcast_rule != 0:
        branches.front_label[channel] = branches.labels[channel, here.first]
    here.first = here.first + 1 if here.first + 1 < fixed.depth else 0
    _set_front(fixed, state, scratch, channel, flit.packet, flit.beat)


@part
def complete(fixed, state, branches, channel):
    """Flits of a buffer that can be read, at the start of the cycle."""
    level = state.levels[channel]
    if fixed.broadcast_rule != 0:
        level -= branches.open[channel]
    return level


@part
def settle_departures(state, scratch):
    """Subtract the flits that have left the buffers in this cycle."""
    for number in range(scratch.counters[0].departures):
        state.levels[scratch.departures[number]] -= 1


@part
def _write(fixed, state, branches, scratch, channel, packet, beat, label):
    """Write a flit behind the others in a buffer."""
    here = state.inputs[channel]
    behind = state.levels[channel]
    if here.packet >= 0:
        behind -= 1
    state.levels[channel] += 1
    place = here.first + behind
    if place >= fixed.depth:
        place -= fixed.depth
    flit = state.flits[channel, place]
    flit.packet, flit.beat = packet, beat
    if fixed.broadcast_rule != 0:
        branches.labels[channel, place] = label


@part
def arrive(scratch, channel, packet, beat, label):
    """Note a flit that is written into a buffer at the end of the cycle."""
    arrival = scratch.arrivals[scratch.counters[0].arrivals]
    arrival.channel, arrival.packet = channel, packet
    arrival.beat, arrival.label = beat, label
    scratch.counters[0].arrivals += 1


@part
def push(fixed, state, branches, scratch, channel, packet, beat, label):
    """Write a flit into a buffer."""
    scratch.counters[0].flits += 1
    if state.levels[channel] == 0:
        state.levels[channel] = 1
        if fixed.broadcast_rule != 0:
            branches.front_label[channel] = label
        _set_front(fixed, state, scratch, channel, packet, beat)
        return
    _write(fixed, state, branches, scratch, channel, packet, beat, label)


@part
def push_part(fixed, state, branches, scratch, channel, packet, beat):
    """Write a flit of a broadcast into a node's buffer; it can be read only with its tail there."""
    scratch.counters[0].flits += 1
    _write(fixed, state, branches, scratch, channel, packet, beat, 0)
    branches.open[channel] += 1
    if beat == fixed.packets[packet].length - 1:
        branches.open[channel] = 0
        if state.inputs[channel].packet < 0:
            _refill(fixed, state, branches, scratch, channel)


@part
def cancel(state, branches, scratch, channel):
    """Drop the flits of the broadcast whose tail has not come."""
    state.levels[channel] -= branches.open[channel]
    scratch.counters[0].flits -= branches.open[channel]
    branches.open[channel] = 0


@part
def leave(fixed, state, branches, scratch, channel):
    """Remove the front flit, and move the next one to the front at once, if one follows."""
    here, counters = state.inputs[channel], scratch.counters[0]
    here.packet = NONE
    counters.flits -= 1
    exclude(state.fronts[here.router], here.slot)
    if complete(fixed, state, branches, channel) > 1:
        _refill(fixed, state, branches, scratch, channel)
    scratch.departures[counters.departures] = channel
    counters.departures += 1
