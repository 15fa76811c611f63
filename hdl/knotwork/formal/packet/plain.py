"""Plain router (`gateware.packet.plain`): harness, and properties, each after its lemmas.

A flit is followed from its input to its output: it enters as the node sent it (`injection`), takes
the turn of the routing's rule (`route`), is kept by the buffer in its order (`buffers`, `order_*`),
gets its output (`grants`, `ownership`), leaves unchanged (`crossing`), in packets (`wormhole`), as
a stream (`streams`), and in time (`progress`).
"""

from collections.abc import Sequence
from functools import cached_property, partial

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
from ..property import Property
from .channels import Gates, InputChannel, PassingPacket, Token, header_of, pointer_order
from .node_claims import claim_held_beats, injection_properties
from .route_claims import assertions_property, route_property
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
        right = self.may_take(turn) & self.buffer.header_matches(self.entry)
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
        requests = Cat(channel.requests(turn) for channel, turn in self.turns)
        return self._harness.named(requests, f"requests_{self.name}")

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
        """Packets of others that may still go before that of one that requests now."""
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


COVERED_FLITS = 4
"""Flits up to which a buffer is shown to fill: the trace that fills a deep one is long."""
_COVERED = 2
"""Requesters up to which the longest wait is shown: the trace for more is long."""


def properties(network: Network, kind: RouterKind) -> Sequence[Property]:
    """Properties of a router, lemmas first."""
    ports = [port for port in kind.ports if kind.input_vcs(port)]
    orders = [_order_property(network, kind, port) for port in ports]
    base = (*injection_properties(kind), BUFFERS, GRANTS, *orders)
    ownership = Property(
        name="ownership",
        text="an output is kept for a packet from its grant to its tail",
        claim=_claim_ownership,
        lemmas=base,
    )
    base = (*base, ownership)
    crossing = Property(
        name="crossing",
        text="flits leave a buffer and an output together, unchanged, by a turn of the routing",
        claim=_claim_crossing,
        lemmas=base,
    )
    wormhole = Property(
        name="wormhole",
        text="between a packet's head and its tail no other flit uses its output",
        claim=_claim_wormhole,
        lemmas=(*base, crossing),
    )
    streams = Property(
        name="streams",
        text="on m_axis and on links, valid and payload stay until a transfer",
        claim=_claim_streams,
        lemmas=base,
    )
    outputs = [turn.output_port for turn in kind.turns]
    most = max(map(outputs.count, outputs)) - 1
    progress = Property(
        name="progress",
        text=f"a flit that waits is granted its output after at most {most} packets of others, and "
        f"leaves within {most} L + 1 cycles with room behind and a flit to send (L: flits in the "
        "longest packet)",
        claim=_claim_progress,
        lemmas=(*base, crossing, wormhole),
    )
    return [
        route_property(network, kind),
        *base,
        crossing,
        wormhole,
        streams,
        assertions_property(base),
        progress,
    ]


def _claim_buffers(harness: PlainHarness) -> None:
    for channel in harness.inputs.values():
        buffer = channel.buffer
        harness.claim(buffer.is_consistent())
        harness.claim(~buffer.arrives | (buffer.level < buffer.depth))
        harness.claim(~buffer.leaves | (buffer.level > 0))
        harness.claim(buffer.holds_its_flits())
        if any(map(harness.can_happen, channel.turns)):
            harness.cover(buffer.level == min(buffer.depth, COVERED_FLITS))


BUFFERS = Property(
    name="buffers",
    text="no buffer takes a flit without room, or gives one that it does not have",
    claim=_claim_buffers,
)


def _claim_grants(harness: PlainHarness) -> None:
    for output in harness.outputs:
        harness.claim(output.served.any() & is_one_hot_or_zero(output.served))
        harness.claim(is_one_hot_or_zero(output.grant))
        for granted, (_, turn) in zip(output.grant, output.turns, strict=True):
            if harness.can_happen(turn):
                harness.cover(granted)


GRANTS = Property(
    name="grants",
    text="every arbiter grants at most one requester",
    claim=_claim_grants,
)


def _order_property(network: Network, kind: RouterKind, port: int) -> Property:
    """Property of one input."""
    name = network.topology.ports[port]
    return Property(
        name=f"order_{name}",
        text=f"a flit that comes by {name} leaves its buffer once, whole, with its turn, in order",
        claim=partial(_claim_order, port=port),
        guarantee=partial(_claim_head, port=port),
        lemmas=(*injection_properties(kind), BUFFERS, GRANTS),
    )


