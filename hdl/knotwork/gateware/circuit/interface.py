"""Interface of a PE in circuit-switched networks: between its streams and its link to level 0."""

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ...network import Network
from ...parameters import CircuitParameters
from ...topology.lcan import LeastCommonAncestor
from ...untyped import Interface, View
from ..component import Component
from ..layouts import eject_layout, inject_layout
from ..parts.injector import is_node
from .layouts import (
    Kind,
    circuit_signature,
    control_layout,
    ends_early,
    header_layout,
    report_layout,
)
from .places import beyond_all, same_side


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
        filled, filling = Signal(2, name="filled"), Signal(name="filling")
        offered = Signal()
        headers = [Signal(header_layout(self._network), name=f"header_{n}") for n in range(2)]
        written, whole = self._fill(m, headers, filled, filling)
        beat = self.inject.p
        m.d.comb += [
            into.addr.eq(Mux(filling, length, 0) + written),
            into.data.eq(Cat(beat.data, beat.last)),
            into.en.eq(self.inject.valid & self.inject.ready),
        ]

        offering, sending = Signal(name="offering"), Signal(name="sending")
        sent = Signal(range(length))
        wins, ends = Signal(name="wins"), Signal(name="ends")
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
        meets = Signal(top + 1, name="meets")
        m.d.sync += meets.eq(Cat(Const(1, 1), beyond) & Cat(~beyond, Const(1, 1)))
        sample = Signal(name="sample")
        m.d.comb += sample.eq(offering & (self.control.sample & meets).any())
        return sample

    def _fill(
        self, m: Module, headers: list[View], filled: Signal, filling: Signal
    ) -> tuple[Signal, Value]:
        """Take a packet from the PE; the beat's position, and whether it completes the packet."""
        length = self._longest
        written, dropping = Signal(range(length), name="written"), Signal(name="dropping")
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
        level, read = Signal(range(depth + 1), name="level"), Signal(name="read")
        source = Signal(self._network.topology.address_width)
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
        for port, step, name in ((into, into.en, "tail"), (shown, read, "head")):
            place = Signal(range(depth), name=name)
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
            awaited, ends = Signal(name="awaited"), self.i.kind == Kind.LAST
            m.d.comb += self._receiving.eq(awaited & ~ends)
            with m.If(self.i.kind == Kind.HEADER):
                m.d.sync += awaited.eq(level <= depth - length)
            with m.Elif(ends):
                m.d.sync += awaited.eq(0)
