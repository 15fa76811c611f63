"""Reads of an initiator: from its channel AR to packets, and from answers to channel R."""

from collections.abc import Sequence

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.axi_lite import Response
from knotwork.gateware.component import Component
from knotwork.untyped import View

from ....bus import BusParameters
from ..axi4 import address_layout, read_data_layout
from ..packets.layouts import (
    element_layout,
    head_layout,
    read_beat_layout,
    request_header,
    request_layout,
    tag_width,
)
from ..packets.store import SMALLEST, Store
from .decoder import AddressDecoder, RegionOfNode
from .transactions import Transactions


class ReadInitiator(Component):
    """Offers a read as a packet once its answer has room; answers those that go to no node.

    The room is two of the longest bursts: one is on its way while the other is handed out. Bursts
    are handed out whole, in the order in which they come. With parity it answers lost ones itself,
    and beats that are wrong with `SLVERR`.

    Latency
    -------
    2 cycles from an address to the packet's head; 1 cycle, 2 from block RAM, from a beat of the
    answer to channel R.

    Parameters
    ----------
    bus, regions, address_width, has_parity
        As of `InitiatorPort`.

    Members
    -------
    ar : In(stream)
        Channel of AXI4.
    r : Out(stream)
        Channel of AXI4.
    head : Out(stream of header and destination)
        Packets to send.
    tags : In(stream of tag_width)
        Number of each answer, before its beats; `ready` is always high.
    beats : In(stream of element_layout)
        Beats of the answers; `ready` is always high.
    wanted : Out(1)
        Whether the answer with the number in `tags.p` is; only with parity.
    """

    ar: stream.Interface
    r: stream.Interface
    head: stream.Interface
    tags: stream.Interface
    beats: stream.Interface
    wanted: Signal

    def __init__(
        self,
        *,
        bus: BusParameters,
        regions: Sequence[RegionOfNode],
        address_width: int,
        has_parity: bool = False,
    ) -> None:
        self._bus, self._regions, self._address_width = bus, regions, address_width
        self._has_parity = has_parity
        header = request_layout(bus, has_parity=has_parity).size
        tag = unsigned(tag_width(bus, has_parity=has_parity))
        element = element_layout(read_beat_layout(bus).size, has_parity=has_parity)
        super().__init__(
            {
                "ar": In(stream.Signature(address_layout(bus))),
                "r": Out(stream.Signature(read_data_layout(bus))),
                "head": Out(stream.Signature(head_layout(header, address_width))),
                "tags": In(stream.Signature(tag)),
                "beats": In(stream.Signature(element)),
            }
            | ({"wanted": Out(1)} if has_parity else {})
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bus, width = self._bus, self._address_width
        m.submodules.decoder = decoder = AddressDecoder(
            bus=bus, regions=self._regions, address_width=width
        )
        m.submodules.transactions = under_way = Transactions(
            bus=bus, address_width=width, has_parity=self._has_parity
        )
        wiring.connect(m, wiring.flipped(self.ar), decoder.i)
        request, refused = decoder.o.p.request, decoder.o.p.response.any()
        sends, refuses, answered = (Signal(name=one) for one in ("sends", "refuses", "answered"))
        tag, starts = Signal(under_way.tag.shape(), name="tag"), Signal(name="starts")
        depth = 2 * max(bus.burst, SMALLEST // 2)
        room = Signal(range(depth + 1), name="room", init=depth)
        m.d.comb += [
            under_way.id.eq(request.id),
            under_way.node.eq(decoder.o.p.node),
            under_way.is_local.eq(refused),
            starts.eq(decoder.o.valid & ~sends & ~refuses & under_way.free),
            under_way.begins.eq(starts & ~refused & (room > request.length)),
            self.head.valid.eq(sends),
            self.head.p.header.eq(request_header(bus, request, tag, write=False)),
            self.head.p.destination.eq(decoder.o.p.node),
        ]
        with m.If(under_way.begins):
            m.d.sync += [sends.eq(1), tag.eq(under_way.tag)]
        with m.If(self.head.valid & self.head.ready):
            m.d.sync += sends.eq(0)
        with m.If(starts & refused):
            m.d.sync += refuses.eq(1)
        with m.If(answered):
            m.d.sync += refuses.eq(0)
        m.submodules.store = store = Store(self.beats.p.shape(), depth=depth)
        wiring.connect(m, wiring.flipped(self.beats), store.i)
        own_burst = Cat(request.id, request.length, decoder.o.p.response)
        owns, gives_up, freed = refuses, Const(0), 0
        if self._has_parity:
            own_burst, gives_up = self._lost(m, under_way, own_burst, refuses, answered)
            owns = refuses | gives_up
            freed = Mux(under_way.forgets, under_way.lost_length + 1, 0)
            m.d.comb += under_way.length.eq(request.length)
        m.d.comb += decoder.o.ready.eq((sends & self.head.ready) | (answered & ~gives_up))
        own = self._own_beats(m, own_burst, owns, answered)
        given = self._answers(m, under_way, store, own)
        taken = Mux(under_way.begins, request.length + 1, 0)
        m.d.sync += room.eq(room - taken + given + freed)
        return m

    def _lost(
        self,
        m: Module,
        under_way: Transactions,
        refused: Value,
        refuses: Signal,
        answered: Signal,
    ) -> tuple[Value, Value]:
        """Burst that is answered here, a lost one or one that is refused; whether it is lost."""
        gives_up = Signal(name="gives_up")
        lost = Cat(under_way.lost_id, under_way.lost_length, Const(Response.SLVERR, 2))
        m.d.comb += [
            self.wanted.eq(under_way.wanted),
            under_way.arrived.eq(self.tags.p),
            under_way.arrives.eq(self.tags.valid),
            under_way.forgets.eq(gives_up & answered),
            under_way.frees.eq(1),
        ]
        with m.If(gives_up & answered):
            m.d.sync += gives_up.eq(0)
        with m.Elif(under_way.lost & ~refuses & ~gives_up):
            m.d.sync += gives_up.eq(1)
        return Mux(gives_up, lost, refused), gives_up

    def _answers(
        self, m: Module, under_way: Transactions, store: Store, own: tuple[Signal, View]
    ) -> Value:
        """Channel R, from the store or of the port's own beats; whether a beat leaves the store."""
        bus = self._bus
        m.submodules.numbers = numbers = Store(self.tags.p.shape(), depth=bus.outstanding)
        wiring.connect(m, wiring.flipped(self.tags), numbers.i)
        beat: View = data.View(read_beat_layout(bus), store.o.p.element)
        mine, local = own
        taken, response = Signal(name="taken"), beat.response
        if self._has_parity:
            response = Mux(store.o.p.wrong, Response.SLVERR, response)
        m.d.comb += [
            self.r.valid.eq(mine | store.o.valid),
            self.r.p.id.eq(Mux(mine, local.id, under_way.ended_id)),
            self.r.p.data.eq(Mux(mine, 0, beat.data)),
            self.r.p.response.eq(Mux(mine, local.response, response)),
            self.r.p.last.eq(Mux(mine, local.last, store.o.p.last)),
            store.o.ready.eq(self.r.ready & ~mine),
            taken.eq(store.o.valid & store.o.ready),
            under_way.ended.eq(numbers.o.p),
            under_way.ends.eq(taken & store.o.p.last),
            numbers.o.ready.eq(under_way.ends),
        ]
        lost = (self.beats.valid & ~self.beats.ready) | (self.tags.valid & ~self.tags.ready)
        m.d.sync += Assert(~lost, "reads: every answer must find room")
        return taken

    def _own_beats(
        self, m: Module, burst: Value, refuses: Value, answered: Signal
    ) -> tuple[Signal, View]:
        """Beats with an error, and whether it is their turn: between two bursts, before others."""
        own = {"id": self._bus.id_width, "length": 8, "response": 2}
        refused: View = data.View(data.StructLayout(own), burst)
        mine, begun, count = Signal(name="mine"), Signal(name="begun"), Signal(8, name="count")
        beat: View = Signal(self.r.p.shape(), name="own_beat")
        taken, ends = Signal(name="beat_taken"), Signal(name="burst_ends")
        m.d.comb += [
            beat.id.eq(refused.id),
            beat.response.eq(refused.response),
            beat.last.eq(count == refused.length),
            taken.eq(self.r.valid & self.r.ready),
            ends.eq(taken & self.r.p.last),
            answered.eq(ends & mine),
        ]
        with m.If(taken & ~mine):
            m.d.sync += begun.eq(~ends)
        with m.If(taken & mine):
            m.d.sync += count.eq(Mux(ends, 0, count + 1))
        between = ends | ~(self.r.valid | begun)
        m.d.sync += mine.eq(Mux(mine, ~ends, refuses & between))
        return mine, beat
