"""Interface of a PE in circuit-switched networks: its streams, and the choice of a copy."""

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ...network import Network
from ...parameters import CircuitParameters
from ...topology.lcan import LeastCommonAncestor
from ...untyped import Interface, View
from ..component import Component
from ..layouts import eject_layout, inject_layout
from ..parts.crossbar import one_hot_mux
from ..parts.injector import is_node
from .layouts import (
    Kind,
    circuit_signature,
    control_layout,
    ends_early,
    header_layout,
    report_layout,
)


def _reordered(topology: LeastCommonAncestor, address: Value, order: tuple[int, ...]) -> Value:
    places = topology.digit_offsets
    return Cat(address[places[digit] : places[digit + 1]] for digit in order)


def placed_bits(topology: LeastCommonAncestor, copy: int, address: Value) -> Value:
    """Address of a PE's place in a copy."""
    return _reordered(topology, address, topology.digit_order(copy))


def own_bits(topology: LeastCommonAncestor, copy: int, place: Value) -> Value:
    """Address of the PE that has a place in a copy."""
    order = topology.digit_order(copy)
    return _reordered(topology, place, tuple(map(order.index, range(len(order)))))


def beyond_levels(topology: LeastCommonAncestor, copy: int, own: Value, other: Value) -> Value:
    """For each level, whether two PEs have their least common ancestor in a copy above it."""
    a, b = (placed_bits(topology, copy, address) for address in (own, other))
    return Cat(a[place:] != b[place:] for place in topology.digit_offsets[1:])


def beyond_all(topology: LeastCommonAncestor, own: Value, other: Value) -> Value:
    """The same of the copy in which they are nearest."""
    found = beyond_levels(topology, 0, own, other)
    for copy in range(1, topology.copies):
        found &= beyond_levels(topology, copy, own, other)
    return found


def same_side(own: Value, other: Value) -> Value:
    """Whether both addresses are of PEs or both of terminals, in one-way use."""
    return own[-1] == other[-1]


def first_of(bits: Value) -> Value:
    """The lowest of the bits that are set, one-hot; 0 where none is."""
    return Cat(bits[n] & ~bits[:n].any() for n in range(len(bits)))


