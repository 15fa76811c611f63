"""Where a user's memory meets the network: requests come as packets, answers leave as such."""

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.axi_lite import Response
from knotwork.gateware.component import Component
from knotwork.untyped import Interface, View

from ...parameters import BusParameters
from .bus_kinds import axi4_signature
from .guards import ReadGuard, WriteGuard
from .packets import (
    PacketReceiver,
    PacketSender,
    read_beat_layout,
    received_layout,
    request_layout,
    response_layout,
    sent_layout,
    tag_width,
    write_beat_layout,
)
from .stores import SMALLEST, BurstStore, Store


class TargetPort(Component):
    """Hands the bursts of initiators to a memory, and its answers back.

    All bursts have the identifier 0, so the memory answers in order, and does not interleave. The
    data of a read are stored until they are whole, so that a dawdling memory holds no channel of
    the network. `ReadGuard` and `WriteGuard` answer for a memory that falls silent. `AxLOCK` is 0,
    and no answer is `EXOKAY`. With parity, beats that are wrong write no byte, and the outcome of
    their burst is `SLVERR`.

    Latency
    -------
    1 cycle from the last flit of a header to `AWVALID` or `ARVALID`; 0 from `BVALID`, or 1 from the
    last beat of R to the answer's first flit.

    Parameters
    ----------
    bus : BusParameters
        Widths and limits, the same as of the initiators.
    flit_width : int
        Bits of data in a flit.
    address_width : int
        Bits of a node's address.
    has_parity : bool
        Whether flits tell that they are wrong.

    Members
    -------
    axi : Out(axi4_signature)
        To the memory.
    inject : Out(stream of sent_layout)
        Responses to the network.
    eject : In(stream of received_layout)
        Requests from the network.
    silent : Out(2)
        The memory has not answered in time: reads, writes.
    """

    axi: Interface
    inject: stream.Interface
    eject: stream.Interface
    silent: Signal

    def __init__(
        self, *, bus: BusParameters, flit_width: int, address_width: int, has_parity: bool = False
    ) -> None:
        self._bus, self._has_parity = bus, has_parity
        self._flit_width, self._address_width = flit_width, address_width
        tag = tag_width(bus, has_parity=has_parity)
        self._origin = data.StructLayout({"tag": tag, "source": address_width})
        request = received_layout(flit_width, address_width, has_parity=has_parity)
        super().__init__(
            {
                "axi": Out(axi4_signature(bus)),
                "inject": Out(stream.Signature(sent_layout(flit_width, address_width))),
                "eject": In(stream.Signature(request)),
                "silent": Out(2),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bus = self._bus
        widths = {"flit_width": self._flit_width, "address_width": self._address_width}
        parity = self._has_parity
        request = request_layout(bus, has_parity=parity)
        response = response_layout(bus, has_parity=parity)
        m.submodules.receiver = receiver = PacketReceiver(
            header_width=request.size,
            beat_width=write_beat_layout(bus).size,
            has_parity=parity,
            **widths,
        )
        m.submodules.sender = sender = PacketSender(
            header_width=response.size, beat_width=read_beat_layout(bus).size, **widths
        )
        m.submodules.reads = reads = ReadGuard(bus=bus)
        m.submodules.writes = writes = WriteGuard(bus=bus)
        wiring.connect(m, wiring.flipped(self.eject), receiver.i)
        wiring.connect(m, sender.o, wiring.flipped(self.inject))
        wiring.connect(m, writes.memory_aw, wiring.flipped(self.axi.aw))
        wiring.connect(m, writes.memory_w, wiring.flipped(self.axi.w))
        wiring.connect(m, reads.memory_ar, wiring.flipped(self.axi.ar))
        wiring.connect(m, wiring.flipped(self.axi.b), writes.memory_b)
        wiring.connect(m, wiring.flipped(self.axi.r), reads.memory_r)
        m.d.comb += self.silent.eq(Cat(reads.silent, writes.silent))
        read_from, written_from = self._requests(m, receiver, reads, writes)
        spoilt = self._spoilt(m, receiver) if self._has_parity else None
        self._write_answers(m, sender, writes, written_from, spoilt)
        self._read_answers(m, sender, reads, read_from)
        return m

    def _requests(
        self, m: Module, receiver: PacketReceiver, reads: ReadGuard, writes: WriteGuard
    ) -> tuple[Store, Store]:
        """Requests to the memory, and whose they are, in the order of their answers."""
        bus, depth = self._bus, self._bus.outstanding
        m.submodules.read_from = read_from = Store(self._origin, depth=depth)
        m.submodules.written_from = written_from = Store(self._origin, depth=depth)
        layout = request_layout(bus, has_parity=self._has_parity)
        request: View = data.View(layout, receiver.header.p.header)
        beat: View = data.View(write_beat_layout(bus), receiver.beats.p.element)
        offers, write, strobe = receiver.header.valid, request.write, beat.strobe
        if self._has_parity:
            strobe = Mux(receiver.beats.p.wrong, 0, strobe)
        for channel, chosen, origins in (
            (reads.ar, ~write, read_from),
            (writes.aw, write, written_from),
        ):
            m.d.comb += [
                channel.valid.eq(offers & chosen & origins.i.ready),
                origins.i.valid.eq(offers & chosen & channel.ready),
                origins.i.p.eq(Cat(request.tag, receiver.header.p.source)),
                *(
                    channel.p[name].eq(request[name])
                    for name in layout.members
                    if name in channel.p.shape().members
                ),
            ]
        takes = [
            channel.ready & origins.i.ready
            for channel, origins in ((writes.aw, written_from), (reads.ar, read_from))
        ]
        m.d.comb += [
            receiver.header.ready.eq(Mux(write, *takes)),
            writes.w.valid.eq(receiver.beats.valid),
            writes.w.p.eq(Cat(beat.data, strobe, receiver.beats.p.last)),
            receiver.beats.ready.eq(writes.w.ready),
        ]
        return read_from, written_from

    def _spoilt(self, m: Module, receiver: PacketReceiver) -> Store:
        """Whether each write whose data have all come was wrong: its last beat has the mark."""
        m.submodules.spoilt = spoilt = Store(1, depth=self._bus.outstanding)
        beats = receiver.beats
        m.d.comb += [
            spoilt.i.valid.eq(beats.valid & beats.ready & beats.p.last),
            spoilt.i.p.eq(beats.p.wrong),
        ]
        lost = spoilt.i.valid & ~spoilt.i.ready
        m.d.sync += Assert(~lost, "target: every write's mark must find space")
        return spoilt

    def _write_answers(
        self,
        m: Module,
        sender: PacketSender,
        writes: WriteGuard,
        origins: Store,
        spoilt: Store | None,
    ) -> None:
        origin, response = origins.o.p, writes.b.p.response
        outcome, known = Cat(response[0] & response[1], response[1]), origins.o.valid
        if spoilt is not None:
            outcome = Mux(spoilt.o.p, Response.SLVERR, outcome)
            known = known & spoilt.o.valid
            m.d.comb += spoilt.o.ready.eq(sender.single.ready)
        m.d.comb += [
            sender.single.valid.eq(writes.b.valid & known),
            sender.single.p.header.eq(Cat(Const(1, 1), origin.tag, outcome)),
            sender.single.p.destination.eq(origin.source),
            writes.b.ready.eq(sender.single.ready),
            origins.o.ready.eq(sender.single.ready),
        ]

    def _read_answers(
        self, m: Module, sender: PacketSender, reads: ReadGuard, origins: Store
    ) -> None:
        """Reads whose data are whole, as packets."""
        depth = max(self._bus.burst, SMALLEST)
        m.submodules.store = store = BurstStore(sender.beats.p.shape(), depth=depth)
        beat, origin = reads.r.p, origins.o.p
        outcome = Cat(beat.response[0] & beat.response[1], beat.response[1])
        m.d.comb += [
            store.i.valid.eq(reads.r.valid),
            store.i.p.eq(Cat(beat.data, outcome, beat.last)),
            reads.r.ready.eq(store.i.ready),
            store.leaves.eq(sender.burst.valid & sender.burst.ready),
            sender.burst.valid.eq(store.complete),
            sender.burst.p.header.eq(Cat(Const(0, 1), origin.tag, Const(0, 2))),
            sender.burst.p.destination.eq(origin.source),
            origins.o.ready.eq(store.leaves),
        ]
        wiring.connect(m, store.o, sender.beats)
        wrong = store.complete & ~origins.o.valid
        m.d.sync += Assert(~wrong, "target: every answer must have been requested")
