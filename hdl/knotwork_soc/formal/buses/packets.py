"""Proofs that packets are what was offered, flit by flit, and are parted as they were made."""

from amaranth.hdl import Cat, Const, Mux, Value
from knotwork.formal.component import ComponentHarness, ComponentProofs
from knotwork.formal.property import Property

from ...gateware.buses.packets import PacketReceiver, PacketSender, flits_of

_HEADER, _BEAT, _FLIT, _ADDRESS = 5, 3, 2, 1
"""Bits: three flits of a header, the last not full; two of a beat."""


class SenderHarness(ComponentHarness):
    """Harness of `PacketSender`; whoever offers a burst has its beats ready.

    Members
    -------
    sender : PacketSender
        The sender.
    is_burst, chosen, keeps : Value
        The packet is a burst; it was one in the cycle before; that choice is kept.
    flit : Value
        Flits of the element that is being sent which have left.
    body : Value
        The packet's header has left.
    """

    def __init__(self) -> None:
        super().__init__(_sender())
        self.single, self.burst, self.beats, self.o = (
            self.stream(name) for name in ("single", "burst", "beats", "o")
        )
        for name in ("single", "burst", "beats"):
            self.assume_stream(name)
        self.flit, self.body = self.register(2, "flit"), self.register(1, "body")
        self.sender = sender = self.component("", PacketSender)
        self.is_burst, self.chosen, self.keeps = map(
            self.probe, (sender.bursts, sender.chosen, sender.keeps)
        )
        count = Mux(self.body, flits_of(_BEAT, _FLIT), flits_of(_HEADER, _FLIT))
        self.ends_element = self.named(self.flit == count - 1, "ends_element")
        last = Mux(self.body, self.beats.payload.last, ~self.is_burst)
        self.ends = self.named(self.ends_element & last, "ends")
        with self.m.If(self.o.moves):
            self.m.d.sync += self.flit.eq(Mux(self.ends_element, 0, self.flit + 1))
            with self.m.If(self.ends_element):
                self.m.d.sync += self.body.eq(~self.ends)

    def head(self, name: str) -> Value:
        """Field of the head of the packet that is being sent."""
        return Mux(self.is_burst, self.burst.payload[name], self.single.payload[name])

    def expected(self) -> Value:
        """Data of the flit: a part of the header or of a beat."""
        header = Cat(self.head("header"), Const(0, _FLIT))
        beat = Cat(self.beats.payload.element, Const(0, _FLIT))
        return Mux(
            self.body, beat.word_select(self.flit, _FLIT), header.word_select(self.flit, _FLIT)
        )


def _sender() -> PacketSender:
    return PacketSender(
        header_width=_HEADER, beat_width=_BEAT, flit_width=_FLIT, address_width=_ADDRESS
    )


def _sent_packets(harness: SenderHarness) -> None:
    """Claim every flit, and what is taken with it."""
    o, single, burst, beats = harness.o, harness.single, harness.burst, harness.beats
    flits = Mux(harness.body, flits_of(_BEAT, _FLIT), flits_of(_HEADER, _FLIT))
    harness.claim(harness.flit < flits)
    sender, chosen, keeps = harness.sender, harness.chosen, harness.keeps
    harness.claim(harness.probe(sender.in_beats) == harness.body)
    harness.claim(harness.probe(sender.headers.place) == Mux(harness.body, 0, harness.flit))
    harness.claim(harness.probe(sender.bodies.place) == Mux(harness.body, harness.flit, 0))
    begun = harness.body | (harness.flit != 0)
    harness.claim(~begun | keeps)
    harness.claim(~keeps | Mux(chosen, burst.valid, single.valid))
    harness.claim(~harness.body | chosen)
    offered = Mux(harness.body, beats.valid, burst.valid | single.valid)
    harness.claim(o.valid == offered)
    harness.claim(~o.valid | (o.payload.data == harness.expected()))
    harness.claim(~o.valid | (o.payload.destination == harness.head("destination")))
    harness.claim(~o.valid | (o.payload.last == harness.ends))
    harness.claim(single.moves == (o.moves & harness.ends & ~harness.is_burst))
    harness.claim(burst.moves == (o.moves & harness.ends & harness.is_burst))
    harness.claim(beats.moves == (o.moves & harness.ends_element & harness.body))
    harness.claim_stream("o")
    harness.cover(burst.moves)
    harness.cover(single.moves)


