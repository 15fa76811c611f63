"""Bursts as packets of flits: their layouts, and what sends and receives them."""

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component
from knotwork.untyped import View

from ...parameters import BusParameters


def flits_of(width: int, flit_width: int) -> int:
    """Flits that an element of so many bits takes."""
    return -(-width // flit_width)


EPOCH_WIDTH = 2
"""Bits of a tag that change when a packet is given up for lost, so that a late answer is known."""


def number_width(bus: BusParameters) -> int:
    """Bits of the number of a transaction that is under way at an initiator."""
    return max(1, (bus.outstanding - 1).bit_length())


def tag_width(bus: BusParameters, *, has_parity: bool = False) -> int:
    """Bits of the tag by which an initiator knows a request that is under way.

    The number of the transaction, and with parity the epoch above it.
    """
    return number_width(bus) + EPOCH_WIDTH * has_parity


def request_layout(bus: BusParameters, *, has_parity: bool = False) -> data.StructLayout:
    """Header of a packet of requests; that of a write is followed by its beats.

    It has the fields of the channels AW and AR but `id` and `lock`: `tag` comes back with the
    response, and stands for the identifier meanwhile.
    """
    return data.StructLayout(
        {
            "write": 1,
            "tag": tag_width(bus, has_parity=has_parity),
            "address": bus.address_width,
            "length": 8,
            "size": 3,
            "burst": 2,
            "cache": 4,
            "prot": 3,
            "qos": 4,
        }
    )


def request_header(bus: BusParameters, request: View, tag: Value, *, write: bool) -> Value:
    """Header, as `request_layout` has it, of an address of channel AW or AR."""
    own = {"write": Const(write, 1), "tag": tag}
    return Cat(own[name] if name in own else request[name] for name in request_layout(bus).members)


def head_layout(header_width: int, address_width: int) -> data.StructLayout:
    """Header of a packet to be sent, and where to."""
    return data.StructLayout({"header": header_width, "destination": address_width})


def response_layout(bus: BusParameters, *, has_parity: bool = False) -> data.StructLayout:
    """Header of a packet of responses; that of a read is followed by its beats.

    `response` is the outcome of a write; it is 0 in that of a read, whose beats have one each.
    """
    tag = tag_width(bus, has_parity=has_parity)
    return data.StructLayout({"write": 1, "tag": tag, "response": 2})


def write_beat_layout(bus: BusParameters) -> data.StructLayout:
    """Beat of a write within a packet."""
    return data.StructLayout({"data": bus.data_width, "strobe": bus.data_bytes})


def read_beat_layout(bus: BusParameters) -> data.StructLayout:
    """Beat of a read within a packet."""
    return data.StructLayout({"data": bus.data_width, "response": 2})


def element_layout(width: int, *, has_parity: bool = False) -> data.StructLayout:
    """Element of a packet, and whether it is the last.

    With parity also `wrong`: it or something before it in its packet is.
    """
    return data.StructLayout({"element": unsigned(width), "last": 1} | _mark(has_parity))


def _mark(has_parity: bool) -> dict[str, int]:
    return {"wrong": 1} if has_parity else {}


def sent_layout(flit_width: int, address_width: int) -> data.StructLayout:
    """Beat of a node's stream to its network: the fields of `inject_layout` that packets need."""
    return data.StructLayout({"data": flit_width, "last": 1, "destination": address_width})


def received_layout(
    flit_width: int, address_width: int, *, has_parity: bool = False
) -> data.StructLayout:
    """Beat of a node's stream from its network: the fields of `eject_layout` that they need.

    With parity also `wrong`: the mark of a packet, from its first wrong flit on.
    """
    members = {"data": flit_width, "last": 1, "source": address_width}
    return data.StructLayout(members | _mark(has_parity))


class Cutter(Component):
    """Cuts elements into flits, lowest bits first; the last flit is filled up with zeros.

    Without gates where an element fits into a flit. No element is stored: it waits on `i` until
    its last flit is taken.

    Latency
    -------
    0 cycles for the first flit; one flit per cycle.

    Parameters
    ----------
    width, flit_width : int
        Bits of an element, and of a flit.

    Members
    -------
    i : In(stream of bits)
        Elements.
    o : Out(stream of element_layout)
        Flits; `last` marks the last of an element.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, *, width: int, flit_width: int) -> None:
        self._width, self._flit_width = width, flit_width
        super().__init__(
            {
                "i": In(stream.Signature(width)),
                "o": Out(stream.Signature(element_layout(flit_width))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count = flits_of(self._width, self._flit_width)
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.o.p.last.eq(1),
            self.i.ready.eq(self.o.ready & self.o.p.last),
        ]
        if count == 1:
            m.d.comb += self.o.p.element.eq(self.i.p)
            return m
        self.place = place = Signal(range(count), name="place")
        m.d.comb += self.o.p.last.eq(place == count - 1)
        with m.Switch(place):
            for number in range(count):
                with m.Case(number) if number < count - 1 else m.Default():
                    low = number * self._flit_width
                    part = self.i.p[low : min(low + self._flit_width, self._width)]
                    m.d.comb += self.o.p.element.eq(part)
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += place.eq(Mux(self.o.p.last, 0, place + 1))
        return m


class Joiner(Component):
    """Joins flits to elements, as `Cutter` cuts them.

    All flits of an element but the last are stored. Without gates where an element fits into a
    flit.

    Latency
    -------
    0 cycles from the last flit of an element.

    Parameters
    ----------
    width, flit_width : int
        Bits of an element, and of a flit.

    Members
    -------
    i : In(stream of element_layout)
        Flits; `last` is handed on.
    o : Out(stream of element_layout)
        Elements; `last` is that of the last flit.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, *, width: int, flit_width: int) -> None:
        self._width, self._flit_width = width, flit_width
        super().__init__(
            {
                "i": In(stream.Signature(element_layout(flit_width))),
                "o": Out(stream.Signature(element_layout(width))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count = flits_of(self._width, self._flit_width)
        kept = [Signal(self._flit_width, name=f"flit_{number}") for number in range(count - 1)]
        self.kept = kept
        ends = Signal(name="ends")
        m.d.comb += [
            self.o.valid.eq(self.i.valid & ends),
            self.o.p.last.eq(self.i.p.last),
            self.o.p.element.eq(Cat(*kept, self.i.p.element)),
            self.i.ready.eq(self.o.ready | ~ends),
        ]
        if count == 1:
            m.d.comb += ends.eq(Const(1))
            return m
        self.place = place = Signal(range(count), name="place")
        m.d.comb += ends.eq(place == count - 1)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += place.eq(Mux(ends, 0, place + 1))
            for number, flit in enumerate(kept):
                with m.If(place == number):
                    m.d.sync += flit.eq(self.i.p.element)
        return m


class PacketSender(Component):
    """Sends headers as packets of their own, and headers that beats follow, in turn.

    What it is offered it must be able to finish: the beats of a burst are ready before its head is
    offered, so that no packet holds a channel of the network while its sender waits.

    Latency
    -------
    0 cycles from a head to its first flit. Between two packets it idles for no cycle.

    Parameters
    ----------
    header_width, beat_width : int
        Bits of a header, and of a beat.
    flit_width, address_width : int
        Bits of a flit, and of a node's address.

    Members
    -------
    single : In(stream of header and destination)
        Packets of a header alone; taken with their last flit.
    burst : In(stream of header and destination)
        Packets of a header and beats; taken with their last flit.
    beats : In(stream of element_layout)
        Their beats; `last` marks the last of a packet.
    o : Out(stream of sent_layout)
        Flits to the network.
    """

    single: stream.Interface
    burst: stream.Interface
    beats: stream.Interface
    o: stream.Interface

    def __init__(
        self, *, header_width: int, beat_width: int, flit_width: int, address_width: int
    ) -> None:
        self._header_width, self._beat_width = header_width, beat_width
        self._flit_width = flit_width
        head = head_layout(header_width, address_width)
        super().__init__(
            {
                "single": In(stream.Signature(head)),
                "burst": In(stream.Signature(head)),
                "beats": In(stream.Signature(element_layout(beat_width))),
                "o": Out(stream.Signature(sent_layout(flit_width, address_width))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.headers = headers = Cutter(width=self._header_width, flit_width=self._flit_width)
        self.bodies = bodies = Cutter(width=self._beat_width, flit_width=self._flit_width)
        m.submodules.headers, m.submodules.bodies = headers, bodies
        bursts = self._choice(m)
        in_beats, taken = Signal(name="in_beats"), Signal(name="taken")
        self.in_beats = in_beats
        ends, ended = Signal(name="ends"), Signal(name="ended")
        m.d.comb += [
            headers.i.valid.eq(~in_beats & Mux(bursts, self.burst.valid, self.single.valid)),
            headers.i.p.eq(Mux(bursts, self.burst.p.header, self.single.p.header)),
            headers.o.ready.eq(self.o.ready),
            bodies.i.valid.eq(in_beats & self.beats.valid),
            bodies.i.p.eq(self.beats.p.element),
            bodies.o.ready.eq(self.o.ready),
            self.beats.ready.eq(in_beats & bodies.i.ready),
            self.o.valid.eq(Mux(in_beats, bodies.o.valid, headers.o.valid)),
            self.o.p.data.eq(Mux(in_beats, bodies.o.p.element, headers.o.p.element)),
            self.o.p.destination.eq(
                Mux(bursts, self.burst.p.destination, self.single.p.destination)
            ),
            ends.eq(Mux(in_beats, bodies.o.p.last & self.beats.p.last, headers.o.p.last & ~bursts)),
            self.o.p.last.eq(ends),
            taken.eq(self.o.valid & self.o.ready),
            ended.eq(taken & ends),
            self.single.ready.eq(ended & ~bursts),
            self.burst.ready.eq(ended & bursts),
        ]
        with m.If(ended):
            m.d.sync += in_beats.eq(0)
        with m.Elif(taken & headers.o.p.last & ~in_beats):
            m.d.sync += in_beats.eq(1)
        m.d.sync += Assert(~in_beats | bursts, "sender: only bursts must have beats")
        return m

    def _choice(self, m: Module) -> Value:
        """Whether the packet is a burst; chosen once for each, and in turn where both wait."""
        bursts, chosen, keeps = Signal(name="bursts"), Signal(name="chosen"), Signal(name="keeps")
        turn = Signal(name="burst_turn")
        self.bursts, self.chosen, self.keeps, self.burst_turn = bursts, chosen, keeps, turn
        m.d.comb += bursts.eq(Mux(keeps, chosen, self.burst.valid & (turn | ~self.single.valid)))
        ends = Signal(name="packet_ends")
        m.d.comb += ends.eq(Mux(bursts, self.burst.ready, self.single.ready))
        m.d.sync += [
            chosen.eq(bursts),
            keeps.eq((self.burst.valid | self.single.valid) & ~ends),
        ]
        with m.If(ends):
            m.d.sync += turn.eq(~bursts)
        return bursts


class PacketReceiver(Component):
    """Parts packets into headers and beats, as `PacketSender` made them.

    With parity, a packet whose header is wrong is taken and dropped, and so is one that is
    unwanted.

    Latency
    -------
    0 cycles from the last flit of a header or a beat.

    Parameters
    ----------
    header_width, beat_width, flit_width, address_width : int
        As of `PacketSender`.
    has_parity : bool
        Whether flits tell that they are wrong.

    Members
    -------
    i : In(stream of received_layout)
        Flits from the network.
    header : Out(stream of header and source)
        Each packet's header, before its beats.
    beats : Out(stream of element_layout)
        Beats of the packet whose header was taken last; `last` marks the last.
    unwanted : In(1)
        Whether the packet of the header in `header.p` is; only with parity.
    """

    i: stream.Interface
    header: stream.Interface
    beats: stream.Interface
    unwanted: Signal

    def __init__(
        self,
        *,
        header_width: int,
        beat_width: int,
        flit_width: int,
        address_width: int,
        has_parity: bool = False,
    ) -> None:
        self._header_width, self._beat_width = header_width, beat_width
        self._flit_width, self._has_parity = flit_width, has_parity
        head = data.StructLayout({"header": header_width, "source": address_width})
        flit = received_layout(flit_width, address_width, has_parity=has_parity)
        beat = element_layout(beat_width, has_parity=has_parity)
        super().__init__(
            {
                "i": In(stream.Signature(flit)),
                "header": Out(stream.Signature(head)),
                "beats": Out(stream.Signature(beat)),
            }
            | ({"unwanted": In(1)} if has_parity else {})
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.headers = headers = Joiner(width=self._header_width, flit_width=self._flit_width)
        self.bodies = bodies = Joiner(width=self._beat_width, flit_width=self._flit_width)
        m.submodules.headers, m.submodules.bodies = headers, bodies
        in_beats, dropped = Signal(name="in_beats"), self._dropped(m, headers.o)
        self.in_beats = in_beats
        for joiner, here in ((headers, ~in_beats), (bodies, in_beats)):
            m.d.comb += [
                joiner.i.valid.eq(self.i.valid & here),
                joiner.i.p.element.eq(self.i.p.data),
                joiner.i.p.last.eq(self.i.p.last),
            ]
        m.d.comb += [
            self.header.valid.eq(headers.o.valid & ~dropped),
            self.header.p.header.eq(headers.o.p.element),
            self.header.p.source.eq(self.i.p.source),
            headers.o.ready.eq(self.header.ready | dropped),
            self.beats.valid.eq(bodies.o.valid & ~dropped),
            self.beats.p.element.eq(bodies.o.p.element),
            self.beats.p.last.eq(bodies.o.p.last),
            bodies.o.ready.eq(self.beats.ready | dropped),
            self.i.ready.eq(Mux(in_beats, bodies.i.ready, headers.i.ready)),
        ]
        if self._has_parity:
            m.d.comb += self.beats.p.wrong.eq(self.i.p.wrong)
        with m.If(headers.o.valid & headers.o.ready):
            m.d.sync += in_beats.eq(~headers.o.p.last)
        with m.If(bodies.o.valid & bodies.o.ready):
            m.d.sync += in_beats.eq(~bodies.o.p.last)
        return m

    def _dropped(self, m: Module, headers: stream.Interface) -> Value:
        """Whether what is shown is of a packet to drop.

        A mark stays until its packet's end, so the last flit of a header or a beat has that of all.
        """
        if not self._has_parity:
            return Const(0)
        drops, dropped = Signal(name="drops"), Signal(name="dropped")
        m.d.comb += dropped.eq(drops | (headers.valid & (self.i.p.wrong | self.unwanted)))
        with m.If(self.i.valid & self.i.ready & (headers.valid | drops)):
            m.d.sync += drops.eq(dropped & ~self.i.p.last)
        return dropped
