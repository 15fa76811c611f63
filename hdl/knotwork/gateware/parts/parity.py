"""Parity of flits: made where they enter, looked at where they are read."""

from typing import Any

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...network import Network
from ..layouts import eject_layout, flit_layout


def seal(flit: Any) -> list[Any]:
    """Assignments of a flit's check bits from its other fields.

    `header_parity` is even over destination and source, `data_parity` over the data. `last` parts
    packets from each other, so to know that it is wrong does not help: it has two copies.
    """
    return [
        flit.header_parity.eq(Cat(flit.destination, flit.source).xor()),
        flit.data_parity.eq(Value.cast(flit.data).xor()),
        flit.last_copies.eq(flit.last.replicate(2)),
    ]


def is_header_broken(flit: Any) -> Value:
    """Whether a bit of destination, source or their parity is wrong."""
    return Cat(flit.destination, flit.source, flit.header_parity).xor()


def is_data_broken(flit: Any) -> Value:
    """Whether a bit of the data or of its parity is wrong."""
    return Cat(flit.data, flit.data_parity).xor()


def voted_last(flit: Any) -> Value:
    """Whether a flit is its packet's last, by two of three."""
    one, two = flit.last_copies
    return (flit.last & one) | (flit.last & two) | (one & two)


class Marker(wiring.Component):
    """Flits to a node as beats, those of a broken packet marked.

    From the first beat that is wrong (its data, its header, or a destination that is not this node)
    to its packet's last, `flags` is 1: on the last beat it speaks for the whole packet.

    Latency
    -------
    0 clocks.

    Parameters
    ----------
    network : Network
        With parity.

    Members
    -------
    address : In(address_width)
        The node's own address.
    i : In(stream.Signature(flit_layout))
        Flits.
    o : Out(stream.Signature(eject_layout))
        Beats.
    """

    address: Signal
    i: stream.Interface
    o: stream.Interface

    def __init__(self, network: Network) -> None:
        super().__init__(
            {
                "address": In(network.topology.address_width),
                "i": In(stream.Signature(flit_layout(network))),
                "o": Out(stream.Signature(eject_layout(network))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        flit, beat = self.i.p, self.o.p
        marked = Signal()
        wrong = is_data_broken(flit) | is_header_broken(flit) | (flit.destination != self.address)
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.i.ready.eq(self.o.ready),
            beat.data.eq(flit.data),
            beat.source.eq(flit.source),
            beat.last.eq(voted_last(flit)),
            beat.flags.eq(marked | wrong),
        ]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += marked.eq(beat.flags & ~beat.last)
        return m
