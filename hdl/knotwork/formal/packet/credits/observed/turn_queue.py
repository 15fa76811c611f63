"""Queue of the turns of an input channel's flits, and the flits themselves in the port's RAM."""

from functools import cached_property
from typing import NamedTuple

from amaranth.hdl import Array, Cat, Const, Mux, Signal, Value

from ....harness import Harness
from ...observed.pointers import pointer_order


class QueueSizes(NamedTuple):
    """Sizes of an input channel's queue.

    Members
    -------
    depth : int
        Flits that it holds.
    bits, flit_bits : int
        Bits of a turn's code, and of a word of the RAM of flits.
    mark_at : int or None
        Place in a flit of the mark of a tail, where that word is without it.
    copies : int
        How often an entry is stored: once, or three times, and the majority counts, bit by bit.
    """

    depth: int
    bits: int
    flit_bits: int
    mark_at: int | None
    copies: int


class TurnQueue:
    """Queue of one input channel.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    port : str
        Name of its input port.
    place, vc : int
        Place among the port's channels, and virtual channel.
    sizes : QueueSizes
        Its sizes.
    has_twin : bool
        A second RAM holds its entries too.

    Members
    -------
    path : str
        Its path in the module.
    head, into : Signal
        Pointers to its first flit, and to where the next one goes.
    start, end : Signal
        Pointers to the first flit that it keeps, and behind the last one that it can show: `head`
        and `into`, unless flits are read again, or shown only once their packet is complete.
    some, more, full : Signal
        What it says itself of its level: at least 1, at least 2, `depth`.
    words, twins, flits : list of Value
        By pointer, the entries, each a turn's code and the mark of a tail; the same in the RAM
        that is read for other channels, the entries themselves where there are none; and the flits,
        with the mark of their entry where their own RAM is without it.
    """

    def __init__(
        self,
        harness: Harness,
        port: str,
        place: int,
        vc: int,
        sizes: QueueSizes,
        *,
        has_twin: bool,
    ) -> None:
        self._harness, self._has_twin = harness, has_twin
        self.depth, self._bits, self._flit_bits, self._mark_at, self._copies = sizes
        self.name = f"{port}_vc{vc}"
        self.path, self._buffer = f"input_{port}.buffer.queue_vc{vc}", f"input_{port}.buffer"
        pointer = (self.depth - 1).bit_length()
        self._base = place << pointer
        self.head, self.into = self._inside("head", pointer), self._inside("into", pointer)
        self.end, self.start = self.into, self.head
        self.some, self.more, self.full = map(self._inside, ("some", "more", "full"))

    def _inside(self, name: str, bits: int = 1) -> Signal:
        return self._harness.inside(f"{self.path}.{name}", bits)

    @cached_property
    def words(self) -> list[Signal]:
        return self._entries("turns")

    @cached_property
    def twins(self) -> list[Signal]:
        return self._entries("turns_twin") if self._has_twin else self.words

    def _entries(self, ram: str) -> list[Signal]:
        """Entries in one of the RAMs of turns, by pointer."""
        words = self._stored(ram, self._copies * (self._bits + 1))
        return [
            self._harness.named(self._entry(word), f"{ram}{slot}_{self.name}")
            for slot, word in enumerate(words)
        ]

    def _entry(self, word: Value) -> Value:
        """Entry that a word of the RAM encodes."""
        if self._copies == 1:
            return word
        one, two, three = (word.word_select(copy, self._bits + 1) for copy in range(3))
        return (one & two) | (one & three) | (two & three)

    @cached_property
    def flits(self) -> list[Value]:
        words, at = self._stored("ram", self._flit_bits), self._mark_at
        if at is None:
            return list[Value](words)
        marks = map(self.last, self.words)
        return [Cat(word[:at], mark, word[at:]) for word, mark in zip(words, marks, strict=True)]

    def _stored(self, ram: str, bits: int) -> list[Signal]:
        """Words of one of the port's RAMs, by pointer."""
        places = range(self._base, self._base + self.depth)
        return [self._harness.inside(f"{self._buffer}.{ram}[{n}]", bits) for n in places]

    def next(self, slot: int) -> int:
        """Pointer behind another."""
        order = pointer_order(self.depth)
        return order[(order.index(slot) + 1) % self.depth]

    @cached_property
    def ahead(self) -> list[Signal]:
        """By pointer, how many places the first flit is before it."""
        order, head = pointer_order(self.depth), self._step(self.start)
        bits = (self.depth - 1).bit_length()
        found = []
        for slot in range(self.depth):
            behind = order.index(slot) - head
            place = Mux(behind < 0, behind + self.depth, behind)[:bits]
            found.append(self._harness.named(place, f"ahead{slot}_{self.name}"))
        return found

    def is_at(self, pointer: Value, ahead: Value) -> Value:
        """Whether a pointer is as many places behind the first flit."""
        place = self._step(self.start) + ahead
        wrapped = self._harness.named(
            Mux(place >= self.depth, place - self.depth, place), f"place_{self.name}"
        )
        return wrapped == self._step(pointer)

    def code(self, word: Value) -> Value:
        """Code of the turn in an entry."""
        return word[: self._bits]

    def last(self, word: Value) -> Value:
        """Mark of a tail in an entry."""
        return word[self._bits]

    def word_at(self, pointer: Value) -> Value:
        """Entry at a pointer."""
        return self._harness.named(Array(self.words)[pointer], f"word_{self.name}")

    def flit_at(self, pointer: Value) -> Value:
        """Word of the RAM at a pointer."""
        return self._harness.named(Array(self.flits)[pointer], f"flit_{self.name}")

    def _step(self, pointer: Value) -> Value:
        """Steps that a pointer has gone from 0."""
        order = pointer_order(self.depth)
        steps = [
            Const(order.index(min(one, self.depth - 1)), self.depth.bit_length())
            for one in range(1 << len(pointer))
        ]
        return self._harness.named(Array(steps)[pointer], f"step_{self.name}")

    def in_range(self) -> Value:
        """Whether its pointers are places of the queue."""
        pointers = (self.head, self.into, self.start, self.end)
        return Cat(pointer < self.depth for pointer in pointers).all()


class CopyQueue(TurnQueue):
    """Queue whose packets may be read several times.

    Parameters
    ----------
    from_node : bool
        Its broadcasts come from a node.
    harness, port, place, vc, sizes, has_twin
        As of `TurnQueue`.
    """

    def __init__(
        self,
        harness: Harness,
        port: str,
        place: int,
        vc: int,
        sizes: QueueSizes,
        *,
        from_node: bool,
        has_twin: bool,
    ) -> None:
        super().__init__(harness, port, place, vc, sizes, has_twin=has_twin)
        self.start = self._inside("base", len(self.head))
        self.end = self._inside("committed", len(self.head)) if from_node else self.into