def _claim_order(harness: PlainHarness, port: int) -> None:
    channel = harness.inputs[port]
    _claim_token(harness, channel)
    if not channel.is_local:
        valid, ready = harness.link(port, "i_valid"), harness.link(port, "i_ready")
        harness.claim(channel.offered == valid)
        harness.claim(channel.arrives == (valid & ready))
        flit = harness.link(port, "i_flit")
        harness.claim(~channel.offered | (channel.entry.flit.as_value() == flit))


class _PlainToken(Token):
    """Any one flit on its way through a buffer.

    Members
    -------
    before, newest : Signal
        Words of the flit that came before it, and of the last one that came.
    """

    def __init__(self, harness: PlainHarness, channel: PlainChannel) -> None:
        m, name, buffer = harness.m, channel.name, channel.buffer
        super().__init__(
            harness, channel, slot=buffer.slot, level=buffer.level, leaves=channel.leaves
        )
        self.before = harness.register(len(buffer.slot), f"before_{name}")
        self.newest = harness.register(len(buffer.slot), f"newest_{name}")
        with m.If(channel.arrives):
            m.d.sync += self.newest.eq(buffer.slot)
        with m.If(~self.inside):
            m.d.sync += self.before.eq(self.newest)


def _claim_token(harness: PlainHarness, channel: PlainChannel) -> None:
    """Claim that any flit stays where it was written, and leaves as it came."""
    token, buffer = _PlainToken(harness, channel), channel.buffer
    expected, inside, ahead = token.expected, token.inside, token.ahead
    found = buffer.at(token.slot, ahead)
    there = (ahead < buffer.level) & buffer.is_at(token.slot, ahead)
    harness.claim(~inside | (there & (found.as_value() == expected.as_value())))
    harness.claim(~inside | (expected.turn.any() & is_one_hot_or_zero(expected.turn)))
    harness.claim(~inside | buffer.header_matches(expected))
    _claim_after_its_packet(harness, channel, token)
    goes = harness.named(inside & (ahead == 0) & channel.leaves, f"goes_{channel.name}")
    harness.claim(~goes | (buffer.head.as_value() == expected.as_value()))
    for number, turn in enumerate(channel.turns):
        if harness.can_happen(turn):
            harness.cover(goes & expected.turn[number] & ~token.first)


def _claim_after_its_packet(
    harness: PlainHarness, channel: PlainChannel, token: _PlainToken
) -> None:
    """Claim that the flit before the token, if of its packet, has its turn and header."""
    came, went, buffer = channel.incoming, channel.outgoing, channel.buffer
    mine = PassingPacket(~token.first, token.expected.turn, header_of(token.expected.flit))
    before = buffer.at(token.before, token.ahead - 1)
    waits = token.inside & (token.ahead != 0)
    harness.claim(~waits | buffer.is_at(token.before, token.ahead - 1))
    harness.claim(~waits | _same(_packet_at(before), mine))
    harness.claim(~token.inside | waits | _same(went, mine))
    newest = buffer.at(token.newest, buffer.level - 1)
    is_empty = buffer.level == 0
    harness.claim(is_empty | buffer.is_at(token.newest, buffer.level - 1))
    harness.claim(Mux(is_empty, _same(came, went), _same(came, _packet_at(newest))))


def _packet_at(entry: data.View) -> PassingPacket:
    return PassingPacket(~entry.flit.last, entry.turn, header_of(entry.flit))


def _same(one: PassingPacket, other: PassingPacket) -> Value:
    """Whether both are between packets, or in one of the same turn and header."""
    alike = (one.turn == other.turn) & (one.header == other.header)
    return (one.open == other.open) & (~one.open | alike)


def _claim_head(harness: PlainHarness, port: int) -> None:
    """Claim of the flit at the head what `order` claims of any flit."""
    channel = harness.inputs[port]
    head, packet = channel.buffer.head, channel.outgoing
    harness.claim(~channel.valid | (head.turn.any() & is_one_hot_or_zero(head.turn)))
    harness.claim(~channel.valid | channel.buffer.header_matches(head))
    alike = (packet.turn == head.turn) & (packet.header == header_of(head.flit))
    harness.claim(~(channel.valid & packet.open) | alike)


def _claim_ownership(harness: PlainHarness) -> None:
    for channel in harness.inputs.values():
        for fact in channel.leaving():
            harness.claim(fact)
    for output in harness.outputs:
        for owns, (channel, turn) in zip(output.owns, output.turns, strict=True):
            # A packet owns the output from its grant on; it is open once its head flit left.
            is_open = channel.departing(turn).open
            harness.claim(~is_open | owns)
            harness.claim(~owns | is_open | channel.requests(turn))
            if harness.can_happen(turn):
                harness.cover(owns)


