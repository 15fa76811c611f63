"""Proof of an address decoder, against the addresses of the bytes of every beat."""

from dataclasses import replace
from functools import reduce
from operator import or_

from amaranth.hdl import Mux, Signal, Value
from knotwork.formal.component import ComponentHarness, ComponentProofs
from knotwork.formal.property import Property
from knotwork.gateware.axi_lite import Response

from ...gateware.buses.bus_kinds import Burst
from ...gateware.buses.decoder import AddressDecoder, RegionOfNode
from ...parameters import BusParameters

ADDRESS = 14
"""Bits of an address in a proof, four pages."""
REGIONS = (
    RegionOfNode(base=0x0000, size=0x1000, node=1),
    RegionOfNode(base=0x1000, size=0x0800, node=2),
    RegionOfNode(base=0x1914, size=0x010F, node=3),
    RegionOfNode(base=0x2000, size=0x1800, node=4),
)
"""A whole page, a part of one, one of an odd size, and one over a boundary."""
_PAGE = 4096
_BITS = 24
"""Bits in which no sum of a proof overflows."""


def _decoder(bus: BusParameters) -> AddressDecoder:
    return AddressDecoder(bus=bus, regions=REGIONS, address_width=3)


class DecoderHarness(ComponentHarness):
    """Harness of an address decoder.

    Members
    -------
    request : View
        The burst at `o`.
    within : Value
        The byte `byte` of the beat `beat`, any of either, belongs to the burst.
    address : Value
        That byte's address.
    first, last : Value
        The lowest and the highest address of a burst that breaks no rule.
    """

    def __init__(self, bus: BusParameters) -> None:
        super().__init__(_decoder(bus))
        self.bus = bus
        self.i, self.o = self.stream("i"), self.stream("o")
        self.request = request = self.o.payload.request
        bytes_of_beat = self._wide(1 << request.size, "bytes_of_beat")
        start = self._wide(request.address, "start")
        aligned = self._down(start, bytes_of_beat, "aligned")
        complete = self._wide((request.length + 1) << request.size, "complete")
        lowest = self._down(start, complete, "lowest")
        is_wrap, is_fixed = request.burst == Burst.WRAP, request.burst == Burst.FIXED
        beat, byte = self.any_constant(8), self.any_constant(7)
        onward = self._wide(aligned + (beat << request.size), "onward")
        around = Mux(onward >= lowest + complete, onward - complete, onward)
        later = Mux(is_fixed, start, Mux(is_wrap, around, onward))
        of_beat = self._wide(Mux(beat == 0, start, later), "of_beat")
        end = self._down(of_beat, bytes_of_beat, "of_beat_aligned") + bytes_of_beat
        self.address = self._wide(of_beat + byte, "address")
        self.within = (beat <= request.length) & (self.address < end)
        moving = Mux(is_wrap, lowest, start), Mux(is_wrap, lowest, aligned) + complete - 1
        self.first = self._wide(Mux(is_fixed, start, moving[0]), "first")
        self.last = self._wide(Mux(is_fixed, aligned + bytes_of_beat - 1, moving[1]), "last")
        self.is_aligned = start == aligned

    def _wide(self, value: Value, name: str) -> Signal:
        wire = Signal(_BITS, name=f"wide_{name}")
        self.m.d.comb += wire.eq(value)
        return wire

    def _down(self, value: Value, size: Value, name: str) -> Signal:
        """Multiple of a power of two below a value."""
        return self._wide(value & ~(size - 1), name)

    def held_by(self, region: RegionOfNode, address: Value) -> Value:
        """Whether a region has this address."""
        return (address >= region.base) & (address < region.base + region.size)

    @property
    def breaks(self) -> Value:
        """Whether a burst that some region holds breaks a rule."""
        request = self.request
        pages = self.first // _PAGE != self.last // _PAGE
        beats = request.length + 1
        wraps = reduce(or_, (beats == count for count in (2, 4, 8, 16)))
        return (
            (beats > self.bus.burst)
            | ((1 << request.size) > self.bus.data_bytes)
            | pages
            | (request.burst == 3)
            | ((request.burst == Burst.FIXED) & (beats > 16))
            | ((request.burst == Burst.WRAP) & (~wraps | ~self.is_aligned))
        )


def _burst(harness: DecoderHarness) -> None:
    """Claim that each burst comes out once, in order, as it was."""
    kept = harness.register(len(Value.cast(harness.request)), "kept")
    waits = harness.register(1, "waits")
    with harness.m.If(harness.i.moves):
        harness.m.d.sync += kept.eq(Value.cast(harness.i.payload))
    harness.m.d.sync += waits.eq(harness.i.moves | (waits & ~harness.o.moves))
    harness.claim(harness.o.valid == waits)
    harness.claim(~waits | (Value.cast(harness.request) == kept))
    harness.claim(harness.i.ready == (~waits | harness.o.ready))
    harness.claim_stream("o")
    harness.cover(harness.i.moves & harness.o.moves)


def _node(harness: DecoderHarness) -> None:
    """Claim of an accepted burst that any byte of any beat is the node's, and of its first page."""
    okay = harness.o.valid & (harness.o.payload.response == Response.OKAY)
    node = harness.o.payload.node
    mine = reduce(
        or_,
        ((node == region.node) & harness.held_by(region, harness.address) for region in REGIONS),
    )
    page = harness.request.address // _PAGE == harness.address // _PAGE
    harness.claim(~(okay & harness.within) | mine)
    harness.claim(~(okay & harness.within) | page)
    for kind in Burst:
        harness.cover(okay & (harness.request.burst == kind) & (harness.request.length != 0))


def _error(harness: DecoderHarness) -> None:
    """Claim the error of bursts."""
    response, observed = harness.o.payload.response, harness.o.valid
    held = reduce(
        or_,
        (
            harness.held_by(region, harness.first) & harness.held_by(region, harness.last)
            for region in REGIONS
        ),
    )
    breaks = harness.named(harness.breaks, "breaks")
    harness.claim(~(observed & ~breaks & held) | (response == Response.OKAY))
    harness.claim(~(observed & ~breaks & ~held) | (response == Response.DECERR))
    harness.claim(~(observed & breaks) | (response != Response.OKAY))
    harness.claim(~(observed & breaks & held) | (response == Response.SLVERR))
    harness.cover(observed & (response == Response.DECERR))
    harness.cover(observed & (response == Response.SLVERR))


def decoder_proofs(bus: BusParameters) -> ComponentProofs:
    """Proofs of `AddressDecoder` with four regions."""
    bus = replace(bus, address_width=ADDRESS, data_width=32, burst=32)
    burst = Property(
        name="burst", text="every burst comes out once, in order, as it was", claim=_burst
    )
    node = Property(
        name="node",
        text="every byte of every beat of an accepted burst is its node's, and of one page",
        claim=_node,
    )
    error = Property(
        name="error",
        text="a burst that no region holds is a decode error, one that breaks a rule a slave error",
        claim=_error,
    )
    return ComponentProofs(lambda: _decoder(bus), lambda: DecoderHarness(bus), [burst, node, error])
