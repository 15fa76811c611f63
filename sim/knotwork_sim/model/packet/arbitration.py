# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of the arbiters (`gateware.packet.allocator`) and of the requests that they see."""

from ...compiled import NONE, lowest_bit, part, without_lowest
from ...traffic.endpoints import takes
from .branches import is_shown
from .stores import FILL


@part
def _has_room(fixed, state, stores, ends, router, out, into, clock):
    """Whether a flit could cross to an output channel of a router."""
    if into >= 0:
        return state.levels[into] < fixed.depth
    if fixed.stores > 0 and out > 0:
        return stores.phase[router, out] == FILL
    here = state.nodes[~into]
    return here.skid_packet < 0 if here.has_skid else takes(ends, ~into, clock)


@part
def _is_open(fixed, state, base, out):
    """Whether an output channel has no owner, and the buffer behind it no flit."""
    output = state.outputs[base + out]
    if output.into < 0:
        return True
    return output.owner < 0 and state.levels[output.into] == 0


@part
def _wanted(fixed, state, base, channel):
    """Output channel that a front flit requests in this cycle."""
    here = state.inputs[channel]
    if fixed.escape < 0 or here.escape < 0 or here.bound:
        return here.turn
    return here.turn if _is_open(fixed, state, base, here.turn) else here.escape


@part
def _ask(state, scratch, base, slot, out):
    """Request an output channel."""
    request, counters = scratch.requests[out], scratch.counters[0]
    if request.lowest < 0 and not request.owner_asks:
        scratch.asked[counters.asked] = out
        counters.asked += 1
    output = state.outputs[base + out]
    if slot == output.owner:
        request.owner_asks = True
        return
    if request.lowest < 0:
        request.lowest = slot
    if slot > output.last and request.above < 0:
        request.above = slot


@part
def _ask_all(fixed, state, branches, scratch, router, base):
    """Collect the requests of a router's front flits; a broadcast requests all pending branches."""
    scratch.counters[0].asked = 0
    for word in range(len(state.fronts[router])):
        left = state.fronts[router, word]
        while left != 0:
            slot = word * 64 + lowest_bit(left)
            left = without_lowest(left)
            asks = branches.pending[base + slot] if fixed.broadcast_rule != 0 else 0
            if asks == 0:
                _ask(state, scratch, base, slot, _wanted(fixed, state, base, base + slot))
            for port in range(fixed.ports if asks != 0 else 0):
                if asks >> port & 1:
                    _ask(state, scratch, base, slot, branches.out[base + slot, port])


@part
def _next(request):
    """Slot that is granted next, round robin; NONE if there is no request."""
    return request.above if request.above >= 0 else request.lowest


@part
def _grant(fixed, state, stores, branches, ends, scratch, router, base, out, clock):
    """Channel arbiter of an output channel; whether the buffer behind it has room for the flit."""
    request, output = scratch.requests[out], state.outputs[base + out]
    grant = NONE
    if output.owner >= 0:
        grant = output.owner if request.owner_asks else NONE
    elif fixed.pipeline == 1:
        grant = _next(request)
    request.grant = grant
    if grant < 0:
        return
    can_cross = _has_room(fixed, state, stores, ends, router, out, output.into, clock)
    if fixed.broadcast_rule != 0 and branches.pending[base + grant] != 0:
        shown = is_shown(fixed, state, branches, base + grant, fixed.port_of[out])
        can_cross = can_cross and shown
        if can_cross:
            branches.could[base + grant] = True
    request.can_cross = can_cross
    if fixed.escape >= 0:
        state.inputs[base + grant].turn = out
        state.inputs[base + grant].bound = True


@part
def _grant_ahead(fixed, state, scratch, base, out):
    """Choose the owner of the next cycle, with ``pipeline=2``, if this cycle leaves none.

    Round robin begins after the owner, except in the owner's first cycle.
    """
    request, output = scratch.requests[out], state.outputs[base + out]
    if request.grant >= 0:
        output.last = request.grant
    if output.owner >= 0:
        return
    grant = _next(request)
    output.owner = grant
    if fixed.escape >= 0 and grant >= 0:
        state.inputs[base + grant].turn = out
        state.inputs[base + grant].bound = True


@part
def _choose(choice, fixed, is_last, moved, last, slot, clock):
    """Offer a channel to a switch arbiter: the one that moved in the last cycle goes on."""
    if is_last and moved == clock - 1:
        distance = 0
    else:
        distance = fixed.vc_of[slot] - last
        if distance <= 0:
            distance += fixed.vcs
    if choice.slot < 0 or distance < choice.distance:
        choice.slot, choice.distance = slot, distance


