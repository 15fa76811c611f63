"""What the source of a packet, or a router, draws: `routing.draws` in gates."""

from amaranth.hdl import Array, Const, Module, Signal, Value

from ...routing import Routing
from ...routing.draws import ADDRESS_BITS, SHIFTS, STATE_BITS, first_state
from ..component import explain


def state_after(state: Value) -> Value:
    """State behind another one: `routing.draws.next_state`."""
    after = state
    for shift, is_left in zip(SHIFTS, (True, False, True), strict=True):
        after = after ^ (after << shift if is_left else after >> shift)[:STATE_BITS]
    return after


def number_of(state: Value, draws: int) -> Value:
    """Number that a state stands for, 0..draws - 1: `routing.draws.drawn`."""
    bits = [bit for bit in range(draws.bit_length()) if draws >> bit & 1]
    return sum((state << bit for bit in bits), Const(0, 1))[STATE_BITS:]


def draw(m: Module, routing: Routing, address: Value, steps: Value) -> tuple[Signal, Value]:
    """Generator of a node, and what the header of a packet has of the number that is drawn.

    Parameters
    ----------
    m : Module
        Module that has the generator.
    routing : Routing
        Says between how many numbers to draw; where there is one, nothing is added.
    address : Value
        The node's.
    steps : Value
        A packet ends in this cycle: the next one draws anew.
    """
    if routing.draws == 1:
        return Signal(0), Const(0, 0)
    kept, state = Signal(STATE_BITS, name="generator"), Signal(STATE_BITS, name="state")
    explain(kept, "The state XORed with its first one: so it begins as 0 at every node.")
    address = address[:ADDRESS_BITS]
    width = len(address)
    first = address.replicate(-(-STATE_BITS // width))[:STATE_BITS] ^ first_state(0, width)
    m.d.comb += state.eq(kept ^ first)
    with m.If(steps):
        m.d.sync += kept.eq(state_after(state) ^ first)
    number = number_of(state, routing.draws)
    codes = routing.draw_codes.tolist()
    if codes == list(range(len(codes))):
        return kept, number[: routing.draw_width]
    return kept, Array(Const(code, routing.draw_width) for code in codes)[number]
