"""Address decoder: which node serves an address."""

from collections.abc import Sequence
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, ValueLike
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out
from knotwork.gateware.axi_lite import Response
from knotwork.gateware.component import Component
from knotwork.untyped import View

from ...parameters import BusParameters
from .bus_kinds import Burst, address_layout

_PAGE = 12
"""Bits of an address within 4 KiB, a boundary that no burst crosses."""


class RegionOfNode(NamedTuple):
    """Addresses that a node answers for.

    Members
    -------
    base, size : int
        First address, and bytes.
    node : int
        The node's address in its network.
    """

    base: int
    size: int
    node: int


def decoded_layout(bus: BusParameters, address_width: int) -> data.StructLayout:
    """Burst, the node that it goes to, and the error to answer it with, `OKAY` for none."""
    return data.StructLayout({"request": address_layout(bus), "node": address_width, "response": 2})


class AddressDecoder(Component):
    """Finds the node that all bytes of a burst belong to.

    The error is `DECERR` where no region holds the whole burst, else `SLVERR` where the burst
    breaks a rule: longer than `bus.burst`, or than its kind may be; beats wider than the bus; over
    a boundary of 4 KiB; one that wraps and begins within a beat; of no known kind.

    Latency
    -------
    1 cycle; one burst per cycle.

    Parameters
    ----------
    bus : BusParameters
        Widths and limits.
    regions : sequence of RegionOfNode
        Which node answers for which addresses; they do not overlap.
    address_width : int
        Bits of a node's address.

    Members
    -------
    i : In(stream of address_layout)
        Channel AW or AR.
    o : Out(stream of decoded_layout)
        The burst, and what becomes of it.

    References
    ----------
    IHI 0022, A3.4.1: first and last address of a burst; 4 KiB; where a burst that wraps begins.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(
        self, *, bus: BusParameters, regions: Sequence[RegionOfNode], address_width: int
    ) -> None:
        self._bus, self._regions = bus, tuple(regions)
        for region in self._regions:
            if region.base < 0 or region.size < 1 or region.base + region.size > self._beyond:
                raise ValueError(f"region must lie within {bus.address_width} bits, not {region}")
            if not 0 <= region.node < 1 << address_width:
                raise ValueError(
                    f"node of a region must have {address_width} bits, not {region.node}"
                )
        super().__init__(
            {
                "i": In(stream.Signature(address_layout(bus))),
                "o": Out(stream.Signature(decoded_layout(bus, address_width))),
            }
        )

    @property
    def _beyond(self) -> int:
        return 1 << self._bus.address_width

    def elaborate(self, platform: object) -> Module:
        m = Module()
        request = self.i.p
        first, last, crosses, unaligned = self._bytes(m, request)
        longest, widest = self._bus.burst - 1, (self._bus.data_bytes - 1).bit_length()
        node = Signal(self.o.p.node.shape(), name="node")
        held, broken = Signal(name="held"), Signal(name="broken")
        hits = []
        for number, region in enumerate(self._regions):
            hit = Signal(name=f"hit_{number}")
            m.d.comb += hit.eq(self._within(region, first, last))
            hits.append(hit)
            with m.If(hit):
                m.d.comb += node.eq(region.node)
        m.d.comb += [
            held.eq(Cat(hits).any()),
            broken.eq(
                (request.length > longest)
                | (request.size > widest)
                | crosses
                | (request.burst > Burst.WRAP)
                | ((request.burst == Burst.FIXED) & (request.length > 15))
                | (
                    (request.burst == Burst.WRAP)
                    & (~request.length.matches(1, 3, 7, 15) | unaligned)
                )
            ),
            self.i.ready.eq(~self.o.valid | self.o.ready),
        ]
        error = Mux(broken, Response.SLVERR, Response.OKAY)
        with m.If(self.i.ready):
            m.d.sync += [
                self.o.valid.eq(self.i.valid),
                self.o.p.request.eq(request),
                self.o.p.node.eq(node),
                self.o.p.response.eq(Mux(held, error, Response.DECERR)),
            ]
        return m

    def _bytes(self, m: Module, request: View) -> tuple[Value, Value, Value, Value]:
        """First and last byte's address, right where the third value, to cross 4 KiB, is low.

        The fourth is high where the address is none of a whole beat.
        """
        low = request.address[:_PAGE]
        spread, mask = Signal(15, name="spread"), Signal(15, name="mask")
        end, first = Signal(17, name="end"), Signal(_PAGE, name="first")
        of_beat = (Const(1, 8) << request.size)[:7] - 1
        within = Signal(7, name="within_beat")
        is_wrap = request.burst == Burst.WRAP
        is_fixed = request.burst == Burst.FIXED
        m.d.comb += [
            within.eq(of_beat),
            spread.eq(Mux(is_fixed, 0, request.length << request.size)),
            mask.eq(spread | within),
            first.eq(Mux(is_wrap, low & ~mask[:_PAGE], low)),
            end.eq(Mux(is_wrap, low | mask, (low | within) + spread)),
        ]
        page = request.address[_PAGE:]
        widest = (self._bus.data_bytes - 1).bit_length()  # a wider beat breaks a rule anyway
        unaligned = (low[:widest] & within[:widest]).any()
        return Cat(first, page), Cat(end[:_PAGE], page), end[_PAGE:].any(), unaligned

    def _within(self, region: RegionOfNode, first: Value, last: Value) -> ValueLike:
        """Whether a region holds all bytes from the first to the last."""
        base, end = region.base, region.base + region.size
        if base % (1 << _PAGE) == end % (1 << _PAGE) == 0:  # first and last are of one page
            first, last = first[_PAGE:], last[_PAGE:]
            base, end = base >> _PAGE, end >> _PAGE
        size = end - base
        if size & size - 1 == 0 and base % size == 0:
            bits = size.bit_length() - 1
            same = first[bits:] == base >> bits
            return (
                same
                if len(first) == len(last) and first is last
                else same & (last[bits:] == base >> bits)
            )
        return (first >= base) & (last < end)