def _claim_crossing(harness: PlainHarness) -> None:
    for output in harness.outputs:
        sources = output.sources
        harness.claim(is_one_hot_or_zero(sources))
        harness.claim(sources.any() == output.crosses)
        for goes, (channel, turn) in zip(sources, output.turns, strict=True):
            harness.claim(~goes | output.drives(channel.front_flit))
            if harness.can_happen(turn):
                harness.cover(goes)
    for channel in harness.inputs.values():
        goes = Cat(channel.leaves_by(turn) for turn in channel.turns)
        harness.claim(goes.any() == channel.leaves)


def _claim_wormhole(harness: PlainHarness) -> None:
    for output in harness.outputs:
        turns, sources, crosses = output.turns, output.sources, output.crosses
        opened = harness.register(1, f"opened_{output.name}")
        owner = harness.register(len(turns), f"owner_{output.name}")
        with harness.m.If(crosses):
            harness.m.d.sync += [opened.eq(~output.flit.last), owner.eq(sources)]
        harness.claim(~opened | (owner.any() & is_one_hot_or_zero(owner)))
        harness.claim(~(crosses & opened) | (sources == owner))
        if any(harness.can_happen(turn) for _, turn in turns):
            harness.cover(crosses & opened)
        for owns, (channel, turn) in zip(owner, turns, strict=True):
            harness.claim(channel.departing(turn).open == (opened & owns))
        if not output.is_local:
            _claim_one_header(harness, output, opened)


def _claim_one_header(harness: PlainHarness, output: PlainOutput, opened: Value) -> None:
    """Claim that all flits of a packet have one header, as the next router may assume."""
    header = header_of(output.flit)
    before = harness.register(len(header), f"before_{output.name}")
    with harness.m.If(output.crosses):
        harness.m.d.sync += before.eq(header)
    harness.claim(~(output.crosses & opened) | (header == before))
    for channel, turn in output.turns:
        packet = channel.departing(turn)
        harness.claim(~packet.open | (packet.header == before))


def _claim_streams(harness: PlainHarness) -> None:
    for output in harness.outputs:
        if output.is_local:
            claim_held_beats(harness, output.port)
            continue
        flit = harness.link(output.port, "o_flit")
        harness.claim_held(output.valid, output.ready, flit, output.name)
        if any(harness.can_happen(turn) for _, turn in output.turns):
            harness.cover(output.valid & ~output.ready)


def _claim_progress(harness: PlainHarness) -> None:
    harness.assume(harness.any_length != 0)
    for output in harness.outputs:
        passed = harness.register(LENGTH_BITS, f"passed_{output.name}")
        longer = passed + 1
        is_last, crosses = output.flit.last, output.crosses
        with harness.m.If(crosses):
            harness.m.d.sync += passed.eq(Mux(is_last, 0, longer))
        harness.assume(~crosses | is_last | (longer < harness.any_length))
        harness.claim(passed < harness.any_length)
        # A packet whose next flit is not here yet holds the output, and no other can leave.
        is_held = harness.named(output.held & ~(output.requests & output.owns).any(), "is_held")
        serves = harness.named((output.requests & output.grant).any(), "serves")
        harness.claim(is_held | ~output.requests.any() | serves)
        harness.claim(~(serves & output.ready) | crosses)
        for number in range(len(output.turns)):
            _claim_wait(harness, output, number, passed=passed, is_held=is_held)


def _claim_wait(
    harness: PlainHarness, output: PlainOutput, number: int, *, passed: Signal, is_held: Signal
) -> None:
    """Claim for how many packets a flit waits, and for how many cycles with room behind."""
    name, most, turns = f"{output.name}_{number}", output.most, output.turns
    requests, goes = output.requests[number], output.sources[number]
    others: Signal = harness.register(range(most + 2), f"others_{name}")
    cycles: Signal = harness.register(range((most + 1) << LENGTH_BITS), f"cycles_{name}")
    waits = requests & ~goes
    more_others = others + (output.crosses & output.flit.last)
    # A cycle counts if there is room and the owner of the output has a flit.
    more_cycles = cycles + (output.ready & ~is_held)
    harness.m.d.sync += [
        others.eq(Mux(waits, more_others, 0)),
        cycles.eq(Mux(waits, more_cycles, 0)),
    ]
    harness.claim(~requests | (others + output.ahead(number) <= most))
    bound: Value = passed
    for more in range(1, most + 1):
        bound = bound + (harness.any_length & (others >= more).replicate(LENGTH_BITS))
    harness.claim(~requests | (cycles <= bound))
    if harness.can_happen(*(turn for _, turn in turns)):
        harness.cover(goes & (others == most if len(turns) <= _COVERED else others != 0))
