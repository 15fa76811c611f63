# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of the input buffers, and of the copies of broadcasts that are read from them.

Of a packet of one flit each copy leaves when it can; the copies of a longer one leave one after
another, by the output ports from the highest on. The last copy frees the flits.
"""

from typing import NamedTuple

import numpy as np
from knotwork.network import Network
from knotwork.parameters import PacketParameters
from knotwork.routing.compiled.calls import call_broadcast_rule
from numpy.typing import DTypeLike

from ...compiled import NONE, exclude, include, part
from .state import has_broadcasts


@part
def _set_front(fixed, state, scratch, channel, packet, beat):
    """Put a flit at the front, where it requests its turn; a head's is found later."""
    front, counters = state.inputs[channel], scratch.counters[0]
    front.packet, front.beat = packet, beat
    include(state.fronts, channel)
    counters.steps += 1
    if beat == 0:
        front.length = fixed.headers[packet].length
        scratch.heads[counters.heads] = channel
        counters.heads += 1


@part
def _refill(fixed, state, branches, scratch, channel):
    """Move the next flit of a buffer to the empty front."""
    here = state.inputs[channel]
    flit = state.flits[channel, here.first]
    if has_broadcasts(fixed):
        branches.front_label[channel] = branches.labels[channel, here.first]
    here.first = here.first + 1 if here.first + 1 < fixed.depth else 0
    _set_front(fixed, state, scratch, channel, flit.packet, flit.beat)


@part
def complete(fixed, state, branches, channel):
    """Flits of a buffer that can be read, at the start of the cycle."""
    level = state.levels[channel]
    if has_broadcasts(fixed):
        level -= branches.open[channel]
    return level


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
    if has_broadcasts(fixed):
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
        if has_broadcasts(fixed):
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
    if beat == fixed.headers[packet].length - 1:
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
    """Remove the front flit, and move the next one to the front at once, if one follows.

    The level of the buffer is that of before; what calls this subtracts the flit.
    """
    scratch.counters[0].flits -= 1
    if complete(fixed, state, branches, channel) > 1:
        _refill(fixed, state, branches, scratch, channel)
        return
    state.inputs[channel].packet = NONE
    exclude(state.fronts, channel)


class Branches(NamedTuple):
    """Broadcasts at the fronts of input channels; arrays of length 0 in a network without them.

    The number of a branch is its output port.

    Members
    -------
    pending : ndarray
        Bit mask of the copies that have not left whole, int64; 0 without a broadcast.
    out : ndarray
        Output channel of each branch, int32 (channels, ports).
    label : ndarray
        Label with which each copy leaves, int64 (channels, ports).
    at : ndarray
        Flit of the packet that the channel shows, or waits for, int32.
    front_label, labels : ndarray
        Labels of the front flits, and of the flits behind them (channels, depth), int64.
    open : ndarray
        Flits in each buffer of a broadcast whose tail has not come, int32.
    holds : ndarray
        Whether broadcasts stay in the buffer of the channel until all branches have read them,
        bool.
    """

    pending: np.ndarray
    out: np.ndarray
    label: np.ndarray
    at: np.ndarray
    front_label: np.ndarray
    labels: np.ndarray
    open: np.ndarray
    holds: np.ndarray


def make_branches(network: Network) -> Branches:
    """Make the state of broadcasts, as after reset."""
    routers, ports = network.topology.neighbours.shape
    vcs, depth = network.virtual_channels, PacketParameters.of(network.hardware).buffer_depth
    has = network.has_broadcast
    channels = routers * ports * vcs if has else 0
    holds = np.zeros((routers, ports, vcs), np.bool_)
    for number, kind in enumerate(network.router_kinds if has else ()):
        for turn in kind.broadcast_turns:
            is_branching = kind.branches(turn.input_port, turn.input_vc) != ()
            here = network.router_number == number
            holds[here, turn.input_port, turn.input_vc] = is_branching

    def full(value: int, kind: DTypeLike, *size: int) -> np.ndarray:
        return np.full((channels, *size), value, kind)

    return Branches(
        pending=full(0, np.int64),
        out=full(0, np.int32, ports),
        label=full(0, np.int64, ports),
        at=full(0, np.int32),
        front_label=full(0, np.int64),
        labels=full(0, np.int64, depth),
        open=full(0, np.int32),
        holds=holds.ravel(),
    )


