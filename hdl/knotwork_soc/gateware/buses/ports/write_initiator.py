"""Writes of an initiator: from its channels AW and W to packets, and from answers to channel B."""

from collections.abc import Sequence

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value, ValueLike
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.axi_lite import Response
from knotwork.gateware.component import Component

from ....bus import BusParameters
from ..axi4 import address_layout, write_data_layout, write_response_layout
from ..packets.layouts import (
    EPOCH_WIDTH,
    element_layout,
    head_layout,
    request_header,
    request_layout,
    tag_width,
    write_beat_layout,
)
from ..packets.store import SMALLEST, Store
from .decoder import AddressDecoder, RegionOfNode
from .transactions import Transactions


class WriteInitiator(Component):
    """Stores each burst whole, then offers it as a packet; answers those that go to no node.

    How many beats a burst has is told by its address, so `WLAST` is not read. With parity
    it answers lost bursts itself.

    Latency
    -------
    3 cycles from the later of a burst's address and its last beat to the packet's head; 1 cycle
    from an answer to channel B.

    Parameters
    ----------
    bus, regions, address_width, has_parity
        As of `InitiatorPort`.

    Members
    -------
    aw, w : In(stream)
        Channels of AXI4; data may come before their address.
    b : Out(stream)
        Channel of AXI4.
    head : Out(stream of header and destination)
        Packets to send, whose beats are all there.
    beats : Out(stream of element_layout)
        Their beats.
    answers : In(stream of tag and response)
        Outcomes; `ready` is always high.
    wanted : Out(1)
        Whether the outcome in `answers.p` is; only with parity.
    """

    aw: stream.Interface
    w: stream.Interface
    b: stream.Interface
    head: stream.Interface
    beats: stream.Interface
    answers: stream.Interface
    wanted: Signal

    def __init__(
        self,
        *,
        bus: BusParameters,
        regions: Sequence[RegionOfNode],
        address_width: int,
        has_parity: bool = False,
    ) -> None:
        tag = tag_width(bus, has_parity=has_parity)
        self._outcome = data.StructLayout({"tag": tag, "response": 2})
        header = request_layout(bus, has_parity=has_parity).size
        self._regions, self._has_parity = regions, has_parity
        self._bus, self._address_width = bus, address_width
        super().__init__(
            {
                "aw": In(stream.Signature(address_layout(bus))),
                "w": In(stream.Signature(write_data_layout(bus))),
                "b": Out(stream.Signature(write_response_layout(bus))),
                "head": Out(stream.Signature(head_layout(header, address_width))),
                "beats": Out(stream.Signature(element_layout(write_beat_layout(bus).size))),
                "answers": In(stream.Signature(self._outcome)),
            }
            | ({"wanted": Out(1)} if has_parity else {})
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bus, width = self._bus, self._address_width
        decoder = AddressDecoder(bus=bus, regions=self._regions, address_width=width)
        under_way = Transactions(bus=bus, address_width=width, has_parity=self._has_parity)
        m.submodules.decoder, m.submodules.transactions = decoder, under_way
        wiring.connect(m, wiring.flipped(self.aw), decoder.i)
        request, refused = decoder.o.p.request, decoder.o.p.response.any()
        sends, drops, answers = (Signal(name=name) for name in ("sends", "drops", "answers"))
        tag = Signal(under_way.tag.shape(), name="tag")
        whole, ended = self._beats(m, request.length, sends, drops)
        m.d.comb += [
            under_way.id.eq(request.id),
            under_way.node.eq(decoder.o.p.node),
            under_way.is_local.eq(refused),
            under_way.begins.eq(
                decoder.o.valid & ~(sends | drops | answers) & (refused | whole) & under_way.free
            ),
            self.head.valid.eq(sends),
            self.head.p.header.eq(request_header(bus, request, tag, write=True)),
            self.head.p.destination.eq(decoder.o.p.node),
            decoder.o.ready.eq((sends & self.head.ready) | (answers & ~self.answers.valid)),
        ]
        with m.If(under_way.begins):
            m.d.sync += [sends.eq(~refused), drops.eq(refused), tag.eq(under_way.tag)]
        with m.If(self.head.valid & self.head.ready):
            m.d.sync += sends.eq(0)
        with m.If(drops & ended):
            m.d.sync += [drops.eq(0), answers.eq(1)]
        with m.If(answers & ~self.answers.valid):
            m.d.sync += answers.eq(0)
        self._answers(m, under_way, answers, Cat(tag, decoder.o.p.response))
        return m

    def _beats(self, m: Module, length: Value, sends: Signal, drops: Signal) -> tuple[Value, Value]:
        """Store of beats: whether it holds a whole burst, and whether a last beat leaves it."""
        layout = write_beat_layout(self._bus)
        m.submodules.store = store = Store(layout, depth=max(self._bus.burst, SMALLEST))
        beat, whole, ended = Signal(8, name="beat"), Signal(name="whole"), Signal(name="ended")
        taken = Signal(name="taken")
        m.d.comb += [
            store.i.valid.eq(self.w.valid),
            store.i.p.eq(Cat(self.w.p.data, self.w.p.strobe)),
            self.w.ready.eq(store.i.ready),
            whole.eq(store.level > length),
            self.beats.valid.eq(sends & store.o.valid),
            self.beats.p.element.eq(store.o.p),
            self.beats.p.last.eq(beat == length),
            store.o.ready.eq(drops | (sends & self.beats.ready)),
            taken.eq(store.o.valid & store.o.ready),
            ended.eq(taken & self.beats.p.last),
        ]
        with m.If(taken):
            m.d.sync += beat.eq(Mux(self.beats.p.last, 0, beat + 1))
        return whole, ended

    def _answers(
        self, m: Module, under_way: Transactions, local: Signal, outcome: ValueLike
    ) -> None:
        """Answers wait for channel B in a queue that has room for all that are under way."""
        depth = self._bus.outstanding
        m.submodules.outcomes = outcomes = Store(self._outcome, depth=depth)
        answered, offered = self.answers.valid, self.answers.valid | local
        if self._has_parity:
            m.d.comb += [
                self.wanted.eq(under_way.wanted),
                under_way.arrived.eq(self.answers.p.tag),
                under_way.arrives.eq(answered),
                under_way.forgets.eq(under_way.lost & ~offered),
            ]
            lost = Cat(under_way.lost_number, Const(0, EPOCH_WIDTH), Const(Response.SLVERR, 2))
            outcome = Mux(local, outcome, lost)
            offered = offered | under_way.lost
        m.d.comb += [
            self.answers.ready.eq(1),
            outcomes.i.valid.eq(offered),
            outcomes.i.p.eq(Mux(answered, self.answers.p, outcome)),
            self.b.valid.eq(outcomes.o.valid),
            self.b.p.response.eq(outcomes.o.p.response),
            self.b.p.id.eq(under_way.ended_id),
            outcomes.o.ready.eq(self.b.ready),
            under_way.ended.eq(outcomes.o.p.tag),
            under_way.ends.eq(self.b.valid & self.b.ready),
        ]
        lost = outcomes.i.valid & ~outcomes.i.ready
        m.d.sync += Assert(~lost, "writes: every answer must find room")
