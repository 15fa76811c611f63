# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of the allocator of routers with credits, and of the inputs' fronts.

Each input shows one flit, its front. It is eligible if there is space for it and its output channel
is its packet's or nobody's. Each output grants the eligible input that is first in its order.
"""

from ...compiled import NONE, contains, lowest_bit, part, without_lowest
from .buffers import leave
from .copies import beat_of, copies_at_once, leave_copy, way_out
from .registers import show
from .stores import FILL


@part
def _node_takes(fixed, state, stores, node, out):
    """Whether a node's interface has space for what crosses to it.

    A store has if it will still be filling in the next cycle, and the gate register can be left.
    """
    here, vc = state.nodes[node], fixed.vc_of[out]
    if fixed.stores == 0 or vc == 0:
        return here.skid_packet < 0
    if here.ejected_packet >= 0:
        if here.ejected_class == 0:
            if here.skid_packet >= 0:
                return False
        elif here.ejected_class == vc:
            last = fixed.packets[here.ejected_packet].length - 1
            if here.ejected_beat == last:
                return False
    return stores.phase[node, vc] == FILL


@part
def _opens(fixed, state, registers, channel, out):
    """Whether a front may go to a link's channel that has a credit: a head needs an empty buffer.

    That is so where packets can escape, but for the escape class.
    """
    if fixed.escape < 0 or state.inputs[channel].beat > 0:
        return True
    vc_class = fixed.vc_of[out % (fixed.ports * fixed.vcs)] % fixed.classes
    return vc_class == fixed.escape or registers.credits[out] == registers.capacity[out]


@part
def _is_eligible(fixed, state, stores, registers, branches, base, slot, out):
    """Whether a front can cross: there is space, and its output channel is its own or free."""
    output = state.outputs[base + out]
    if output.into < 0:
        if not _node_takes(fixed, state, stores, ~output.into, out):
            return False
    elif registers.credits[base + out] == 0 or not _opens(
        fixed, state, registers, base + slot, base + out
    ):
        return False
    return beat_of(fixed, state, branches, base + slot) > 0 or output.owner < 0


@part
def _request(fixed, registers, scratch, router, slot, out):
    """Request an output for an eligible front; the first in the output's order is granted."""
    group, counters = fixed.group_of[out], scratch.counters[0]
    winner = registers.winners[group]
    if winner < 0:
        scratch.requested[counters.requested] = group
        counters.requested += 1
        registers.winners[group], registers.wanted[group] = slot, out
        return
    places = registers.places[router * fixed.ports * fixed.traffic_classes + group]
    if places[fixed.port_of[slot]] < places[fixed.port_of[winner]]:
        registers.winners[group], registers.wanted[group] = slot, out


@part
def _ask(fixed, state, stores, registers, branches, scratch, router, base, slot):
    """Request the outputs that a front can cross to; returns whether there is one."""
    if not copies_at_once(fixed, state, branches, base + slot):
        out = way_out(fixed, state, branches, base + slot)
        if not _is_eligible(fixed, state, stores, registers, branches, base, slot, out):
            return False
        _request(fixed, registers, scratch, router, slot, out)
        return True
    found = False
    for port in range(fixed.ports):
        if branches.pending[base + slot] >> port & 1:
            out = branches.out[base + slot, port]
            if _is_eligible(fixed, state, stores, registers, branches, base, slot, out):
                _request(fixed, registers, scratch, router, slot, out)
                found = True
    return found


@part
def _is_shared(fixed, group):
    """Whether an output's link is that of all classes of traffic; nodes have one for each class."""
    return fixed.traffic_classes > 1 and group >= fixed.local_ports * fixed.traffic_classes


@part
def _has_link(fixed, registers, router, group):
    """Whether no other class of traffic that asks for the same link goes first.

    The highest one does; with weights, the highest of those that have something left in this round,
    if there are any.
    """
    if not _is_shared(fixed, group):
        return True
    first = group // fixed.traffic_classes * fixed.traffic_classes
    highest = with_rest = NONE
    for other in range(first, first + fixed.traffic_classes):
        if registers.winners[other] < 0:
            continue
        highest = other
        if (
            len(registers.left) > 0
            and registers.left[router * fixed.ports * fixed.traffic_classes + other] > 0
        ):
            with_rest = other
    return group == (highest if with_rest < 0 else with_rest)


