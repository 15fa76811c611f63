"""Where a user's manager meets the network: reads and writes leave as packets."""

from collections.abc import Sequence

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value, ValueLike, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.axi_lite import Response
from knotwork.gateware.component import Component
from knotwork.untyped import Interface, View

from ...parameters import BusParameters
from .bus_kinds import (
    address_layout,
    axi4_signature,
    read_data_layout,
    write_data_layout,
    write_response_layout,
)
from .decoder import AddressDecoder, RegionOfNode
from .packets import (
    EPOCH_WIDTH,
    PacketReceiver,
    PacketSender,
    element_layout,
    head_layout,
    read_beat_layout,
    received_layout,
    request_header,
    request_layout,
    response_layout,
    sent_layout,
    tag_width,
    write_beat_layout,
)
from .stores import SMALLEST, Store
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
        self.decoder = decoder = AddressDecoder(bus=bus, regions=self._regions, address_width=width)
        self.transactions = under_way = Transactions(
            bus=bus, address_width=width, has_parity=self._has_parity
        )
        m.submodules.decoder, m.submodules.transactions = decoder, under_way
        wiring.connect(m, wiring.flipped(self.ar), decoder.i)
        request, refused = decoder.o.p.request, decoder.o.p.response.any()
        sends, refuses, answered = (Signal(name=one) for one in ("sends", "refuses", "answered"))
        tag, starts = Signal(under_way.tag.shape(), name="tag"), Signal(name="starts")
        depth = 2 * max(bus.burst, SMALLEST // 2)
        space = Signal(range(depth + 1), name="space", init=depth)
        self.sends, self.refuses, self.tag, self.space = sends, refuses, tag, space
        m.d.comb += [
            under_way.id.eq(request.id),
            under_way.node.eq(decoder.o.p.node),
            under_way.is_local.eq(refused),
            starts.eq(decoder.o.valid & ~sends & ~refuses & under_way.free),
            under_way.begins.eq(starts & ~refused & (space > request.length)),
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
        m.submodules.store = self.store = store = Store(self.beats.p.shape(), depth=depth)
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
        m.d.sync += space.eq(space - taken + given + freed)
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
        self.numbers = numbers = Store(self.tags.p.shape(), depth=bus.outstanding)
        m.submodules.numbers = numbers
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
        m.d.sync += Assert(~lost, "reads: every answer must find space")
        return taken

    def _own_beats(
        self, m: Module, burst: Value, refuses: Value, answered: Signal
    ) -> tuple[Signal, View]:
        """Beats with an error, and whether it is their turn: between two bursts, before others."""
        own = {"id": self._bus.id_width, "length": 8, "response": 2}
        refused: View = data.View(data.StructLayout(own), burst)
        mine, begun, count = Signal(name="mine"), Signal(name="begun"), Signal(8, name="count")
        self.mine, self.begun, self.count = mine, begun, count
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


class WriteInitiator(Component):
    """Stores each burst whole, then offers it as a packet; answers those that go to no node.

    The number of beats of a burst follows from its address, so `WLAST` is not read. With parity
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
        self.decoder, self.transactions = decoder, under_way
        wiring.connect(m, wiring.flipped(self.aw), decoder.i)
        request, refused = decoder.o.p.request, decoder.o.p.response.any()
        sends, drops, answers = (Signal(name=name) for name in ("sends", "drops", "answers"))
        tag = Signal(under_way.tag.shape(), name="tag")
        self.sends, self.drops, self.responds, self.tag = sends, drops, answers, tag
        complete, ended = self._beats(m, request.length, sends, drops)
        m.d.comb += [
            under_way.id.eq(request.id),
            under_way.node.eq(decoder.o.p.node),
            under_way.is_local.eq(refused),
            under_way.begins.eq(
                decoder.o.valid & ~(sends | drops | answers) & (refused | complete) & under_way.free
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
        self.store = store = Store(layout, depth=max(self._bus.burst, SMALLEST))
        m.submodules.store = store
        beat, complete, ended = (
            Signal(8, name="beat"),
            Signal(name="complete"),
            Signal(name="ended"),
        )
        taken = Signal(name="taken")
        self.beat = beat
        m.d.comb += [
            store.i.valid.eq(self.w.valid),
            store.i.p.eq(Cat(self.w.p.data, self.w.p.strobe)),
            self.w.ready.eq(store.i.ready),
            complete.eq(store.level > length),
            self.beats.valid.eq(sends & store.o.valid),
            self.beats.p.element.eq(store.o.p),
            self.beats.p.last.eq(beat == length),
            store.o.ready.eq(drops | (sends & self.beats.ready)),
            taken.eq(store.o.valid & store.o.ready),
            ended.eq(taken & self.beats.p.last),
        ]
        with m.If(taken):
            m.d.sync += beat.eq(Mux(self.beats.p.last, 0, beat + 1))
        return complete, ended

    def _answers(
        self, m: Module, under_way: Transactions, local: Signal, outcome: ValueLike
    ) -> None:
        """Answers wait for channel B in a queue that has room for all that are under way."""
        depth = self._bus.outstanding
        m.submodules.outcomes = self.outcomes = outcomes = Store(self._outcome, depth=depth)
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
        m.d.sync += Assert(~lost, "writes: every answer must find space")


class InitiatorPort(Component):
    """Sends a manager's bursts to the nodes of their addresses, and answers it.

    It sends no burst that could wait within the network for the manager: a write leaves once all of
    its beats are here, a read once its answer has room. So `eject` is always ready. Bursts that no
    region holds, or that break a rule, it answers itself. There is no exclusive access: `AxLOCK` is
    not sent, and the answer is `OKAY`. With parity, it answers with `SLVERR` what an upset broke or
    lost.

    Latency
    -------
    3 cycles from `AWVALID` and the last beat of `W`, or 2 from `ARVALID`, to the first flit; 1 from
    the flit of an answer to `BVALID`, 1 to `RVALID` or 2 from block RAM.

    Parameters
    ----------
    bus : BusParameters
        Widths and limits.
    regions : sequence of RegionOfNode
        Which node answers for which addresses; they do not overlap.
    flit_width : int
        Bits of data in a flit.
    address_width : int
        Bits of a node's address.
    has_parity : bool
        Whether flits tell that they are wrong.

    Members
    -------
    axi : In(axi4_signature)
        From the manager.
    inject : Out(stream of sent_layout)
        Requests to the network.
    eject : In(stream of received_layout)
        Responses from the network; `ready` is always high.

    References
    ----------
    IHI 0022: A3.3.1, dependences between channels; A5 and A6, order; A7.2, exclusive accesses.
    """

    axi: Interface
    inject: stream.Interface
    eject: stream.Interface

    def __init__(
        self,
        *,
        bus: BusParameters,
        regions: Sequence[RegionOfNode],
        flit_width: int,
        address_width: int,
        has_parity: bool = False,
    ) -> None:
        self._bus, self._regions, self._has_parity = bus, tuple(regions), has_parity
        self._flit_width, self._address_width = flit_width, address_width
        super().__init__(
            {
                "axi": In(axi4_signature(bus)),
                "inject": Out(stream.Signature(sent_layout(flit_width, address_width))),
                "eject": In(
                    stream.Signature(
                        received_layout(flit_width, address_width, has_parity=has_parity)
                    )
                ),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bus = self._bus
        widths = {"flit_width": self._flit_width, "address_width": self._address_width}
        parity = self._has_parity
        half = {"bus": bus, "regions": self._regions, "address_width": self._address_width}
        m.submodules.writes = writes = WriteInitiator(has_parity=parity, **half)
        m.submodules.reads = reads = ReadInitiator(has_parity=parity, **half)
        request = request_layout(bus, has_parity=parity)
        response = response_layout(bus, has_parity=parity)
        m.submodules.sender = sender = PacketSender(
            header_width=request.size, beat_width=write_beat_layout(bus).size, **widths
        )
        m.submodules.receiver = receiver = PacketReceiver(
            header_width=response.size,
            beat_width=read_beat_layout(bus).size,
            has_parity=parity,
            **widths,
        )
        for channel, inner in (("aw", writes.aw), ("w", writes.w), ("ar", reads.ar)):
            wiring.connect(m, wiring.flipped(getattr(self.axi, channel)), inner)
        wiring.connect(m, writes.b, wiring.flipped(self.axi.b))
        wiring.connect(m, reads.r, wiring.flipped(self.axi.r))
        wiring.connect(m, writes.head, sender.burst)
        wiring.connect(m, writes.beats, sender.beats)
        wiring.connect(m, reads.head, sender.single)
        wiring.connect(m, sender.o, wiring.flipped(self.inject))
        wiring.connect(m, wiring.flipped(self.eject), receiver.i)
        wiring.connect(m, receiver.beats, reads.beats)
        header: View = data.View(response, receiver.header.p.header)
        if parity:
            m.d.comb += receiver.unwanted.eq(~Mux(header.write, writes.wanted, reads.wanted))
        m.d.comb += [
            writes.answers.valid.eq(receiver.header.valid & header.write),
            writes.answers.p.eq(Cat(header.tag, header.response)),
            reads.tags.valid.eq(receiver.header.valid & ~header.write),
            reads.tags.p.eq(header.tag),
            receiver.header.ready.eq(1),
        ]
        return m
