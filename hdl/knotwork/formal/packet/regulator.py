"""Proof of a regulator: what it lets through, and that it neither loses nor delays without need."""

from fractions import Fraction

from amaranth.hdl import Mux, Value
from amaranth.lib import data

from ...gateware.packet.classes import Regulator
from ..component import ComponentHarness, ComponentProofs
from ..property import Property

RATE, BURST = Fraction(2, 5), 3
"""Beats per cycle, and tokens, in a proof."""
_GAIN, _COST = RATE.numerator, RATE.denominator
_FULL = BURST * _COST
_LONGEST = -(-_FULL // _GAIN)
"""Cycles in which an empty bucket fills."""
_BITS = (_FULL + _COST).bit_length()


def _regulator() -> Regulator:
    return Regulator(data.StructLayout({"data": 2, "last": 1}), rate=RATE, burst=BURST)


class RegulatorHarness(ComponentHarness):
    """Harness of a regulator, before which beats stay until they are taken."""

    def __init__(self) -> None:
        self.regulator = _regulator()
        super().__init__(self.regulator)
        self.i, self.o = self.stream("i"), self.stream("o")
        self.assume_stream("i")
        self.missing = self.probe(self.regulator.missing)

    @property
    def holds_back(self) -> Value:
        """Whether a beat is offered and not shown."""
        return self.i.valid & ~self.o.valid


def _rate(harness: RegulatorHarness) -> None:
    """A bucket that is full at any time, and filled no further, never lacks a token."""
    left = harness.register(_BITS, "left", init=_FULL)
    filled = harness.named(left - Mux(harness.o.moves, _COST, 0) + _GAIN, "filled")[:_BITS]
    begins = harness.any_value()
    harness.m.d.sync += left.eq(Mux(begins | (filled >= _FULL), _FULL, filled))
    harness.claim(harness.missing <= _FULL)
    harness.claim(left + harness.missing >= _FULL)
    harness.claim(~harness.o.moves | (left >= _COST))
    harness.cover(harness.o.moves & (left < 2 * _COST))


def _claim_contiguous_packets(harness: RegulatorHarness) -> None:
    """The beats of a packet up to the bucket's size follow each other."""
    beats = harness.register(BURST.bit_length(), "beats")
    with harness.m.If(harness.i.moves):
        more = Mux(beats == BURST, BURST, beats + 1)
        harness.m.d.sync += beats.eq(Mux(harness.i.payload.last, 0, more))
    within = harness.named((beats != 0) & (beats < BURST), "within")
    harness.claim(harness.probe(harness.regulator.in_packet) == (beats != 0))
    harness.claim(~within | (harness.missing <= beats * _COST))
    harness.claim(~(within & harness.holds_back))
    harness.cover((beats == BURST) & harness.holds_back)


def _passes(harness: RegulatorHarness) -> None:
    """What comes leaves unchanged, in the same cycle, after a wait that has an end."""
    i, o = harness.i, harness.o
    harness.claim(i.moves == o.moves)
    harness.claim(~o.valid | (Value.cast(o.payload) == Value.cast(i.payload)))
    harness.claim_stream("o")
    waited = harness.register(_LONGEST.bit_length() + 1, "waited")
    harness.m.d.sync += waited.eq(Mux(harness.holds_back, waited + 1, 0))
    harness.claim(harness.missing <= _FULL)
    harness.claim((waited == 0) | (harness.missing + waited * _GAIN <= _FULL + _GAIN - 1))
    harness.claim(~harness.holds_back | (waited < _LONGEST))
    harness.cover(waited == _LONGEST - 3)


def regulator_proofs() -> ComponentProofs:
    """Proofs of `Regulator`, with a bucket of three tokens and two fifths of one per cycle."""
    rate = Property(
        name="rate",
        text="in any t cycles no more than burst + rate * t beats pass",
        claim=_rate,
        cover=30,
    )
    whole = Property(
        name="whole",
        text="no packet of up to burst beats is interrupted",
        claim=_claim_contiguous_packets,
        cover=30,
    )
    passes = Property(
        name="passes",
        text="beats pass unchanged, stay until taken, and wait for no more than a full bucket",
        claim=_passes,
        cover=40,
    )
    return ComponentProofs(_regulator, RegulatorHarness, [rate, whole, passes])
