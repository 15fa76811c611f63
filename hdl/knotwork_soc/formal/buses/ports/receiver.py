"""Proof that a packet's flits are parted into its header and its beats."""

from amaranth.hdl import Cat, Mux, Value
from knotwork.formal.component import ComponentHarness, ComponentProofs
from knotwork.formal.property import Property

from ....gateware.buses.packets import PacketReceiver, flits_of

_HEADER, _BEAT, _FLIT, _ADDRESS = 5, 3, 2, 1
"""Bits: three flits of a header, the last not full; two of a beat."""
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


def _packets(harness: ReceiverHarness) -> None:
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
        claim=_packets,
        cover=16,
    )
    return ComponentProofs(_receiver, ReceiverHarness, [packets])
