"""Crossbar: one multiplexer per output, over the inputs that can turn to it.

`one_hot_mux` takes its selects as they are. `steered_mux` is smaller, but has select lines of its
own, which should be registers: synthesis takes logic before them apart, and the gain is lost.
"""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Mux, Value, ValueLike


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


def is_smaller_steered(inputs: int) -> bool:
    """Whether `steered_mux` takes fewer LUT4s than `one_hot_mux`.

    With five inputs it takes as many; with more than six, synthesis makes a long chain shorter, and
    larger.
    """
    return inputs in {4, 6}


def steering(select: Value) -> Value:
    """Select lines of `steered_mux`: two for its first two inputs, one for each further pair.

    Parameters
    ----------
    select : Value
        One-hot, a bit per input; lines for 0 select nothing.
    """
    count = len(select)
    # With a later pair the first two lines tell which of it: neither the first, both the second.
    second = Cat(select[place] for place in range(3, count, 2)).any()
    pairs = (select[place : place + 2].any() for place in range(2, count, 2))
    return Cat(select[0] | second, select[1] | second, *pairs)


def steered_mux(lines: Value, inputs: Sequence[ValueLike]) -> Value:
    """Multiplexer with one LUT4 per bit and two inputs; 0 where none is selected.

    Each LUT4 takes what the one before gives, two inputs, and a select line. The first two lines
    select one of the first two inputs, or make all LUT4s up to the selected pair give 0 or 1: by
    that, the LUT4 of the pair chooses between its two.

    Parameters
    ----------
    lines : Value
        `steering` of one-hot selects.
    inputs : sequence of values
        Payloads of one width, at least 2.
    """
    values = [Value.cast(payload) for payload in inputs]
    first, second, *later = lines
    bits = [
        Mux(first, second | one, second & other)
        for one, other in zip(values[0], values[1], strict=True)
    ]
    for number, line in enumerate(later, 1):
        pair = values[2 * number : 2 * number + 2]
        one, other = pair if len(pair) > 1 else pair * 2
        bits = [
            Mux(line, Mux(bit, other[place], one[place]), bit) for place, bit in enumerate(bits)
        ]
    return Cat(bits)