class CircuitInterface(Component):
    """Holds a PE's packets until their circuits are closed, and receives packets for the PE.

    It has room for two outgoing packets of up to ``max_packet`` flits: one is offered in every
    network cycle until its acknowledge has come, while the PE fills the other. It has room for two
    incoming packets as well; without room for a whole packet it does not acknowledge a header, so
    the sender offers that packet again.

    Latency
    -------
    The header is on the link in the cycle after `begin`; flits follow from the cycle after
    `sample`. A flit from the link is on `eject` in the cycle after.

    Parameters
    ----------
    network : Network
        Widths and the longest packet.

    Members
    -------
    address : In(address_width)
        The PE's own address, constant.
    inject : In(stream of inject_layout)
        Packets from the PE; the destination is read on the first beat.
    eject : Out(stream of eject_layout)
        Packets to the PE.
    refused : Out(1)
        High for one cycle after the last beat of each packet dropped: to no node, or too long.
    control : In(control_layout)
        From the controller.
    report : Out(report_layout)
        To the controller.
    i, o : circuit_signature
        From and to the switch.
    """

    address: Signal
    inject: stream.Interface
    eject: stream.Interface
    refused: Signal
    control: View
    report: View
    i: Interface
    o: Interface

    def __init__(self, network: Network) -> None:
        self._network = network
        self._longest = CircuitParameters.of(network.hardware).max_packet
        super().__init__(
            {
                "address": In(network.topology.address_width),
                "inject": In(stream.Signature(inject_layout(network))),
                "eject": Out(stream.Signature(eject_layout(network))),
                "refused": Out(1),
                "control": In(control_layout(network)),
                "report": Out(report_layout(network)),
                "i": In(circuit_signature(network)),
                "o": Out(circuit_signature(network)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self._receiving = Signal(name="receiving")
        self._send(m)
        self._receive(m)
        return m

    def _send(self, m: Module) -> None:
        """Two packet stores: the PE fills one while the other is offered and sent."""
        length, width = self._longest, self._network.hardware.data_width
        m.submodules.outgoing = memory = Memory(shape=width + 1, depth=2 * length, init=[])
        into, out_of = memory.write_port(), memory.read_port(domain="comb")
        self.stored_beat = out_of.data
        self.filled, self.filling = Signal(2, name="filled"), Signal(name="filling")
        self.offered = offered = Signal(name="offered")
        layout = header_layout(self._network)
        self.headers: list[View] = [Signal(layout, name=f"header_{n}") for n in range(2)]
        filled, filling, headers = self.filled, self.filling, self.headers
        written, whole = self._fill(m, headers, filled, filling)
        beat = self.inject.p
        m.d.comb += [
            into.addr.eq(Mux(filling, length, 0) + written),
            into.data.eq(Cat(beat.data, beat.last)),
            into.en.eq(self.inject.valid & self.inject.ready),
        ]

        self.offering = offering = Signal(name="offering")
        self.sending = sending = Signal(name="sending")
        self.sent = sent = Signal(range(length), name="sent")
        self.ends = ends = Signal(name="ends")
        wins = Signal(name="wins")
        sample = self._sample(
            m, offering, Mux(offered, headers[1].destination, headers[0].destination)
        )
        last = out_of.data[-1]
        m.d.comb += [
            self.report.pending.eq(filled.any()),
            out_of.addr.eq(Mux(offered, length, 0) + sent),
            wins.eq(offering & sample & self.o.back),
            ends.eq((wins | sending) & last),
        ]
        m.d.sync += [
            self.o.kind.eq(Kind.IDLE),
            Assert(~self.control.begin | ~sending, "circuit interface: a packet outlasts its time"),
        ]
        with m.If(self.control.begin & filled.any()):
            m.d.sync += [
                offering.eq(1),
                self.o.kind.eq(Kind.HEADER),
                self.o.data.eq(Mux(offered, *(Value.cast(h) for h in reversed(headers)))),
            ]
        with m.If(sample):
            m.d.sync += [offering.eq(0), sending.eq(wins & ~last)]
        with m.If(wins | sending):
            m.d.sync += [
                self.o.kind.eq(Mux(last, Kind.LAST, Kind.FLIT)),
                self.o.data.eq(out_of.data[:-1]),
                sent.eq(Mux(last, 0, sent + 1)),
            ]
        with m.If(ends):
            m.d.sync += [sending.eq(0), offered.eq(~offered)]
        # The stores take turns, so the store that became full is not the one being sent.
        done = Cat(ends & ~offered, ends & offered)
        made = Cat(whole & ~filling, whole & filling)
        m.d.sync += filled.eq(filled & ~done | made)
        if ends_early(self._network):
            m.d.comb += self.report.active.eq(offering | self._receiving)

    def _sample(self, m: Module, offering: Value, destination: Value) -> Value:
        """Whether the acknowledge for the packet that is offered must be there now.

        Where a network cycle ends early, each level of least common ancestors has its own cycle.
        That of a level which nobody needed may be the cycle in which the next network cycle begins.
        """
        if not ends_early(self._network):
            return self.control.sample
        topology = LeastCommonAncestor.of(self._network.topology)
        top = len(topology.hop_counts) - 1
        if not top:
            return offering & self.control.sample
        # Of the levels below the top, those whose switches above the PE do not lead down to it.
        beyond = Signal(top, name="beyond")
        m.d.comb += beyond.eq(beyond_all(topology, self.address, destination)[:top])
        # The header is there a cycle before it is offered.
        self.meets = meets = Signal(top + 1, name="meets")
        m.d.sync += meets.eq(Cat(Const(1, 1), beyond) & Cat(~beyond, Const(1, 1)))
        sample = Signal(name="sample")
        m.d.comb += sample.eq(offering & (self.control.sample & meets).any())
        return sample

    def _fill(
        self, m: Module, headers: list[View], filled: Signal, filling: Signal
    ) -> tuple[Signal, Value]:
        """Take a packet from the PE; the beat's position, and whether it completes the packet."""
        length = self._longest
        self.written = written = Signal(range(length), name="written")
        self.dropping = dropping = Signal(name="dropping")
        beat, takes, drops = self.inject.p, Signal(name="takes"), Signal(name="drops")
        first = written == 0
        topology = LeastCommonAncestor.of(self._network.topology)
        alien = first & ~is_node(topology, beat.destination)
        if not topology.turns_round:
            alien |= first & same_side(self.address, beat.destination)
        for name, uppers in self._network.routing.word_layout.items():
            if uppers.stop & (uppers.stop - 1):  # the field can hold numbers of no upper
                alien |= first & (beat.word[name] >= uppers.stop)
        final = written == length - 1
        m.d.comb += [
            self.inject.ready.eq(~filled.bit_select(filling, 1)),
            takes.eq(self.inject.valid & self.inject.ready),
            drops.eq(dropping | alien | (final & ~beat.last)),
        ]
        whole = takes & beat.last & ~drops
        with m.If(takes):
            m.d.sync += [
                dropping.eq(drops & ~beat.last),
                written.eq(Mux(drops | beat.last, 0, written + 1)),
            ]
            for number, header in enumerate(headers):
                with m.If(first & ~dropping & (filling == number)):
                    m.d.sync += [
                        header.destination.eq(beat.destination),
                        header.source.eq(self.address),
                    ]
                    if self._network.routing.word_layout:
                        low = 2 * self._network.topology.address_width
                        m.d.sync += Value.cast(header)[low:].eq(beat.word)
        with m.If(whole):
            m.d.sync += filling.eq(~filling)
        m.d.sync += self.refused.eq(takes & beat.last & drops)
        return written, whole

    def _receive(self, m: Module) -> None:
        """Queue of beats to the PE; an acknowledge for a header while a packet has room."""
        length, width = self._longest, self._network.hardware.data_width
        depth = 2 * length
        layout = eject_layout(self._network)
        m.submodules.incoming = memory = Memory(shape=layout, depth=depth, init=[])
        into = memory.write_port()
        shown = memory.read_port(domain="comb")
        self.waiting_beat = shown.data
        self.level = level = Signal(range(depth + 1), name="level")
        self.source = source = Signal(self._network.topology.address_width, name="source")
        self.tail, self.head = (Signal(range(depth), name=name) for name in ("tail", "head"))
        read = Signal(name="read")
        header: View = Signal(header_layout(self._network))
        m.d.comb += [
            header.eq(self.i.data[: header_layout(self._network).size]),
            into.data.data.eq(self.i.data[:width]),
            into.data.last.eq(self.i.kind == Kind.LAST),
            into.data.source.eq(source),
            into.en.eq((self.i.kind == Kind.FLIT) | (self.i.kind == Kind.LAST)),
            self.eject.valid.eq(level > 0),
            self.eject.p.eq(shown.data),
            read.eq(self.eject.valid & self.eject.ready),
        ]
        for port, step, place in ((into, into.en, self.tail), (shown, read, self.head)):
            m.d.comb += port.addr.eq(place)
            with m.If(step):
                m.d.sync += place.eq(Mux(place == depth - 1, 0, place + 1))
        m.d.sync += [
            level.eq(level + into.en - read),
            Assert(~into.en | (level < depth), "circuit interface: what comes must have room"),
        ]
        with m.If(self.i.kind == Kind.HEADER):
            m.d.sync += [source.eq(header.source), self.i.back.eq(level <= depth - length)]
        with m.If(self.control.release):
            m.d.sync += self.i.back.eq(0)
        if ends_early(self._network):
            self.awaited = awaited = Signal(name="awaited")
            ends = self.i.kind == Kind.LAST
            m.d.comb += self._receiving.eq(awaited & ~ends)
            with m.If(self.i.kind == Kind.HEADER):
                m.d.sync += awaited.eq(level <= depth - length)
            with m.Elif(ends):
                m.d.sync += awaited.eq(0)


class CopyChooser(Component):
    """Joins a PE's interface to a link to each copy of the levels.

    A packet goes over the copy in which its nodes are nearest; of several, over the first. Of the
    headers that come in a network cycle, the first gets to the interface; of several in one cycle,
    that of the first copy. The others get no acknowledge. Inside a copy, headers name PEs by their
    places there.

    Latency
    -------
    None: it has no register on the way, forward or backward.

    Parameters
    ----------
    network : Network
        Network of several copies.

    Members
    -------
    address : In(address_width)
        The PE's own address, constant.
    control : In(control_layout)
        From the controller.
    sent : In(circuit_signature)
        From the interface.
    given : Out(circuit_signature)
        To the interface.
    i, o : arrays of circuit_signature
        From and to the copies.
    """

    address: Signal
    control: View
    sent: Interface
    given: Interface
    i: list[Interface]
    o: list[Interface]

    def __init__(self, network: Network) -> None:
        self._network = network
        self._topology = LeastCommonAncestor.of(network.topology)
        link, copies = circuit_signature(network), self._topology.copies
        super().__init__(
            {
                "address": In(network.topology.address_width),
                "control": In(control_layout(network)),
                "sent": In(link),
                "given": Out(link),
                "i": In(link).array(copies),
                "o": Out(link).array(copies),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self._send(m)
        self._receive(m)
        return m

    def _send(self, m: Module) -> None:
        """Choose a copy for each header; what follows goes the same way."""
        topology, layout = self._topology, header_layout(self._network)
        copies = range(topology.copies)
        header: View = Signal(layout, name="sent_header")
        comes = Signal(name="sent_comes")
        nearest = Signal(len(copies), name="nearest")
        self.kept = kept = Signal(len(copies), name="kept")
        chosen = Signal(len(copies), name="chosen")
        beyond = [Signal(topology.levels, name=f"beyond_{copy}") for copy in copies]
        for copy in copies:
            m.d.comb += beyond[copy].eq(
                beyond_levels(topology, copy, self.address, header.destination)
            )
        least = Signal(topology.levels, name="beyond")
        m.d.comb += [
            header.eq(self.sent.data[: layout.size]),
            comes.eq(self.sent.kind == Kind.HEADER),
            least.eq(beyond_all(topology, self.address, header.destination)),
            nearest.eq(first_of(Cat(levels == least for levels in beyond))),
            chosen.eq(Mux(comes, nearest, kept)),
            self.sent.back.eq((kept & Cat(link.back for link in self.o)).any()),
        ]
        m.d.sync += kept.eq(chosen)
        for copy in copies:
            there: View = Signal(layout, name=f"header_{copy}")
            m.d.comb += [
                there.eq(header),
                there.destination.eq(placed_bits(topology, copy, header.destination)),
                there.source.eq(placed_bits(topology, copy, header.source)),
                self.o[copy].kind.eq(Mux(chosen[copy], self.sent.kind, Kind.IDLE)),
                self.o[copy].data.eq(Mux(comes, Value.cast(there), self.sent.data)),
            ]

    def _receive(self, m: Module) -> None:
        """Let the first header of a network cycle in, and what follows it."""
        topology, layout = self._topology, header_layout(self._network)
        copies = range(topology.copies)
        self.joined = joined = Signal(len(copies), name="joined")
        first = Signal(len(copies), name="first")
        comes, leads = Signal(len(copies), name="comes"), Signal(len(copies), name="leads")
        headers = []
        for copy in copies:
            header: View = Signal(layout, name=f"given_{copy}")
            there: View = data.View(layout, self.i[copy].data[: layout.size])
            m.d.comb += [
                comes[copy].eq(self.i[copy].kind == Kind.HEADER),
                header.eq(there),
                header.destination.eq(own_bits(topology, copy, there.destination)),
                header.source.eq(own_bits(topology, copy, there.source)),
                self.i[copy].back.eq(joined[copy] & self.given.back),
            ]
            headers.append(Mux(comes[copy], Value.cast(header), self.i[copy].data))
        m.d.comb += [
            first.eq(Mux(joined.any(), 0, first_of(comes))),
            leads.eq(joined | first),
            self.given.kind.eq(one_hot_mux(list(leads), [link.kind for link in self.i])),
            self.given.data.eq(one_hot_mux(list(leads), headers)),
        ]
        m.d.sync += joined.eq(Mux(self.control.release, 0, leads))