@part
def _gets(fixed, here, port):
    """Whether the node at a local port gets a copy of the broadcast at a channel's front.

    All nodes of its class of traffic do, but for its source.
    """
    share = fixed.local_ports // fixed.traffic_classes
    is_of_class = port // share == fixed.vc_of[here.slot] // fixed.share
    is_sent = port != fixed.port_of[here.slot]
    return is_of_class and is_sent and fixed.local_nodes[here.router, port] >= 0


@part
def ejected_to(fixed, state, channel):
    """Local port of the only node that gets the broadcast at a channel's front."""
    port = 0
    while not _gets(fixed, state.inputs[channel], port):
        port += 1
    return port


@part
def start_branches(fixed, state, branches, channel):
    """Find the branches of the broadcast that came to the front of a channel."""
    here, vcs = state.inputs[channel], fixed.vcs
    port, vc = fixed.port_of[here.slot], fixed.vc_of[here.slot]
    first_vc = vc // fixed.classes * fixed.classes
    source, label = fixed.packets[here.packet].source, branches.front_label[channel]
    pending = 0
    for output in range(fixed.local_ports):
        if _gets(fixed, here, output):
            pending |= 1 << output
            branches.out[channel, output] = here.base + output * vcs
    for output in range(fixed.local_ports, fixed.ports):
        if state.outputs[here.base + output * vcs].into < 0:
            continue
        sent, out_class = call_broadcast_rule(
            fixed.broadcast_rule,
            fixed.parameters,
            here.router,
            port,
            vc - first_vc,
            label,
            source,
            output,
        )
        if sent >= 0:
            pending |= 1 << output
            branches.out[channel, output] = here.base + output * vcs + first_vc + out_class
            branches.label[channel, output] = sent
    branches.pending[channel] = pending
    branches.at[channel] = 0


@part
def _is_copied(fixed, branches, channel):
    """Whether the packet at the front of a channel has copies to send."""
    return has_broadcasts(fixed) and branches.pending[channel] != 0


@part
def copies_at_once(fixed, state, branches, channel):
    """Whether the copies of a front flit leave each when it can."""
    return _is_copied(fixed, branches, channel) and state.inputs[channel].length == 1


@part
def _port(fixed, branches, channel):
    """Output port of the copy that leaves."""
    port = fixed.ports - 1
    while not branches.pending[channel] >> port & 1:
        port -= 1
    return port


@part
def way_out(fixed, state, branches, channel):
    """Output channel of a front flit that leaves by one."""
    if not _is_copied(fixed, branches, channel):
        return state.inputs[channel].turn
    return branches.out[channel, _port(fixed, branches, channel)]


@part
def beat_of(fixed, state, branches, channel):
    """Number of a front flit in its packet."""
    is_copied = _is_copied(fixed, branches, channel)
    return branches.at[channel] if is_copied else state.inputs[channel].beat


@part
def label_of(fixed, branches, channel, port):
    """Label with which a flit leaves by an output port."""
    return branches.label[channel, port] if _is_copied(fixed, branches, channel) else 0


@part
def finish_copy(fixed, state, branches, channel, port):
    """Note that a copy of a front flit leaves by a port; returns whether the flit is done with."""
    if not copies_at_once(fixed, state, branches, channel):
        return True
    branches.pending[channel] &= ~(1 << port)
    return branches.pending[channel] == 0


@part
def leave_copy(fixed, state, branches, channel, is_tail):
    """Go on behind a front flit that leaves; returns whether its packet is copied again.

    If so the flit stays in the buffer, and if the next one has not come, the channel shows none.
    """
    if not _is_copied(fixed, branches, channel):
        return False
    port = _port(fixed, branches, channel)
    is_last = branches.pending[channel] == 1 << port
    branches.at[channel] += 1
    if is_tail:
        branches.pending[channel] &= ~(1 << port)
        branches.at[channel] = 0
    if is_last:
        return False
    if branches.at[channel] >= complete(fixed, state, branches, channel):
        exclude(state.fronts, channel)
    return True


@part
def resume_copy(fixed, state, branches, channel):
    """Show the flit that came into a channel whose copy waited for it."""
    if _is_copied(fixed, branches, channel):
        include(state.fronts, channel)
