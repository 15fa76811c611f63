"""Plain router under proof (`gateware.packet.plain`): its inputs, outputs and environment."""

from functools import cached_property

from amaranth.hdl import Array, Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from ...gateware.layouts import eject_layout, flit_layout
from ...gateware.packet.inputs import carried, completed
from ...gateware.packet.plain import PacketArbiter, PlainInput
from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...gateware.parts.buffer import REGISTER_DEPTH, Buffer
from ...network import Network, RouterKind
from ...untyped import View
from ..harness import Harness
from .channels import Gates, InputChannel, pointer_order
from .router_harness import LENGTH_BITS, RouterHarness

_WRITE, _READ = 0, 1
"""Places of a buffer's pointers."""


class PlainBuffer:
    """First-in, first-out buffer of an input: its entries, its pointers, its memory.

    An entry is a flit and its turn. A word of the memory leaves out the bits of the addresses that
    the router knows from its own address, and the turn where there is only one.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind, channel
        Router, and the input of the buffer.

    Members
    -------
    layout : StructLayout
        Layout of an entry: `flit` and `turn`.
    has_turn : bool
        Words have the turn.
    offered, arrives : Signal
        An entry is offered; the buffer takes it.
    entry : View
        That entry.
    valid, leaves : Signal
        There is an entry at the head; it leaves.
    head : View
        That entry.
    """

    def __init__(
        self, harness: Harness, network: Network, kind: RouterKind, channel: "PlainChannel"
    ) -> None:
        self._harness, self._name, self.depth = harness, channel.name, channel.depth
        flit, turns = flit_layout(network), channel.turns
        self.layout = data.StructLayout({"flit": flit, "turn": len(turns)})
        self._known = network.known_header(kind, channel.port)
        self._leaving = [
            network.known_header(kind, turn.output_port, leaving=True) for turn in turns
        ]
        self._carried = len(carried(Signal(flit), self._known))
        self.has_turn = len(turns) > 1
        self._bits = self._carried + (len(turns) if self.has_turn else 0)
        path = f"input_{self._name}"
        self._gateware = buffer = harness.component(f"{path}.buffer", Buffer)
        self.offered, self.valid = harness.probe(buffer.i.valid), harness.probe(buffer.o.valid)
        taken, ready = harness.probe(buffer.o.ready), harness.probe(buffer.i.ready)
        self.arrives = harness.named(self.offered & ready, f"arrives_{self._name}")
        self.leaves = harness.named(self.valid & taken, f"leaves_{self._name}")
        whole = harness.probe(harness.component(path, PlainInput).i.p)
        turn = self._turn_in(harness.probe(buffer.i.p))
        self.entry = self._view(Cat(whole, turn), "entry")
        self.head = self._decoded(harness.probe(buffer.o.p))

    def _turn_in(self, word: Value) -> Value:
        """Turn in a word."""
        return word[self._carried :] if self.has_turn else Const(1, 1)

    def _view(self, entry: Value, name: str) -> data.View:
        """Entry on a wire of its own, for a bit of an expression repeats all of it."""
        return data.View(self.layout, self._harness.named(entry, f"{name}_{self._name}"))

    def _decoded(self, word: Value) -> data.View:
        """Entry that a word encodes."""
        layout: View = Signal(self.layout.members["flit"])
        address = self._harness.port("address")
        flit = completed(layout, self._known, address, word[: self._carried])
        return self._view(Cat(flit, self._turn_in(word)), "whole")

    def header_matches(self, entry: data.View) -> Value:
        """Whether the bits of an entry's addresses are those that the routing makes known."""
        flit, address = entry.flit, self._harness.port("address")
        right = completed(flit, self._known, address) == flit.as_value()
        for taken, known in zip(entry.turn, self._leaving, strict=True):
            right &= ~taken | (completed(flit, known, address) == flit.as_value())
        return right

    @cached_property
    def level(self) -> Signal:
        """Entries in the buffer, by what came and went."""
        level = self._harness.register(range(self.depth + 2), f"level_{self._name}")
        self._harness.m.d.sync += level.eq(level + self.arrives - self.leaves)
        return level

    def is_consistent(self) -> Value:
        """Whether the buffer's own state says that it holds `level` entries."""
        level, full = self.level, self._harness.probe(self._gateware.full)
        right = (full == (level == self.depth)) & (self.valid == (level != 0))
        right &= level <= self.depth
        if self.depth == REGISTER_DEPTH:
            return right
        in_range = Cat(self._pointer(name) < self.depth for name in (_READ, _WRITE)).all()
        behind = Mux(level == self.depth, 0, level)
        return right & in_range & self.is_at(self._pointer(_WRITE), behind)

    @cached_property
    def _holds(self) -> list[Signal]:
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
        for slot, holds in enumerate(self._holds):
            behind = pointer_order(self.depth).index(slot) - self._step(self._pointer(_READ))
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
        place = self._step(self._pointer(_READ)) + ahead
        wrapped = self._harness.named(
            Mux(place >= self.depth, place - self.depth, place), f"place_{self._name}"
        )
        return wrapped == self._step(slot)

    def at(self, slot: Value, ahead: Value) -> data.View:
        """Entry in a word, which has `ahead` entries before it."""
        if self.depth == REGISTER_DEPTH:
            back = self._decoded(self._harness.probe(self._gateware.back)).as_value()
            return self._view(Mux(ahead == 0, self.head.as_value(), back), "at")
        words = self._harness.probe_words(self._gateware.stored, range(self.depth))
        return self._decoded(self._harness.named(Array(words)[slot], f"at_{self._name}"))

    def _pointer(self, which: int) -> Signal:
        return self._harness.probe(self._gateware.pointers[which])

    def _step(self, pointer: Value) -> Value:
        """Steps that a pointer has gone from 0."""
        order = pointer_order(self.depth)
        bits = self.depth.bit_length()
        steps = [Const(order.index(pointer), bits) for pointer in range(self.depth)]
        return self._harness.named(Array(steps)[pointer], f"step_{self._name}")


