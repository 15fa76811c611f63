"""Proofs of the buffers along a tree's links: they lose, repeat and change nothing."""

from collections.abc import Callable
from functools import partial

from amaranth.hdl import Cat, Mux, Value

from ...gateware.collectives.messages import flit_layout
from ...gateware.parts.buffer import REGISTER_DEPTH, Buffer, SkidBuffer
from ...routing.collectives import MessageFormat
from ..component import ComponentHarness, ComponentProofs
from ..property import Property


class BufferHarness(ComponentHarness):
    """Harness of a buffer, and the queue that it must be.

    Members
    -------
    count : Value
        Flits that it must have.
    row : list of Value
        Those flits, the oldest first.
    """

    def __init__(self, buffer: Buffer | SkidBuffer, depth: int) -> None:
        super().__init__(buffer)
        self.buffer, self.depth = buffer, depth
        self.i, self.o = self.stream("i"), self.stream("o")
        self.assume_stream("i")
        self.count = self.register(range(depth + 2), "count")
        bits = len(Value.cast(self.i.payload))
        self.row = [self.register(bits, f"flit_{place}") for place in range(depth)]
        came = Value.cast(self.i.payload)
        kept = Cat(self.i.moves, self.o.moves)
        # A flit that passes in the cycle in which it comes is never in the row.
        after = [*self.row[1:], self.row[-1]]
        for place, flit in enumerate(self.row):
            moved = Mux(kept[1], after[place], flit)
            is_last = self.count - kept[1] == place
            self.m.d.sync += flit.eq(Mux(kept[0] & is_last, came, moved))
        self.m.d.sync += self.count.eq(self.count + kept[0] - kept[1])


def _claim_queue(harness: BufferHarness) -> None:
    buffer, count, i, o = harness.buffer, harness.count, harness.i, harness.o
    harness.claim(count <= harness.depth)
    harness.claim(i.ready == (count != harness.depth))
    shown = Value.cast(o.payload)
    if isinstance(buffer, SkidBuffer):
        harness.claim((count == 0) | (o.valid & (shown == harness.row[0])))
        passes = (count == 0) & o.valid
        harness.claim(~passes | (i.valid & (shown == Value.cast(i.payload))))
        harness.claim((count != 0) | (o.valid == i.valid))
        harness.claim((count == 0) | (Value.cast(harness.port("kept")) == harness.row[0]))
        harness.claim(harness.port("full") == (count != 0))
    else:
        harness.claim(o.valid == (count != 0))
        harness.claim(~o.valid | (shown == harness.row[0]))
        back = harness.probe(Value.cast(buffer.back))
        harness.claim((count != REGISTER_DEPTH) | (back == harness.row[1]))
        harness.claim(harness.probe(buffer.full) == (count == REGISTER_DEPTH))
    harness.claim_stream("o")
    harness.cover(count == harness.depth)
    harness.cover(i.moves & o.moves)


def _property(passes: str) -> Property:
    return Property(
        name="queue",
        text=f"flits leave as they came, in order, once each, {passes}; there is room for every "
        "flit that is taken",
        claim=_claim_queue,
    )


def _proofs(make: Callable[[], Buffer | SkidBuffer], depth: int, text: str) -> ComponentProofs:
    return ComponentProofs(make, lambda: BufferHarness(make(), depth), [_property(text)])


def buffer_proofs(form: MessageFormat) -> ComponentProofs:
    """Proofs of `Buffer` as it stands on links, with room for two flits."""
    make = partial(Buffer, flit_layout(form), depth=REGISTER_DEPTH)
    return _proofs(make, REGISTER_DEPTH, "a cycle later at the earliest")


def skid_proofs(form: MessageFormat) -> ComponentProofs:
    """Proofs of `SkidBuffer`."""
    return _proofs(partial(SkidBuffer, flit_layout(form)), 1, "in the same cycle if they can")
