"""An initiator and a target of a bus, joined by wires in place of a network."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from knotwork_soc.gateware.buses.bus_kinds import axi4_signature
from knotwork_soc.gateware.buses.decoder import RegionOfNode
from knotwork_soc.gateware.buses.initiator_port import InitiatorPort
from knotwork_soc.gateware.buses.target_port import TargetPort

INITIATOR, TARGET = 2, 1
"""Addresses of their nodes."""


class BusPair(wiring.Component):
    """`manager` to `memory`.

    With parity, a flit whose bit in `flips` is high is wrong in its lowest bit; bit 0 is of
    requests, bit 1 of responses. Nothing goes a way whose bit in `held` is high.
    """

    def __init__(self, bus, *, size, flit_width=36, has_parity=False):
        axi4, self.has_parity = axi4_signature(bus), has_parity
        self.widths = {"bus": bus, "flit_width": flit_width, "address_width": 2}
        self.widths["has_parity"] = has_parity
        self.regions = [RegionOfNode(0, size, TARGET)]
        ways = {"flips": In(2), "held": In(2), "offered": Out(2), "taken": Out(2)}
        super().__init__({"manager": In(axi4), "memory": Out(axi4), "silent": Out(2)} | ways)

    def elaborate(self, platform):
        m = Module()
        m.submodules.initiator = initiator = InitiatorPort(**self.widths, regions=self.regions)
        m.submodules.target = target = TargetPort(**self.widths)
        wiring.connect(m, wiring.flipped(self.manager), initiator.axi)
        wiring.connect(m, target.axi, wiring.flipped(self.memory))
        m.d.comb += self.silent.eq(target.silent)
        ends = ((initiator, target, INITIATOR), (target, initiator, TARGET))
        for way, (sender, receiver, node) in enumerate(ends):
            goes = ~self.held[way]
            m.d.comb += [
                receiver.eject.valid.eq(sender.inject.valid & goes),
                receiver.eject.p.data.eq(sender.inject.p.data ^ self.flips[way]),
                receiver.eject.p.last.eq(sender.inject.p.last),
                receiver.eject.p.source.eq(node),
                sender.inject.ready.eq(receiver.eject.ready & goes),
                self.offered[way].eq(receiver.eject.valid),
                self.taken[way].eq(receiver.eject.valid & receiver.eject.ready),
            ]
            if self.has_parity:
                marked = Signal(name=f"marked_{way}")
                m.d.comb += receiver.eject.p.wrong.eq(self.flips[way] | marked)
                with m.If(self.taken[way]):
                    m.d.sync += marked.eq(receiver.eject.p.wrong & ~receiver.eject.p.last)
        return m
