"""Input channel of a packet router: what its ports say, and what is inside its buffer."""

from functools import cached_property
from typing import Any, NamedTuple

from amaranth.hdl import Array, Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from ....gateware.layouts import flit_layout
from ....gateware.packet.header import carried, completed
from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....gateware.parts.buffer import REGISTER_DEPTH
from ....network import Network, RouterKind
from ....routing import Turn
from ...harness import Bench
from .gates import Gates
from .pointers import pointer_order

_READ, _WRITE = "out_of__addr", "$signature__addr"


class Packets(NamedTuple):
    """Where in a packet a stream of flits is.

    Members
    -------
    open : Value
        The last flit that passed was not its packet's last.
    turn, header : Value
        That flit's.
    """

    open: Value
    turn: Value
    header: Value


def header_of(flit: Any) -> Value:
    """What all flits of a packet share: the destination; where packets branch, all but the data."""
    if "broadcast" not in flit.shape().members:
        return Value.cast(flit.destination)
    return Cat(flit.destination, flit.source, flit.broadcast)


class Channel:
    """One virtual channel of an input port, with its buffer.

    Parameters
    ----------
    bench : Bench
        Bench of the router.
    network, kind : Network, RouterKind
        Router.
    port, vc : int
        Channel.

    Members
    -------
    name : str
        ``local_vc0``.
    turns : tuple of Turn
        Its turns, by the bits of `turn` in an entry.
    offered, arrives : Signal
        A flit is offered to the buffer; it comes in.
    entry : View
        That flit and its turn.
    valid, leaves : Signal
        A flit is at the head; it goes.
    head : View
        That flit and its turn.
    """

    def __init__(
        self, bench: Bench, network: Network, kind: RouterKind, port: int, vc: int
    ) -> None:
        self._bench = bench
        self.port, self.vc = port, vc
        self.depth: int = network.hardware.buffer_depth
        self.turns = tuple(t for t in kind.turns if (t.input_port, t.input_vc) == (port, vc))
        self.name = f"{network.topology.ports[port]}_vc{vc}"
        self._path = f"core.input_{self.name}.buffer"
        flit = flit_layout(network)
        self.layout = data.StructLayout({"flit": flit, "turn": len(self.turns)})
        self._gates = Gates(bench, network, kind, port, vc)
        places = {(turn.input_port, turn.input_vc) for turn in kind.broadcast_turns}
        self._ejects_copies = (port, vc) in places
        self.known = network.known_header(kind, port)
        self._leaving = [
            network.known_header(kind, turn.output_port, leaving=True) for turn in self.turns
        ]
        self._carried = len(carried(Signal(flit), self.known))
        self._turn_bits = len(self.turns) if len(self.turns) > 1 else 0
        self.offered = self._inside("i__valid")
        offered = bench.inside(f"core.input_{self.name}.i__payload", flit.size)
        turn: Value = Const(1, 1)
        if self._turn_bits:
            turn = self._inside("i__payload", self._carried + self._turn_bits)[self._carried :]
        self.entry: Any = self._view(Cat(offered, turn), "entry")
        self.valid = self._inside("o__valid")
        self.head: Any = self._kept("o__payload")
        ready, taken = self._inside("i__ready"), self._inside("o__ready")
        self.arrives = bench.named(self.offered & ready, f"arrives_{self.name}")
        self.leaves = bench.named(self.valid & taken, f"leaves_{self.name}")

    def _inside(self, name: str, bits: int = 1) -> Signal:
        return self._bench.inside(f"{self._path}.{name}", bits)

    def _kept(self, name: str) -> Any:
        """Entry of what the buffer keeps of it, on a wire."""
        return self._whole(self._inside(name, self._carried + self._turn_bits))

    def _whole(self, kept: Value) -> Any:
        layout: Any = Signal(self.layout["flit"].shape)
        flit = completed(layout, self.known, self._bench.port("address"), kept[: self._carried])
        turn = kept[self._carried :] if self._turn_bits else Const(1, 1)
        return self._view(Cat(flit, turn), "whole")

    def _view(self, entry: Value, name: str) -> Any:
        # On a wire of its own: a bit of an expression repeats all of it.
        return data.View(self.layout, self._bench.named(entry, f"{name}_{self.name}"))

    def is_as_known(self, entry: Any) -> Value:
        """Whether the bits of an entry's addresses are those that the routing makes known."""
        flit, address = entry.flit, self._bench.port("address")
        right = completed(flit, self.known, address) == flit.as_value()
        for taken, known in zip(entry.turn, self._leaving, strict=True):
            right &= ~taken | (completed(flit, known, address) == flit.as_value())
        return right

    def is_legal(self) -> Value:
        """Whether the routing can bring here what is offered."""
        turn, flit = self.entry.turn, self.entry.flit
        right = turn.any() & is_one_hot_or_zero(turn) & self.is_as_known(self.entry)
        if self._turn_bits == 0 and self._gates.alone:
            right &= self._gates.of(flit, "offered").turns.any() | self._is_copy
        return right if self._ejects_copies else right & ~self._is_copy

    def continues(self) -> Value:
        """Whether what is offered goes on with its packet, or begins one."""
        packet, entry = self.incoming, self.entry
        alike = (packet.turn == entry.turn) & (packet.header == header_of(entry.flit))
        return ~self.offered | ~packet.open | alike

    @property
    def _is_copy(self) -> Value:
        flit = self.entry.flit
        return flit.broadcast if "broadcast" in flit.shape().members else Const(0)

    def asks(self, turn: Turn) -> Value:
        """Whether the flit at the head takes this turn."""
        return self.valid & self.head.turn[self.turns.index(turn)]

    def goes(self, turn: Turn) -> Value:
        """Whether it does so in this clock."""
        return self.leaves & self.head.turn[self.turns.index(turn)]

    def flit_by(self, turn: Turn) -> Any:
        """Flit that leaves by this turn."""
        del turn
        return self.head.flit

    def going(self, turn: Turn) -> Packets:
        """Packet on its way out by this turn."""
        packet = self.outgoing
        takes = packet.turn[self.turns.index(turn)]
        return Packets(packet.open & takes, takes, packet.header)

    def claim_packets(self, bench: Any) -> None:
        """Claim that a packet on its way out has one turn."""
        packet = self.outgoing
        bench.claim(~packet.open | (packet.turn.any() & is_one_hot_or_zero(packet.turn)))

    @cached_property
    def level(self) -> Signal:
        """Flits inside, by what came and went."""
        level = self._bench.register(range(self.depth + 2), f"level_{self.name}")
        self._bench.m.d.sync += level.eq(level + self.arrives - self.leaves)
        return level

    @cached_property
    def incoming(self) -> Packets:
        """Packets as they come."""
        return self._packets("in", self.arrives, self.entry)

    @cached_property
    def outgoing(self) -> Packets:
        """Packets as they go."""
        return self._packets("out", self.leaves, self.head)

    def _packets(self, name: str, passes: Value, entry: Any) -> Packets:
        bench = self._bench
        found = Packets(
            bench.register(1, f"{name}_open_{self.name}"),
            bench.register(len(self.turns), f"{name}_turn_{self.name}"),
            bench.register(len(header_of(entry.flit)), f"{name}_header_{self.name}"),
        )
        with bench.m.If(passes):
            bench.m.d.sync += [
                found.open.eq(~entry.flit.last),
                found.turn.eq(entry.turn),
                found.header.eq(header_of(entry.flit)),
            ]
        return found

    def is_consistent(self) -> Value:
        """Whether the buffer's own state says that it holds `level` flits."""
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
        """Whether each word of the memory keeps a flit, by what came and went."""
        if self.depth == REGISTER_DEPTH:
            return []
        bench = self._bench
        words = [bench.register(1, f"holds{n}_{self.name}") for n in range(self.depth)]
        for number, word in enumerate(words):
            with bench.m.If(self.arrives & (self.slot == number)):
                bench.m.d.sync += word.eq(1)
            with bench.m.Elif(self.leaves & (self._pointer(_READ) == number)):
                bench.m.d.sync += word.eq(0)
        return words

    def holds_its_flits(self) -> Value:
        """Whether the words that keep flits are those from the read pointer on."""
        right: Value = Const(1)
        for slot, holds in enumerate(self.holds):
            behind = pointer_order(self.depth).index(slot) - self._place(_READ)
            place = Mux(behind < 0, behind + self.depth, behind)
            right &= holds == (place < self.level)
        return right

    @cached_property
    def slot(self) -> Value:
        """Place that the next flit to come goes to; 0 where they move up."""
        return Const(0) if self.depth == REGISTER_DEPTH else self._pointer(_WRITE)

    def is_at(self, slot: Value, ahead: Value) -> Value:
        """Whether a flit in a place has so many before it."""
        if self.depth == REGISTER_DEPTH:
            return Const(1)
        place = self._place(_READ) + ahead
        wrapped = self._bench.named(
            Mux(place >= self.depth, place - self.depth, place), f"place_{self.name}"
        )
        return wrapped == self._step(slot)

    def at(self, slot: Value, ahead: Value) -> Any:
        """Entry in a place, which has so many before it."""
        if self.depth == REGISTER_DEPTH:
            back = self._kept("back").as_value()
            return self._view(Mux(ahead == 0, self.head.as_value(), back), "at")
        bits = self._carried + self._turn_bits
        words = [self._inside(f"memory[{word}]", bits) for word in range(self.depth)]
        return self._whole(self._bench.named(Array(words)[slot], f"at_{self.name}"))

    def _pointer(self, name: str) -> Signal:
        return self._inside(name, (self.depth - 1).bit_length())

    def _place(self, name: str) -> Value:
        return self._step(self._pointer(name))

    def _step(self, pointer: Value) -> Value:
        """Steps that a pointer has gone from 0."""
        order = pointer_order(self.depth)
        bits = self.depth.bit_length()
        steps = [Const(order.index(pointer), bits) for pointer in range(self.depth)]
        return self._bench.named(Array(steps)[pointer], f"step_{self.name}")
