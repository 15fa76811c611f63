"""Registers along a link that takes several cycles."""

from amaranth.hdl import Module, Signal, Value
from amaranth.lib.wiring import In, Out

from ...network import Network
from ...untyped import Interface
from ..component import Component
from .credit_links import credit_signature


class LinkRegisters(Component):
    """Registers along one channel of a link: flits go ahead, credits come back.

    They are between two routers, so that a long wire may be cut where placement likes. The reset
    clears all of them, so that no synthesis makes a shift register of them, in one place.

    Latency
    -------
    ``latency - 1`` cycles either way.

    Parameters
    ----------
    network : Network
        Widths.
    latency : int
        Cycles of the link, at least 2: the last of them is that of the sending router's register.

    Members
    -------
    i : In(credit_signature)
        From the router that sends.
    o : Out(credit_signature)
        To the router that receives.
    """

    i: Interface
    o: Interface

    def __init__(self, network: Network, latency: int) -> None:
        self._stages = latency - 1
        link = credit_signature(network)
        super().__init__({"i": In(link), "o": Out(link)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for name, start, end in (
            ("valid", self.i.valid, self.o.valid),
            ("flit", self.i.flit, self.o.flit),
            ("credit", self.o.credit, self.i.credit),
        ):
            value = Value.cast(start)
            for stage in range(self._stages):
                register = Signal(len(value), name=f"{name}_{stage}")
                m.d.sync += register.eq(value)
                value = register
            m.d.comb += Value.cast(end).eq(value)
        if "up" in self.i.signature.members:
            m.d.comb += self.i.up.eq(self.o.up)
        return m
