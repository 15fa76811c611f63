"""Wires within parts of Amaranth's library, by the names that they have in its source.

Amaranth keeps these signals to itself, so no type checker knows them: here, and nowhere else,
proofs name wires by text.
"""

from typing import NamedTuple

from amaranth.hdl import Signal, Value
from amaranth.lib.cdc import AsyncFFSynchronizer, FFSynchronizer
from amaranth.lib.fifo import AsyncFIFO, SyncFIFO
from knotwork.formal.harness import Harness

Synchronizer = FFSynchronizer | AsyncFFSynchronizer


def synchronizer_stages(harness: Harness, part: Synchronizer, count: int = 2) -> list[Signal]:
    """Registers of a synchroniser, the one next to its input first."""
    return _stages(harness, harness.gateware.place(part), len(Value.cast(part.i)), count)


def _stages(harness: Harness, place: str, bits: int, count: int = 2) -> list[Signal]:
    return [harness.inside(f"{place}.stage{number}", bits) for number in range(count)]


def _words(harness: Harness, place: str, depth: int, bits: int) -> list[Signal]:
    return [harness.inside(f"{place}.storage[{number}]", bits) for number in range(depth)]


class Queue(NamedTuple):
    """Wires of a `SyncFIFO`.

    Members
    -------
    level : Signal
        Entries in it.
    consume, produce : Signal
        Places of the word that leaves next, and of that which comes next.
    """

    level: Signal
    consume: Signal
    produce: Signal


def queue(harness: Harness, fifo: SyncFIFO) -> Queue:
    """Wires of a queue at one clock."""
    place, bits = harness.gateware.place(fifo), (fifo.depth - 1).bit_length()
    consume, produce = (harness.inside(f"{place}.{one}", bits) for one in ("consume", "produce"))
    return Queue(harness.inside(f"{place}.level", fifo.depth.bit_length()), consume, produce)


def queue_words(harness: Harness, fifo: SyncFIFO | AsyncFIFO) -> list[Signal]:
    """All words of a queue; its memory becomes registers for the solver."""
    return _words(harness, harness.gateware.place(fifo), fifo.depth, fifo.width)


class ClockedPointer(NamedTuple):
    """Pointer of an `AsyncFIFO`: as a number, in Gray code, and as the other clock knows it.

    Members
    -------
    binary, gray : Signal
        Registers at its own clock.
    stages : list of Signal
        Gray code at the other clock, the newer first.
    """

    binary: Signal
    gray: Signal
    stages: list[Signal]


class CrossingQueue(NamedTuple):
    """Wires of an `AsyncFIFO`.

    Members
    -------
    produce, consume : ClockedPointer
        Words that came, and those that left, modulo twice the depth.
    reset : list of Signal
        Reset of the writing side, as the reading side knows it.
    """

    produce: ClockedPointer
    consume: ClockedPointer
    reset: list[Signal]


def crossing_queue(harness: Harness, fifo: AsyncFIFO) -> CrossingQueue:
    """Wires of a queue between two clocks."""
    place, bits = harness.gateware.place(fifo), fifo.depth.bit_length()

    def pointer(name: str, side: str) -> ClockedPointer:
        return ClockedPointer(
            harness.inside(f"{place}.{name}_{side}_bin", bits),
            harness.inside(f"{place}.{name}_cdc.{name}_{side}_gry", bits),
            _stages(harness, f"{place}.{name}_cdc", bits),
        )

    reset = _stages(harness, f"{place}.rst_cdc", 1)
    return CrossingQueue(pointer("produce", "w"), pointer("consume", "r"), reset)
