"""Golden model of the channels where packets branch: `gateware.parts.branching_channel`."""

from numba import njit

from .buffers import leave_whole
from .state import NONE


@njit(inline="always")
def start_branches(fixed, state, branches, rule, channel):
    """Find the branches of the broadcast that came to a channel's front."""
    ports, vcs = fixed.neighbours.shape[1], fixed.vcs
    router, port, vc = channel // (vcs * ports), (channel // vcs) % ports, channel % vcs
    lane = vc // fixed.classes
    vc_class, first_vc = vc - lane * fixed.classes, lane * fixed.classes
    source, label = fixed.source[state.front_packet[channel]], branches.front_label[channel]
    pending = 0
    if port != 0:
        pending, branches.out[channel, 0], branches.position[channel, 0] = 1, 0, 0
    for output in range(1, ports):
        if fixed.neighbours[router, output] < 0:
            continue
        sent, out_class = rule(fixed.parameters, router, port, vc_class, label, source, output)
        if sent >= 0:
            pending |= 1 << output
            branches.out[channel, output] = output * vcs + first_vc + out_class
            branches.label[channel, output] = sent
            branches.position[channel, output] = 0
    branches.pending[channel] = pending
    branches.at[channel], branches.shows[channel] = 0, True
    branches.cursor[channel] = ports - 1


@njit(inline="always")
def is_shown(fixed, state, branches, channel, port):
    """Whether the flit shown is the next one of a branch."""
    at = branches.at[channel]
    shows = at < state.level[channel] if fixed.pipeline == 1 else branches.shows[channel]
    return shows and branches.position[channel, port] == at


@njit(inline="always")
def _elsewhere(fixed, branches, channel):
    """Next branch, round robin, that reads elsewhere than at the flit shown; NONE for none."""
    ports = fixed.neighbours.shape[1]
    for step in range(1, ports + 1):
        port = (branches.cursor[channel] + step) % ports
        is_pending = branches.pending[channel] >> port & 1
        if is_pending and branches.position[channel, port] != branches.at[channel]:
            return port
    return NONE


@njit(inline="always")
def _step(fixed, state, branches, scratch, channel):
    """One clock of a channel with a broadcast at its front."""
    at, moved = branches.at[channel], branches.moved[channel]
    could = branches.could[channel]
    branches.moved[channel], branches.could[channel] = 0, False
    is_tail = at == fixed.length[state.front_packet[channel]] - 1
    if moved and is_tail:
        branches.pending[channel] &= ~moved
        if branches.pending[channel] == 0:
            leave_whole(fixed, state, branches, scratch, channel)
            return
    elif moved:
        for port in range(fixed.neighbours.shape[1]):
            if moved >> port & 1:
                branches.position[channel, port] = at + 1
        branches.at[channel] = at + 1
        branches.shows[channel] = at + 1 < state.level[channel]
        return
    elif fixed.pipeline == 2 and not branches.shows[channel] and at < state.level[channel]:
        branches.shows[channel] = True
        return
    elif could:
        return
    target = _elsewhere(fixed, branches, channel)
    if target >= 0:
        branches.at[channel] = branches.position[channel, target]
        branches.cursor[channel] = target
        branches.shows[channel] = False


@njit(inline="always")
def step_branches(fixed, state, branches, scratch, router):
    """One clock of the broadcasts in one router."""
    slots = fixed.neighbours.shape[1] * fixed.vcs
    for channel in range(router * slots, (router + 1) * slots):
        if branches.pending[channel]:
            _step(fixed, state, branches, scratch, channel)
