"""Input channel of a router that counts credits: its queue, its flits, and parity."""

from collections.abc import Sequence
from functools import cache, cached_property
from typing import NamedTuple, TypeVar

from amaranth.hdl import Array, Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from ...gateware.component import Component
from ...gateware.layouts import flit_layout
from ...gateware.packet.copies import CopyQueue as CopyQueueGateware
from ...gateware.packet.input_buffer import InputBuffer
from ...gateware.packet.input_buffer import TurnQueue as TurnQueueGateware
from ...gateware.packet.inputs import completed, known_port_bits, separate_fields, stored_layout
from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...gateware.router_class import node_suffix
from ...network import Network, RouterKind
from ...routing import Turn
from ...routing.walks.headers import HeaderBits
from ...untyped import Interface
from ..harness import Harness
from .channels import (
    Choice,
    Gates,
    InputChannel,
    NodePacket,
    PassingPacket,
    has_broken_header,
    pointer_order,
    voted_last,
)
from .ports import Front

Queue = TypeVar("Queue", bound=TurnQueueGateware)


class QueueSizes(NamedTuple):
    """Sizes of an input channel's queue.

    Members
    -------
    depth : int
        Flits that it holds.
    bits, flit_bits : int
        Bits of a turn's code, and of a word of the RAM of flits.
    tail_mark_bit : int or None
        Place in a flit of the mark of a tail, where that word is without it.
    copies : int
        How often an entry is stored: once, or three times, and the majority counts, bit by bit.
    """

    depth: int
    bits: int
    flit_bits: int
    tail_mark_bit: int | None
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
    gateware : TurnQueue
        Queue in the router's gateware.
    head, into : Signal
        Pointers to its first flit, and to where the next one goes.
    start, end : Signal
        Pointers to the first flit that it keeps, and behind the last one that it can show: `head`
        and `into`, unless flits are read again, or shown only once their packet is complete.
    nonempty, at_least_two, full : Signal
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
        self.depth, self._bits, self._flit_bits, self._tail_mark_bit, self._copies = sizes
        self.name = f"{port}_vc{vc}"
        self._buffer = harness.component(f"input_{port}.buffer", InputBuffer)
        self.gateware = self._find_gateware(TurnQueueGateware)
        self._base = place << (self.depth - 1).bit_length()
        self.head, self.into = map(harness.probe, (self.gateware.head, self.gateware.into))
        self.end, self.start = self.into, self.head
        levels = (self.gateware.nonempty, self.gateware.at_least_two, self.gateware.full)
        self.nonempty, self.at_least_two, self.full = map(harness.probe, levels)

    def _find_gateware(self, kind: type[Queue]) -> Queue:
        """Queue in the router's gateware."""
        port, _, vc = self.name.rpartition("_")
        return self._harness.component(f"input_{port}.buffer.queue_{vc}", kind)

    @cached_property
    def words(self) -> list[Signal]:
        return self._entries("turns", self._buffer.stored_entries[0])

    @cached_property
    def twins(self) -> list[Signal]:
        return (
            self._entries("twin", self._buffer.stored_entries[1]) if self._has_twin else self.words
        )

    def _entries(self, name: str, read: Value) -> list[Signal]:
        """Entries in the RAM of turns that is read so, by pointer."""
        words = self._stored(read)
        return [
            self._harness.named(self._entry(word), f"{name}{slot}_{self.name}")
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
        words, at = self._stored(self._buffer.stored_flit), self._tail_mark_bit
        if at is None:
            return list[Value](words)
        marks = map(self.last, self.words)
        return [Cat(word[:at], mark, word[at:]) for word, mark in zip(words, marks, strict=True)]

    def _stored(self, read: Value) -> list[Signal]:
        """Words of the RAM of the port that is read so, by pointer."""
        return self._harness.probe_words(read, range(self._base, self._base + self.depth))

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
        gateware = self._find_gateware(CopyQueueGateware)
        self.start = harness.probe(gateware.base)
        self.end = harness.probe(gateware.end) if from_node else self.into


class CreditChannel(InputChannel):
    """One virtual channel of an input port: its queue, and what came and left.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind, vc
        As of `InputChannel`.
    front : Front
        Front of its port.
    granted : Signal
        The flit at the front leaves.

    Members
    -------
    front : Front
        Front of its port.
    queue : TurnQueue
        Its queue.
    """

    def __init__(
        self,
        harness: Harness,
        network: Network,
        kind: RouterKind,
        vc: int,
        *,
        front: Front,
        granted: Value,
    ) -> None:
        super().__init__(harness, network, kind, front.port, vc)
        self._link = network.topology.ports[front.port]
        self.front, self._kind = front, kind
        self._gates = Gates(harness, network, kind, self)
        self.ways = self._gates.ways
        self._layout = flit_layout(network)
        self._known = known_port_bits(network, kind, self.port)
        leaving = [network.known_header(kind, t.output_port, leaving=True) for t in self.turns]
        self._leaving = leaving
        self._copied = [turn in kind.broadcast_turns for turn in self.turns]
        if not network.has_broadcast:
            self._copied = []
        place = front.vcs.index(vc)
        stored = stored_layout(self._layout, self._known)
        apart = separate_fields(network, stored)
        tail_mark_bit = self._layout["last"].offset if apart else None
        self.queue = self._queue(
            QueueSizes(
                self.depth,
                front.code_bits,
                stored.size - len(apart),
                tail_mark_bit,
                copies=3 if network.has_parity else 1,
            )
        )
        self.arrives = harness.named(
            harness.probe(front.gateware.arrives)[place],
            f"arrives_{self.name}",
        )
        self.offered = self.arrives
        if self.is_local:
            path = f"node_interface{node_suffix(network, front.port)}"
            self._interface: Interface = harness.component(path, Component)
            shown = harness.probe(self._interface.o.valid)
            self.offered = harness.named(shown[vc], f"offered_{self.name}")
        self.valid = harness.named(front.occupied & front.is_of(vc), f"valid_{self.name}")
        self._leaves = harness.named(granted & front.is_of(vc), f"leaves_{self.name}")

    def register_claims(self) -> Sequence[Value]:
        """What must hold of registers of the port that are its own, beside its queue."""
        return ()

    def any_way(self, turn: Value) -> Value:
        """Turns by any way of an entry, a bit each."""
        return turn

    def chosen(self, turn: Value) -> Value:
        """Of `turn` of the first flit, that by which it is to leave, a bit each."""
        return turn

    @cached_property
    def taken(self) -> PassingPacket:
        """Packet that leaves, with the turn that it takes."""
        return self.outgoing

    def departing(self, turn: Turn) -> PassingPacket:
        packet = self.taken
        takes = packet.turn[self.turns.index(turn)]
        return PassingPacket(packet.open & takes, takes, packet.header)

    @property
    def frees(self) -> Value:
        """Whether the flit that leaves is freed."""
        return self.leaves

    @cached_property
    def becomes_readable(self) -> Value:
        """Whether a flit can be read that could not before."""
        return self.arrives

    @cached_property
    def readable(self) -> Value:
        """Flits from the one that is read next to the last one that can be read."""
        return self.level

    @cached_property
    def copied(self) -> Value:
        """Flits that stay in the queue though a copy of them has left."""
        return Const(0)

    @cached_property
    def leaves_again(self) -> Value:
        """Whether the packet that is shown leaves again behind this copy."""
        return Const(0)

    @cached_property
    def level(self) -> Signal:
        """Flits in the queue, by what came and left."""
        level = self._harness.register(range(self.depth + 2), f"level_{self.name}")
        self._harness.m.d.sync += level.eq(level + self.arrives - self.leaves)
        return level

    @cached_property
    def outstanding(self) -> Signal:
        """Flits that the sender has sent beyond the credits that it was given."""
        owed = self._harness.register(range(self.depth + 2), f"owed_{self.name}")
        self._harness.m.d.sync += owed.eq(owed + self.arrives - self.credit)
        return owed

    @property
    def credit(self) -> Value:
        """A credit is on its way to the sender."""
        return self._harness.port(f"{self._link}_i_credit")[self.vc]

    def _queue(self, sizes: QueueSizes) -> TurnQueue:
        front, vc = self.front, self.vc
        place = front.vcs.index(vc)
        has_twin = front.has_twin
        return TurnQueue(self._harness, front.name, place, vc, sizes, has_twin=has_twin)

    @cached_property
    def flit(self) -> data.View:
        """Flit that arrives."""
        if not self.is_local and self._known != HeaderBits():  # it is stored without what is known
            return data.View(self._layout, self._harness.port(f"{self._link}_i_flit"))
        flit = self._interface.o.flit if self.is_local else self.front.gateware.i
        return self._harness.probe_view(flit)

    def is_received(self, sent: data.View) -> Value:
        """Whether the flit that arrives is the one on the link."""
        return self.flit.as_value() == sent.as_value()

    def turns_by(self, header: Value) -> Value:
        """Turns of flits with a header, a bit each."""
        given = Signal(self._layout, name=f"by_header_{self.name}")
        self._harness.m.d.comb += given.destination.eq(header)
        return self._gates.of(given, "by_header").turns

    @property
    def entry(self) -> data.View:
        return self._arriving

    @cached_property
    def _arriving(self) -> data.View:
        turn = self._arriving_choice.turns
        layout = data.StructLayout({"flit": self._layout, "turn": len(turn)})
        both = Cat(self.flit.as_value(), turn)
        return data.View(layout, self._harness.named(both, f"entry_{self.name}"))

    @cached_property
    def _arriving_choice(self) -> Choice:
        return self._gates.of(self.flit, "arriving")

    @property
    def front_flit(self) -> data.View:
        return self.front.flit

    @property
    def leaves(self) -> Signal:
        return self._leaves

    def is_legal(self) -> Value:
        turn = self.entry.turn
        return self.may_take(turn) & self.header_matches(self.entry.flit, self.any_way(turn))

    def header_matches(self, flit: data.View, turn: Value) -> Value:
        """Whether the bits of a flit's addresses are those that the routing makes known.

        By turns that it takes, a bit each; and whether a broadcast takes only turns of broadcasts,
        and another packet one.
        """
        address = self._harness.port("address")
        right = completed(flit, self._known, address) == flit.as_value()
        if self._copied:
            alone = [bit for bit, copied in zip(turn, self._copied, strict=True) if not copied]
            return right & Mux(flit.broadcast, ~Cat(alone).any(), is_one_hot_or_zero(turn))
        for taken, known in zip(turn, self._leaving, strict=True):
            right &= ~taken | (completed(flit, known, address) == flit.as_value())
        return right

    def is_stored_as(self, turn: Value, output_classes: Value) -> Value:
        """Whether these bits, one for each way and output class, stand for `turn` of an entry."""
        return output_classes == self.output_class_bits(turn)

    def output_class_bits(self, turns: Value) -> Value:
        """Output classes of turns, a bit each."""
        found: list[Value] = [Const(0)] * len(self.front.output_classes)
        for bit, turn in zip(turns, self.turns, strict=True):
            found[self.front.code_of(turn)] = bit
        return Cat(found)

    @property
    def front_turn(self) -> Signal:
        """Turn of the flit at the front, a bit each, if it is this channel's."""
        return self._front_turn

    @cached_property
    def _front_turn(self) -> Signal:
        turns = Cat(self.front.offers(self.vc, turn) for turn in self.turns)
        return self._harness.named(turns, f"shown_turn_{self.name}")

    def turn_of(self, code: Value) -> Value:
        """`turn` of a code in the queue; not one that `may_take` if no flit here has it."""
        return self.front.turns_of(code, self.turns)

    def complete_flit(self, word: Value, name: str) -> data.View:
        """Flit that a word of the RAM encodes."""
        address = self._harness.port("address")
        flit = completed(Signal(self._layout), self._known, address, word)
        return data.View(self._layout, self._harness.named(flit, f"{name}_{self.name}"))


Channel = TypeVar("Channel", bound=CreditChannel)


class GuardedChannel(CreditChannel):
    """One virtual channel of an input port, whose packets stay whole whatever bit is wrong.

    All flits of a packet take the turns of its first, whatever their headers are. A first flit
    whose header is broken is ejected, and its packet with it; at a router without nodes it takes a
    turn of its router. It is the first of the bases of what `guarded` makes.

    Parameters
    ----------
    harness, network, kind, vc, front, granted
        As of `CreditChannel`.
    """

    @cached_property
    def flit(self) -> data.View:
        """Flit that arrives, with the mark of a tail that its three marks make."""
        return self._harness.probe_view(self.front.gateware.i)

    def is_received(self, sent: data.View) -> Value:
        fields = [name for name in sent.shape().members if name not in {"last", "wrong"}]
        alike = [self.flit[name] == sent[name] for name in fields]
        return Cat(*alike, self.flit.last == voted_last(sent), ~self.flit.wrong).all()

    @property
    def is_routed(self) -> Value:
        return ~self.incoming.open & ~has_broken_header(self.flit)

    def header_matches(self, flit: data.View, turn: Value) -> Value:
        # Of what nodes send no bit is wrong yet.
        return super().header_matches(flit, turn) if self.is_local else Const(1)

    def register_claims(self) -> Sequence[Value]:
        packet, buffer = self.incoming, f"input_{self.front.name}.buffer"
        guard = self._harness.component(buffer, InputBuffer).guard
        assert guard is not None
        inside = self._harness.probe(guard.in_packet[self.vc])
        first = self._harness.probe(guard.first_outputs[self.vc])
        is_first = self.is_stored_as(packet.turn, first) & self.may_take(packet.turn)
        return [
            *super().register_claims(),
            inside == packet.open,
            ~packet.open | is_first,
        ]

    @cached_property
    def _turn(self) -> Signal:
        """Turns of the flit that arrives, a bit each."""
        return Signal(self.ways * len(self.turns), name=f"arriving_turn_{self.name}")

    @property
    def _arrival(self) -> tuple[data.View, Value]:
        return self.flit, self._turn

    @cached_property
    def _arriving_choice(self) -> Choice:
        found = super()._arriving_choice
        ejects = self._kind.error_turn(self.port, self.vc)
        first: Value = found.turns
        if ejects is not None:
            broken = self.turn_by([ejects])
            first = Mux(has_broken_header(self.flit), broken, found.turns)
        turn = Mux(self.incoming.open, self.incoming.turn, first)
        self._harness.m.d.comb += self._turn.eq(turn)
        return found._replace(turns=self._turn)

    def _entering_header(self, node: NodePacket) -> Sequence[Value]:
        del node
        return ()


@cache
def guarded(channel: type[Channel]) -> type[Channel]:
    """The same channel in a router with parity."""
    bases = (GuardedChannel,) if channel is CreditChannel else (GuardedChannel, channel)
    return type(f"Guarded{channel.__name__}", bases, {})
