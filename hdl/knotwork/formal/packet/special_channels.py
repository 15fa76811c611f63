"""Input channels with an option: broadcasts that leave as copies, packets that choose a way."""

from collections.abc import Sequence
from functools import cached_property, reduce
from operator import or_

from amaranth.hdl import Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from ...gateware.layouts import label_width
from ...gateware.packet.copies import CopyBuffer, CopyPort
from ...gateware.packet.ways import WaysPort
from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...gateware.parts.crossbar import one_hot_mux
from ...network import Network, RouterKind
from ...output_ways import way_combinations
from ...routing import Turn
from ..harness import Harness
from .channels import NodePacket, PassingPacket, is_guarded
from .credit_channel import CopyQueue, CreditChannel, QueueSizes, TurnQueue
from .ports import Front, labelled


class CopyFront(Front):
    """Front of an input port whose broadcasts leave by several outputs.

    Parameters
    ----------
    harness, network, kind, port
        As of `Front`.

    Members
    -------
    exits : Signal
        Ways by which the flit may leave, a bit each.
    """

    def __init__(self, harness: Harness, network: Network, kind: RouterKind, port: int) -> None:
        super().__init__(harness, network, kind, port)
        self._kind = kind
        self._label_bits = label_width(network)
        self._is_staged = network.has_crossbar_stage
        self._port = self._find_gateware(CopyPort)
        self.exits = harness.probe(self._port.way)

    @property
    def code_bits(self) -> int:
        return len(self.output_classes)

    def turns_of(self, code: Value, turns: tuple[Turn, ...]) -> Value:
        return Cat(code[self.code_of(turn)] for turn in turns)

    def fits(self, code: Value, turns: tuple[Turn, ...]) -> Value:
        legal = [self.code_of(turn) for turn in turns]
        return ~Cat(code[n] for n in range(len(self.output_classes)) if n not in legal).any()

    def requests_vc(self, output: int, vc: int) -> Value:
        found = []
        for number, way in enumerate(self.output_classes):
            is_local = output in self._node_ports
            if way.output != output or not (is_local or way.out_class == vc % self._classes):
                continue
            lane = vc // self._classes
            lanes = [one for one in self.vcs if is_local or one // self._classes == lane]
            found += [self.exits[number] & self.is_of(one) for one in lanes]
        return Cat(found).any() if found else Const(0)

    def leaves(self, granted: Value) -> Value:
        return self.occupied & ~(self.turn & ~granted).any()

    def _label(self, output: int, *, across: bool = False) -> Value:
        if not self._label_bits or output in self._node_ports:
            return super()._label(output)
        if across or not self._is_staged:
            return self._harness.probe(self._port.labels[self.outputs.index(output)])
        # What the registers take has no name of its own.
        ways = [n for n, way in enumerate(self.output_classes) if way.output == output]
        buffer = self._harness.component(f"input_{self.name}.buffer", CopyBuffer)
        labels = [self._harness.probe(buffer.labels[n]) for n in ways]
        return one_hot_mux([self.exits[n] for n in ways], labels)

    def _turned(self, output: int) -> Value | None:
        if not (self._label_bits and is_guarded(self.flit)) or output in self._node_ports:
            return None
        return self._harness.probe(self._port.turned)[self.outputs.index(output)]

    @property
    def is_legal(self) -> Value:
        """Whether there is a turn if there is a flit, and several only of a packet's only one."""
        ways = is_one_hot_or_zero(self.exits) | (self.last & ~self.held)
        turns = [
            Cat(
                self.exits[n] for n, way in enumerate(self.output_classes) if way.output == output
            ).any()
            for output in self.outputs
        ]
        return ways & (Cat(turns) == self.turn)


class CopyChannel(CreditChannel):
    """One virtual channel of an input port, from whose queue packets may leave several times.

    Parameters
    ----------
    harness, network, kind, vc
        As of `CreditChannel`.
    front : CopyFront
        Front of its port.
    granted : Value
        Outputs of the front that are granted to it, a bit each.

    Members
    -------
    copies : CopyFront
        Front of its port.
    remaining : Value
        Turns that the first packet has yet to take, once it was shown, a bit each.
    hidden, copied : Signal
        Flits that cannot be read because their packet is not complete; flits of the first packet
        that left by a copy that is not the last.
    """

    def __init__(
        self,
        harness: Harness,
        network: Network,
        kind: RouterKind,
        vc: int,
        *,
        front: CopyFront,
        granted: Value,
    ) -> None:
        self.copies = front
        super().__init__(harness, network, kind, vc, front=front, granted=front.leaves(granted))
        self._granted = granted
        self._label_bits = label_width(network)
        place = front.vcs.index(vc)
        port = front.gateware
        assert isinstance(port, CopyPort)
        self._rest = harness.probe(port.rests.registers[place])
        self.remaining: Value = front.turns_of(self._rest, self.turns)
        self.cancel: Value = Const(0)
        if self.is_local:
            self.cancel = harness.probe(port.cancel)[place]
        self.hidden = harness.register(range(self.depth + 2), f"hidden_{self.name}")

    def _queue(self, sizes: QueueSizes) -> TurnQueue:
        front = self.front
        return CopyQueue(
            self._harness,
            front.name,
            front.vcs.index(self.vc),
            self.vc,
            sizes,
            from_node=self.is_local,
            has_twin=front.has_twin,
        )

    @property
    def fits(self) -> Value:
        """Whether only turns of the channel are left to the packet at the head."""
        return self.copies.fits(self._rest, self.turns)

    @cached_property
    def is_last_copy(self) -> Value:
        """Whether at most one way is left."""
        return self._harness.named(is_one_hot_or_zero(self._rest), f"is_last_copy_{self.name}")

    @cached_property
    def highest(self) -> Value:
        """Highest way that is left, as turns."""
        rest = self._rest
        one = Cat(rest[n] & ~rest[n + 1 :].any() for n in range(len(rest)))
        return self.copies.turns_of(self._harness.named(one, f"highest_{self.name}"), self.turns)

    @cached_property
    def leaves_again(self) -> Value:
        left = self._rest & ~self.copies.exits
        return self._harness.named(self.valid & left.any(), f"again_{self.name}")

    @cached_property
    def copied(self) -> Signal:
        gone = self._harness.register(range(self.depth + 2), f"gone_{self.name}")
        with self._harness.m.If(self.leaves & self.leaves_again):
            self._harness.m.d.sync += gone.eq(Mux(self.front.last, 0, gone + 1))
        return gone

    @property
    def frees(self) -> Value:
        return self.leaves & ~self.leaves_again

    @cached_property
    def becomes_readable(self) -> Value:
        partly = self.flit.broadcast & ~self.flit.last if self.is_local else Const(0)
        return self._harness.named(self.arrives & ~partly, f"seen_{self.name}")

    @cached_property
    def level(self) -> Signal:
        harness = self._harness
        level = harness.register(range(self.depth + 2), f"level_{self.name}")
        kept = Mux(self.cancel, level - self.hidden, level)
        comes = self.arrives & ~self.becomes_readable
        harness.m.d.sync += [
            level.eq(kept + self.arrives - self.frees),
            self.hidden.eq(Mux(self.cancel | self.becomes_readable, 0, self.hidden + comes)),
        ]
        return level

    @cached_property
    def visible(self) -> Signal:
        """Flits that can be read, or were read already by the copy."""
        return self._harness.named(
            (self.level - self.hidden)[: len(self.level)], f"visible_{self.name}"
        )

    @cached_property
    def readable(self) -> Signal:
        left = (self.visible - self.copied)[: len(self.level)]
        return self._harness.named(left, f"readable_{self.name}")

    @cached_property
    def incoming(self) -> PassingPacket:
        packet = super().incoming
        with self._harness.m.If(self.cancel):
            self._harness.m.d.sync += packet.open.eq(0)
        return packet

    @cached_property
    def is_broadcast(self) -> Signal:
        """Whether the last flit that came is a broadcast's."""
        found = self._harness.register(1, f"in_broadcast_{self.name}")
        with self._harness.m.If(self.arrives):
            self._harness.m.d.sync += found.eq(self.flit.broadcast)
        return found

    @cached_property
    def outgoing(self) -> PassingPacket:
        """Packet whose flits the queue frees, with all its turns."""
        turns = self.turn_of(self.queue.code(self.queue.word_at(self.queue.start)))
        return self._passing("out", self.frees, self.front_flit, turns)

    @cached_property
    def copy(self) -> PassingPacket:
        """Copy that leaves."""
        copy = self._passing("copy", self.leaves, self.front_flit, self.front_turn)
        opened = self._harness.register(1, f"copying_{self.name}")
        with self._harness.m.If(self.leaves):
            # The front's mark: `packets` shows that it is the flit's.
            self._harness.m.d.sync += opened.eq(~self.front.last)
        return copy._replace(open=opened)

    @cached_property
    def _copy_labels(self) -> list[Value]:
        """Labels of the copy that leaves, by turn."""
        header = self.copy.header
        flit = data.View(self._layout, Cat(Const(0, self._layout.size - len(header)), header))
        return self._gates.of(flit, "copy").labels

    @property
    def labels(self) -> Sequence[Value]:
        return self._arriving_choice.labels

    def header_by(self, header: Value, label: Value) -> Value:
        """Header of a copy that leaves with a label, as `header_of` gives it."""
        if is_guarded(self.flit):
            return header
        return Cat(label, header[self._label_bits :])

    def copies_of(self, flit: data.View) -> list[Value]:
        """By turn, a flit as it leaves by it."""
        return [labelled(flit, label) for label in self._gates.of(flit, "token").labels]

    def may_take(self, turn: Value) -> Value:
        return turn.any()

    def continues(self) -> Value:
        return super().continues() & self._cancels_rightly & self._stays_broadcast

    @property
    def _cancels_rightly(self) -> Value:
        """Whether what is dropped is a broadcast that is under way."""
        return ~self.cancel | (self.incoming.open & self.is_broadcast & ~self.offered)

    @property
    def _stays_broadcast(self) -> Value:
        """Whether all flits from a node are of a broadcast, or none: with parity too."""
        if not self.is_local:
            return Const(1)
        is_alike = self.flit.broadcast == self.is_broadcast
        return ~self.offered | ~self.incoming.open | is_alike

    def leaves_by(self, turn: Turn) -> Value:
        number = self.front.outputs.index(turn.output_port)
        return self._granted[number] & self.requests(turn)

    def departing(self, turn: Turn) -> PassingPacket:
        number, packet = self.turns.index(turn), self.copy
        takes = packet.turn[number]
        header = self.header_by(packet.header, self._copy_labels[number])
        return PassingPacket(packet.open & takes, takes, header)

    def entering(self, node: NodePacket) -> Sequence[Value]:
        packet = self.incoming
        return [
            self.cancel == node.cancels,
            ~packet.open | (self.is_broadcast == node.is_broadcast),
            ~(packet.open & node.is_broadcast) | (node.beats != 0),
            self._cancels_rightly,
            self._stays_broadcast,
            *super().entering(node),
        ]

    def _entering_header(self, node: NodePacket) -> Sequence[Value]:
        packet = self.incoming
        wide = Const(0, len(packet.header) - len(node.source) - 1 - len(node.destination))
        header = Cat(node.destination, wide, node.source, node.is_broadcast)
        return [~packet.open | (packet.header == header), self.continues()]


class WaysFront(Front):
    """Front of an input port by which packets come that have several ways.

    A code has a number of an output class for each way, where there is one other way than the
    first; otherwise it is that of a combination of ways.

    Parameters
    ----------
    harness, network, kind, port
        As of `Front`.

    Members
    -------
    combinations : tuple of tuple of OutputClass
        Ways by their codes, the first way first; empty where a code has a number for each way.
    """

    def __init__(self, harness: Harness, network: Network, kind: RouterKind, port: int) -> None:
        super().__init__(harness, network, kind, port)
        self._ways = 1 + len(network.routing.other_ways)
        self.combinations = way_combinations(network, kind, port) if self._ways > 2 else ()

    @property
    def code_bits(self) -> int:
        if self.combinations:
            return (len(self.combinations) - 1).bit_length()
        return self._ways * super().code_bits

    @property
    def has_twin(self) -> bool:
        return True

    @property
    def numbers(self) -> range:
        """Numbers of the ways of packets that have several."""
        return range(self._ways)

    @property
    def only_number(self) -> int:
        """Number of the way of packets that have one: that of their combination which is theirs."""
        return self._ways - 1 if self.combinations else 0

    def turns_of(self, code: Value, turns: tuple[Turn, ...]) -> Value:
        return Cat(self.way_of(code, number, turns) for number in self.numbers)

    def way_of(self, code: Value, number: int, turns: tuple[Turn, ...]) -> Value:
        """Way of a number that a code stands for, a bit for each of `turns`."""
        if not self.combinations:
            return super().turns_of(code.word_select(number, len(code) // self._ways), turns)
        places = [self.output_classes.index(one[number]) for one in self.combinations]
        is_code = [code == one for one in range(len(places))] if len(code) else [Const(1)]
        return Cat(
            Cat(found for found, place in zip(is_code, places, strict=True) if place == one).any()
            for one in map(self.code_of, turns)
        )


class WaysChannel(CreditChannel):
    """One virtual channel of an input port by which packets come that have several ways.

    The port requests them in turn, until one is granted to the head. Packets of some channels have
    one way all the same: those that have escaped.

    Parameters
    ----------
    harness, network, kind, vc, front, granted
        As of `CreditChannel`; the front is a `WaysFront`.
    """

    @property
    def _ways_front(self) -> WaysFront:
        assert isinstance(self.front, WaysFront)
        return self.front

    @cached_property
    def requested(self) -> Value:
        """Number of the way that the head requests, or that its packet took."""
        if self.ways == 1:
            return Const(0)
        port = self.front.gateware
        assert isinstance(port, WaysPort)
        return self._harness.probe(port.requested_ways[self.front.vcs.index(self.vc)])

    def register_claims(self) -> Sequence[Value]:
        return [*super().register_claims(), self.requested < self.ways]

    def way(self, turn: Value, number: Value) -> Value:
        """Of `turn` of an entry, the way of a number; 0 if there is none."""
        found: Value = Const(0, len(self.turns))
        for place, way in enumerate(self._ways_of(turn)):
            found = found | (way & (number == place).replicate(len(way)))
        return found

    def _ways_of(self, turn: Value) -> list[Value]:
        """Turns of each way, a bit each."""
        return [turn.word_select(number, len(self.turns)) for number in range(self.ways)]

    @cached_property
    def _combined(self) -> dict[int, int]:
        """By output classes of a combination of ways, the `turn` that it is of an entry.

        A bit for each way and output class. Without those that its packets cannot have.
        """
        front, found = self._ways_front, dict[int, int]()
        numbers = front.numbers if self.ways > 1 else [front.only_number]
        turn_to = {front.output_classes[front.code_of(turn)]: turn for turn in self.turns}
        count = len(front.output_classes)
        for one in front.combinations:
            ways = [one[number] for number in numbers]
            if turn_to.keys() >= {*ways}:
                places = [front.output_classes.index(way) for way in one]
                bits = sum(1 << number * count + place for number, place in enumerate(places))
                found[bits] = self.turn_by([turn_to[way] for way in ways])
        return found

    def may_take(self, turn: Value) -> Value:
        if self._ways_front.combinations:
            return Cat(turn == one for one in sorted({*self._combined.values()})).any()
        return Cat(way.any() & is_one_hot_or_zero(way) for way in self._ways_of(turn)).all()

    def is_stored_as(self, turn: Value, output_classes: Value) -> Value:
        if self._ways_front.combinations:
            return Cat(
                (output_classes == bits) & (turn == one) for bits, one in self._combined.items()
            ).any()
        ways = self._ways_of(turn)
        ways += ways[:1] * (len(self._ways_front.numbers) - len(ways))
        return output_classes == Cat(map(self.output_class_bits, ways))

    def any_way(self, turn: Value) -> Value:
        return reduce(or_, self._ways_of(turn))

    def chosen(self, turn: Value) -> Value:
        return self.way(turn, self.requested)

    def turn_of(self, code: Value) -> Value:
        if self.ways > 1:
            return super().turn_of(code)
        return self._ways_front.way_of(code, self._ways_front.only_number, self.turns)

    @cached_property
    def first_turn(self) -> Value:
        """`turn` of the first flit in the queue, if there is one."""
        word = self.queue.word_at(self.queue.head)
        return self._harness.named(self.turn_of(self.queue.code(word)), f"first_{self.name}")

    @cached_property
    def outgoing(self) -> PassingPacket:
        """Packet that leaves, with all its ways."""
        return self._passing("out", self.leaves, self.front_flit, self.first_turn)

    @cached_property
    def taken(self) -> PassingPacket:
        return self._passing("taken", self.leaves, self.front_flit, self.front_turn)