def _sender_turns(harness: SenderHarness) -> None:
    """Claim that no packet waits for more than one of the other kind."""
    for name, stream, other in (
        ("single", harness.single, harness.burst),
        ("burst", harness.burst, harness.single),
    ):
        passed = harness.register(2, f"passed_{name}")
        with harness.m.If(stream.moves | ~stream.valid):
            harness.m.d.sync += passed.eq(0)
        with harness.m.Elif(other.moves & (passed != 3)):
            harness.m.d.sync += passed.eq(passed + 1)
        turn = harness.probe(harness.sender.burst_turn)
        mine = turn if name == "burst" else ~turn
        keeps, chosen = harness.keeps, harness.chosen
        has = chosen if name == "burst" else ~chosen
        harness.claim((passed == 0) | mine)
        harness.claim((passed == 0) | ~keeps | has)
        harness.claim(passed <= 1)
        harness.cover(passed == 1)


PACKETS = Property(
    name="packets",
    text="every flit of a packet is that of its header or beat, and each is sent once",
    claim=_sent_packets,
    cover=16,
)
TURNS = Property(
    name="turns",
    text="no packet waits for more than one of the other kind",
    claim=_sender_turns,
    lemmas=(PACKETS,),
    cover=20,
)


def sender_proofs() -> ComponentProofs:
    """Proofs of `PacketSender` with headers of three flits and beats of two."""
    return ComponentProofs(_sender, SenderHarness, [PACKETS, TURNS])


_MOST = flits_of(_HEADER, _FLIT)


def _receiver() -> PacketReceiver:
    return PacketReceiver(
        header_width=_HEADER, beat_width=_BEAT, flit_width=_FLIT, address_width=_ADDRESS
    )


class ReceiverHarness(ComponentHarness):
    """Harness of `PacketReceiver`, to which packets come as `PacketSender` is proven to make them.

    Members
    -------
    flit : Value
        Flits of the element that is coming which were taken.
    body : Value
        The packet's header was taken.
    ends : Value
        The flit that is coming is the last of its element.
    """

    def __init__(self) -> None:
        super().__init__(_receiver())
        self.i, self.header, self.beats = (self.stream(n) for n in ("i", "header", "beats"))
        self.flit, self.body = self.register(2, "flit"), self.register(1, "body")
        count = Mux(self.body, flits_of(_BEAT, _FLIT), _MOST)
        self.ends = self.named(self.flit == count - 1, "ends")
        self.assume_stream("i")
        # An element is whole: a packet ends with one.
        self.environment(~self.i.valid | self.ends | ~self.i.payload.last)
        self.kept = self.register(_FLIT * _MOST, "kept")
        with self.m.If(self.i.moves):
            place = self.kept.word_select(self.flit, _FLIT)
            self.m.d.sync += [
                place.eq(self.i.payload.data),
                self.flit.eq(Mux(self.ends, 0, self.flit + 1)),
            ]
            with self.m.If(self.ends):
                self.m.d.sync += self.body.eq(~self.i.payload.last)

    def element(self, width: int) -> Value:
        """Element of so many bits, of which the last flit is coming."""
        before = _FLIT * (flits_of(width, _FLIT) - 1)
        return Cat(self.kept[:before], self.i.payload.data)[:width]


def _received_packets(harness: ReceiverHarness) -> None:
    i, header, beats = harness.i, harness.header, harness.beats
    flit, body, ends = harness.flit, harness.body, harness.ends
    harness.claim(flit < Mux(body, flits_of(_BEAT, _FLIT), _MOST))
    receiver = harness.component("", PacketReceiver)
    harness.claim(harness.probe(receiver.in_beats) == body)
    for joiner, here in ((receiver.headers, ~body), (receiver.bodies, body)):
        harness.claim(harness.probe(joiner.place) == Mux(here, flit, 0))
        for number, stored in enumerate(map(harness.probe, joiner.kept)):
            taken = harness.kept.word_select(number, _FLIT)
            harness.claim(~here | (flit <= number) | (stored == taken))
    harness.claim(header.valid == (i.valid & ends & ~body))
    harness.claim(beats.valid == (i.valid & ends & body))
    harness.claim(~header.valid | (header.payload.header == harness.element(_HEADER)))
    harness.claim(~header.valid | (header.payload.source == i.payload.source))
    harness.claim(~beats.valid | (beats.payload.element == harness.element(_BEAT)))
    harness.claim(~beats.valid | (beats.payload.last == i.payload.last))
    taken = Mux(body, beats.ready, header.ready)
    harness.claim(i.ready == (~ends | taken))
    harness.claim_stream("header")
    harness.claim_stream("beats")
    harness.cover(header.moves & i.payload.last)
    harness.cover(beats.moves & i.payload.last)


def receiver_proofs() -> ComponentProofs:
    """Proofs of `PacketReceiver` with headers of three flits and beats of two."""
    packets = Property(
        name="packets",
        text="every header and beat is that of the packet's flits, and comes once, in order",
        claim=_received_packets,
        cover=16,
    )
    return ComponentProofs(_receiver, ReceiverHarness, [packets])