@part
def _spend(fixed, registers, router, group):
    """Count a flit of a class of traffic that has its link; a new round begins where it must."""
    if len(registers.left) == 0 or not _is_shared(fixed, group):
        return
    number = group % fixed.traffic_classes
    first = router * fixed.ports * fixed.traffic_classes + group - number
    if registers.left[first + number] == 0:  # so has no class that asks anything left
        for other in range(fixed.traffic_classes):
            registers.left[first + other] = registers.weights[other]
    registers.left[first + number] -= 1


@part
def decide(fixed, state, stores, registers, branches, scratch, router):
    """Choose the flits of one router that cross in this cycle; note the fronts that cannot."""
    base = router * fixed.ports * fixed.vcs
    counters, counts = scratch.counters[0], registers.counts[0]
    counters.requested = counters.moves = counts.blocked = 0
    for word in range(len(registers.shown[router])):
        left = registers.shown[router, word]
        while left != 0:
            slot = word * 64 + lowest_bit(left)
            left = without_lowest(left)
            if not _ask(fixed, state, stores, registers, branches, scratch, router, base, slot):
                registers.blocked[counts.blocked] = slot
                counts.blocked += 1
    for number in range(counters.requested):
        group = scratch.requested[number]
        if not _has_link(fixed, registers, router, group):
            continue
        move = scratch.moves[counters.moves]
        move.slot, move.out = registers.winners[group], registers.wanted[group]
        counters.moves += 1
    for number in range(counters.moves):
        _spend(fixed, registers, router, fixed.group_of[scratch.moves[number].out])
    for number in range(counters.requested):
        registers.winners[scratch.requested[number]] = NONE


@part
def reorder(fixed, registers, router, out, slot, is_tail):
    """Move a granted input to the end of its output's order after a tail, else to its front."""
    places = registers.places[router * fixed.ports * fixed.traffic_classes + fixed.group_of[out]]
    port = fixed.port_of[slot]
    place = places[port]
    if is_tail:
        for other in range(fixed.ports):
            places[other] -= places[other] > place
        places[port] = fixed.ports - 1
    elif place > 0:
        for other in range(fixed.ports):
            places[other] += places[other] < place
        places[port] = 0


@part
def _other_channel(fixed, state, router, slot):
    """First virtual channel of the same group after a slot's that holds a flit; NONE for none."""
    vc = fixed.vc_of[slot]
    first, end = slot - vc, vc - vc % fixed.share + fixed.share
    for step in range(1, fixed.share):
        other = vc + step if vc + step < end else vc + step - fixed.share
        if contains(state.fronts[router], first + other):
            return other
    return NONE


@part
def leave_front(fixed, state, registers, branches, scratch, router, slot, is_tail):
    """Remove a granted flit, and choose the next front among the flits that were there."""
    channel = router * fixed.ports * fixed.vcs + slot
    if leave_copy(fixed, state, branches, channel, is_tail):
        follows = contains(state.fronts[router], slot)
    else:
        leave(fixed, state, branches, scratch, channel)
        follows = state.inputs[channel].packet >= 0
    if follows and not is_tail:
        return
    other = _other_channel(fixed, state, router, slot)
    if other >= 0 or not follows:
        show(fixed, registers, router, fixed.group_of[slot], other)


@part
def _change_way(fixed, here):
    """Let a head that could not move ask for its other way when it is shown again."""
    if fixed.escape >= 0 and here.beat == 0 and here.escape >= 0:
        here.turn, here.escape = here.escape, here.turn


@part
def pass_blocked(fixed, state, registers, router):
    """Show another channel of each input whose front was not eligible, if one holds a flit."""
    for number in range(registers.counts[0].blocked):
        slot = registers.blocked[number]
        _change_way(fixed, state.inputs[router * fixed.ports * fixed.vcs + slot])
        other = _other_channel(fixed, state, router, slot)
        if other >= 0:
            show(fixed, registers, router, fixed.group_of[slot], other)