@part
def _offer(fixed, state, scratch, router, out, clock):
    """Offer an output port to the flit that is granted one of its channels."""
    port = fixed.port_of[out]
    arbiter = state.ports[router * fixed.ports + port]
    is_last = fixed.vc_of[out] == arbiter.output_last
    last = arbiter.output_last
    _choose(scratch.offers[port], fixed, is_last, arbiter.output_moved, last, out, clock)


@part
def _accept(fixed, state, scratch, router, slot, clock):
    """Offer an input port to a flit in one of its channels, to which an output was offered."""
    port = fixed.port_of[slot]
    arbiter = state.ports[router * fixed.ports + port]
    is_last = fixed.vc_of[slot] == arbiter.input_last
    last = arbiter.input_last
    _choose(scratch.accepted[port], fixed, is_last, arbiter.input_moved, last, slot, clock)


@part
def _is_tail(fixed, state, branches, channel):
    """Whether the flit that a channel shows is its packet's last."""
    here = state.inputs[channel]
    if fixed.broadcast_rule != 0 and branches.pending[channel] != 0:
        return branches.at[channel] == here.length - 1
    return here.beat == here.length - 1


@part
def _move(fixed, state, branches, scratch, router, base, out, slot, clock):
    """Let the flit of a slot cross to an output channel."""
    counters, output = scratch.counters[0], state.outputs[base + out]
    is_tail = _is_tail(fixed, state, branches, base + slot)
    move = scratch.moves[counters.moves]
    move.slot, move.out = slot, out
    counters.moves += 1
    output.owner = NONE if is_tail else slot
    if fixed.pipeline == 1:
        output.last = slot
    if is_tail:
        state.inputs[base + slot].bound = False
    if fixed.vcs > 1:
        first = router * fixed.ports
        to, of = state.ports[first + fixed.port_of[out]], state.ports[first + fixed.port_of[slot]]
        to.output_last, of.input_last = fixed.vc_of[out], fixed.vc_of[slot]
        if not is_tail:
            to.output_moved = of.input_moved = clock


@part
def _crosses(fixed, scratch, out):
    """Whether the flit granted an output channel gets the output and its input."""
    request = scratch.requests[out]
    if not request.can_cross:
        return False
    if fixed.vcs == 1:
        return True
    is_offered = scratch.offers[fixed.port_of[out]].slot == out
    return is_offered and scratch.accepted[fixed.port_of[request.grant]].slot == request.grant


@part
def _switch(fixed, state, scratch, router, clock):
    """Switch arbiters: outputs offer, inputs accept one flit each."""
    for number in range(scratch.counters[0].asked):
        out = scratch.asked[number]
        if scratch.requests[out].can_cross:
            _offer(fixed, state, scratch, router, out, clock)
    for number in range(scratch.counters[0].asked):
        out = scratch.asked[number]
        request = scratch.requests[out]
        if request.can_cross and scratch.offers[fixed.port_of[out]].slot == out:
            _accept(fixed, state, scratch, router, request.grant, clock)


@part
def _clear(fixed, scratch, out):
    """Clear a request for the next router."""
    request = scratch.requests[out]
    if fixed.vcs > 1:
        scratch.offers[fixed.port_of[out]].slot = NONE
        if request.grant >= 0:
            scratch.accepted[fixed.port_of[request.grant]].slot = NONE
    request.above = request.lowest = request.grant = NONE
    request.owner_asks = request.can_cross = False


@part
def decide(fixed, state, stores, branches, ends, scratch, router, clock):
    """Choose the flits of one router that cross in this cycle."""
    base = router * fixed.ports * fixed.vcs
    scratch.counters[0].moves = 0
    _ask_all(fixed, state, branches, scratch, router, base)
    asked = scratch.counters[0].asked
    for number in range(asked):
        out = scratch.asked[number]
        _grant(fixed, state, stores, branches, ends, scratch, router, base, out, clock)
    if fixed.vcs > 1:
        _switch(fixed, state, scratch, router, clock)
    for number in range(asked):
        out = scratch.asked[number]
        grant = scratch.requests[out].grant
        if _crosses(fixed, scratch, out):
            _move(fixed, state, branches, scratch, router, base, out, grant, clock)
        elif grant >= 0 and fixed.pipeline == 1:  # granted, but it must wait
            state.outputs[base + out].owner = state.outputs[base + out].last = grant
        if fixed.pipeline == 2:
            _grant_ahead(fixed, state, scratch, base, out)
    for number in range(asked):
        _clear(fixed, scratch, scratch.asked[number])
