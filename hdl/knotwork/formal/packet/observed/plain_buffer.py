"""Buffer of an input channel where no packet branches: its ports, its pointers, its memory."""

from functools import cached_property

from amaranth.hdl import Array, Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from ....gateware.parts.buffer import REGISTER_DEPTH
from ...harness import Harness
from .channel import InputChannel
from .entries import Entries
from .pointers import pointer_order

_READ, _WRITE = "read_pointer", "write_pointer"


class PlainBuffer:
    """First-in, first-out buffer of entries.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    channel : InputChannel
        Channel of the buffer.
    entries : Entries
        Its entries.

    Members
    -------
    offered, arrives : Signal
        An entry is offered; the buffer takes it.
    entry : View
        That entry.
    valid, leaves : Signal
        There is an entry at the head; it leaves.
    head : View
        That entry.
    """

    def __init__(self, harness: Harness, channel: InputChannel, entries: Entries) -> None:
        self._harness, self._entries = harness, entries
        self._name, self.depth = channel.name, channel.depth
        self._path = f"input_{self._name}.buffer"
        self.offered = self._inside("i_valid")
        flit = harness.inside(f"input_{self._name}.i_payload", entries.flit_layout.size)
        turn: Value = Const(1, 1)
        if entries.has_turn:
            turn = entries.turn_in(self._inside("i_payload", entries.bits))
        self.entry = entries.view(Cat(flit, turn), "entry")
        self.valid = self._inside("o_valid")
        self.head = entries.decoded(self._inside("o_payload", entries.bits))
        ready, taken = self._inside("i_ready"), self._inside("o_ready")
        self.arrives = harness.named(self.offered & ready, f"arrives_{self._name}")
        self.leaves = harness.named(self.valid & taken, f"leaves_{self._name}")

    def _inside(self, name: str, bits: int = 1) -> Signal:
        return self._harness.inside(f"{self._path}.{name}", bits)

    @cached_property
    def level(self) -> Signal:
        """Entries in the buffer, by what came and went."""
        level = self._harness.register(range(self.depth + 2), f"level_{self._name}")
        self._harness.m.d.sync += level.eq(level + self.arrives - self.leaves)
        return level

    def is_consistent(self) -> Value:
        """Whether the buffer's own state says that it holds `level` entries."""
        level, full = self.level, self._inside("full")
        right = (full == (level == self.depth)) & (self.valid == (level != 0))
        right &= level <= self.depth
        if self.depth == REGISTER_DEPTH:
            return right
        in_range = Cat(self._pointer(name) < self.depth for name in (_READ, _WRITE)).all()
        behind = Mux(level == self.depth, 0, level)
        return right & in_range & self.is_at(self._pointer(_WRITE), behind)

    @cached_property
    def holds(self) -> list[Signal]:
        """Whether each word of the memory keeps an entry, by what came and went."""
        if self.depth == REGISTER_DEPTH:
            return []
        harness = self._harness
        words = [harness.register(1, f"holds{n}_{self._name}") for n in range(self.depth)]
        for number, word in enumerate(words):
            with harness.m.If(self.arrives & (self.slot == number)):
                harness.m.d.sync += word.eq(1)
            with harness.m.Elif(self.leaves & (self._pointer(_READ) == number)):
                harness.m.d.sync += word.eq(0)
        return words

    def holds_its_flits(self) -> Value:
        """Whether the words that keep entries are those from the read pointer on."""
        right: Value = Const(1)
        for slot, holds in enumerate(self.holds):
            behind = pointer_order(self.depth).index(slot) - self._place(_READ)
            place = Mux(behind < 0, behind + self.depth, behind)
            right &= holds == (place < self.level)
        return right

    @cached_property
    def slot(self) -> Value:
        """Word that the next entry to come goes to; 0 where entries move up."""
        return Const(0) if self.depth == REGISTER_DEPTH else self._pointer(_WRITE)

    def is_at(self, slot: Value, ahead: Value) -> Value:
        """Whether the entry in a word has `ahead` entries before it."""
        if self.depth == REGISTER_DEPTH:
            return Const(1)
        place = self._place(_READ) + ahead
        wrapped = self._harness.named(
            Mux(place >= self.depth, place - self.depth, place), f"place_{self._name}"
        )
        return wrapped == self._step(slot)

    def at(self, slot: Value, ahead: Value) -> data.View:
        """Entry in a word, which has `ahead` entries before it."""
        bits = self._entries.bits
        if self.depth == REGISTER_DEPTH:
            back = self._entries.decoded(self._inside("back", bits)).as_value()
            return self._entries.view(Mux(ahead == 0, self.head.as_value(), back), "at")
        words = [self._inside(f"memory[{word}]", bits) for word in range(self.depth)]
        return self._entries.decoded(self._harness.named(Array(words)[slot], f"at_{self._name}"))

    def _pointer(self, name: str) -> Signal:
        return self._inside(name, (self.depth - 1).bit_length())

    def _place(self, name: str) -> Value:
        return self._step(self._pointer(name))

    def _step(self, pointer: Value) -> Value:
        """Steps that a pointer has gone from 0."""
        order = pointer_order(self.depth)
        bits = self.depth.bit_length()
        steps = [Const(order.index(pointer), bits) for pointer in range(self.depth)]
        return self._harness.named(Array(steps)[pointer], f"step_{self._name}")
