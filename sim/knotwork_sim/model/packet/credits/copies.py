"""Golden model of the copies of broadcasts in routers with credits.

It models `gateware.packet.copies`. Of a packet of one flit each copy leaves when it can;
the copies of a longer one leave one after another, by the output ports from the highest on. The
last copy frees the flits.
"""

from ....compiled import contains, exclude, include, part
from ..buffers import complete


@part
def _is_copied(fixed, branches, channel):
    """Whether the packet at the front of a channel has copies to send."""
    return fixed.broadcast_rule != 0 and branches.pending[channel] != 0


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
    here, port = state.inputs[channel], _port(fixed, branches, channel)
    is_last = branches.pending[channel] == 1 << port
    branches.at[channel] += 1
    if is_tail:
        branches.pending[channel] &= ~(1 << port)
        branches.at[channel] = 0
    if is_last:
        return False
    if branches.at[channel] >= complete(fixed, state, branches, channel):
        exclude(state.fronts[here.router], here.slot)
    return True


@part
def resume_copy(fixed, state, branches, channel):
    """Show the flit that came into a channel whose copy waited for it."""
    here = state.inputs[channel]
    if _is_copied(fixed, branches, channel) and not contains(state.fronts[here.router], here.slot):
        include(state.fronts[here.router], here.slot)
        include(state.busy, here.router)
