"""Order in which a switch serves headers that come in one cycle."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Signal, Value


def scanned(requests: Value, start: Value) -> list[tuple[Value, list[Value]]]:
    """Requests in the order of service, each with the inputs that it may come from.

    Entry s is the request at scan distance s from input `start`, and its input, one-hot.
    """
    count = len(requests)
    entries = []
    for distance in range(count):
        at = [start == (number - distance) % count for number in range(count)]
        inputs = [requests[number] & at[number] for number in range(count)]
        entries.append((Cat(inputs).any(), inputs))
    return entries


def count_ones(m: Module, bits: Sequence[Value], name: str) -> Signal:
    """Number of ones, as a signal of this name."""
    total = Signal(range(len(bits) + 1), name=name)
    m.d.comb += total.eq(sum(bits, start=Const(0)))
    return total
