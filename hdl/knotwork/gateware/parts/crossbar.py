"""Crossbar: one multiplexer per output, over the inputs that can turn to it."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Value, ValueLike


def one_hot_mux(select: Sequence[Value], inputs: Sequence[ValueLike]) -> Value:
    """AND-OR multiplexer; a single input passes through.

    Parameters
    ----------
    select : sequence of 1-bit values
        At most one is 1. Ignored where there is one input.
    inputs : sequence of values
        Payloads of one width.
    """
    values = [Value.cast(payload) for payload in inputs]
    if len(values) == 1:
        return values[0]
    result: Value = Const(0, len(values[0]))
    for chosen, value in zip(select, values, strict=True):
        result = result | (value & chosen.replicate(len(value)))
    return result


def index_of(one_hot: Value) -> Value:
    """Number of the bit that is set."""
    numbers = range(len(one_hot))
    bits = range((len(one_hot) - 1).bit_length())
    return Cat(Cat(one_hot[n] for n in numbers if n >> bit & 1).any() for bit in bits)
