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
    stages : dict of str to list of Signal
        Registers of ``valid``, ``flit`` and ``credit``, in the order in which they are passed.
    """

    i: Interface
    o: Interface

    def __init__(self, network: Network, latency: int) -> None:
        link = credit_signature(network)
        super().__init__({"i": In(link), "o": Out(link)})
        self.stages = {
            name: [Signal(len(end), name=f"{name}_{stage}") for stage in range(latency - 1)]
            for name, _, end in self._signals()
        }

    def _signals(self) -> list[tuple[str, Value, Value]]:
        """Name of each signal, and where it begins and ends."""
        return [
            ("valid", self.i.valid, self.o.valid),
            ("flit", Value.cast(self.i.flit), Value.cast(self.o.flit)),
            ("credit", self.o.credit, self.i.credit),
        ]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for name, start, end in self._signals():
            value = start
            for register in self.stages[name]:
                m.d.sync += register.eq(value)
                value = register
            m.d.comb += end.eq(value)
        if "up" in self.i.signature.members:
            m.d.comb += self.i.up.eq(self.o.up)
        return m