class PlainChannel(InputChannel):
    """Input of a plain router: its buffer keeps each flit's turn.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind, port
        As of `InputChannel`.

    Members
    -------
    buffer : PlainBuffer
        Its buffer.
    """

    def __init__(self, harness: Harness, network: Network, kind: RouterKind, port: int) -> None:
        super().__init__(harness, network, kind, port, 0)
        self.name = network.topology.ports[port]
        self._gates = Gates(harness, network, kind, self)
        self.buffer = buffer = PlainBuffer(harness, network, kind, self)
        self.offered, self.arrives, self.valid = buffer.offered, buffer.arrives, buffer.valid

    @property
    def entry(self) -> data.View:
        return self.buffer.entry

    @property
    def front_flit(self) -> data.View:
        return self.buffer.head.flit

    @property
    def leaves(self) -> Value:
        return self.buffer.leaves

    @property
    def front_turn(self) -> Value:
        return self.buffer.head.turn

    def is_legal(self) -> Value:
        turn, flit = self.entry.turn, self.entry.flit
        right = turn.any() & is_one_hot_or_zero(turn) & self.buffer.header_matches(self.entry)
        return (
            right if self.buffer.has_turn else right & self._gates.of(flit, "offered").turns.any()
        )


class PlainOutput:
    """Output of a plain router: a link, or a node's stream; and its arbiter.

    Parameters
    ----------
    harness : PlainHarness
        Harness of the router.
    port : int
        Output.

    Members
    -------
    name : str
        Name of the port.
    is_local : bool
        It leads to a node.
    valid, ready : Signal
        Handshake.
    flit : View
        Flit that it shows, in `eject_layout` where it goes to the node.
    turns : list of (PlainChannel, Turn)
        Turns to it, each with its input, in the order of the arbiter's requesters.
    grant, served, held : Signal
        The arbiter's grant, one-hot; its requester that was served last; that has the output.
    owns : Value
        One-hot: the requester whose packet has had the output since an earlier cycle.
    """

    def __init__(self, harness: "PlainHarness", port: int) -> None:
        network, kind = harness.network, harness.kind
        self._harness, self.port, self.name = harness, port, network.topology.ports[port]
        self.is_local = port in kind.node_ports
        turns = [turn for turn in kind.turns if turn.output_port == port]
        self.turns = [(harness.inputs[turn.input_port], turn) for turn in turns]
        arbiter = harness.component(f"output_{self.name}", PacketArbiter)
        self.grant, self.served, self.held = map(
            harness.probe, (arbiter.grant, arbiter.served, arbiter.held)
        )
        self.owns = self.served & self.held.replicate(len(turns))
        if self.is_local:
            prefix = harness.at_node("m_axis", port)
            beat = [harness.port(f"{prefix}_{name}") for name in ("tdata", "tlast", "tid")]
            self.flit = data.View(eject_layout(network), Cat(beat))
            names = [f"{prefix}_tvalid", f"{prefix}_tready"]
        else:
            self.flit = data.View(flit_layout(network), harness.link(port, "o_flit"))
            names = [f"{self.name}_o_valid", f"{self.name}_o_ready"]
        self.valid, self.ready = map(harness.port, names)

    @property
    def crosses(self) -> Value:
        """Whether a flit leaves by it."""
        return self.valid & self.ready

    @cached_property
    def sources(self) -> Signal:
        """Turns by which flits leave through it, a bit per turn."""
        goes = Cat(channel.leaves_by(turn) for channel, turn in self.turns)
        return self._harness.named(goes, f"sources_{self.name}")

    @cached_property
    def requests(self) -> Signal:
        """Turns that have a flit for it, a bit per turn."""
        asks = Cat(channel.requests(turn) for channel, turn in self.turns)
        return self._harness.named(asks, f"requests_{self.name}")

    def drives(self, flit: data.View) -> Value:
        """Whether the output shows this flit."""
        if not self.is_local:
            return self.flit.as_value() == flit.as_value()
        names = ("data", "last", "source")
        return Cat(self.flit[name] == flit[name] for name in names).all()

    @property
    def most(self) -> int:
        """Most packets of others that a requester waits for: round robin, one of each other."""
        return len(self.turns) - 1

    def ahead(self, number: int) -> Value:
        """Packets of others that may still go before that of a requester that asks."""
        count, bits = len(self.turns), max(self.most.bit_length(), 1)
        found: Value = Const(0, bits)
        for last in range(count):
            distance = (number - last - 1) % count + 1  # from the one served last, or all around
            while_held = 0 if last == number else distance
            after = Mux(self.held, while_held, distance - 1)[:bits]
            found |= self.served[last].replicate(bits) & after
        return found


class PlainHarness(RouterHarness):
    """Harness of any plain router of a kind.

    Parameters
    ----------
    network, kind : Network, RouterKind
        Router.

    Members
    -------
    inputs : dict of int to PlainChannel
        Inputs by port.
    outputs : list of PlainOutput
        Outputs.
    any_length : Value
        Length of the longest packet, in flits.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        super().__init__(network, kind)
        self.inputs = {
            port: PlainChannel(self, network, kind, port)
            for port in kind.ports
            if kind.input_vcs(port)
        }
        self.channels = {(port, 0): channel for port, channel in self.inputs.items()}
        self.outputs = [PlainOutput(self, port) for port in kind.ports if kind.output_vcs(port)]
        self.any_length = self.any_constant(LENGTH_BITS)
        self._assume_neighbours()
