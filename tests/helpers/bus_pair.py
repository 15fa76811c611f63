"""An initiator and a target of a bus, joined by wires in place of a network."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.buses.axi4 import axi4_signature
from knotwork.gateware.buses.ports.decoder import RegionOfNode
from knotwork.gateware.buses.ports.initiator_port import InitiatorPort
from knotwork.gateware.buses.ports.target_port import TargetPort

INITIATOR, TARGET = 2, 1
"""Addresses of their nodes."""


class BusPair(wiring.Component):
    """`manager` to `memory`."""

    def __init__(self, bus, *, size, flit_width=36):
        axi4 = axi4_signature(bus)
        self.widths = {"bus": bus, "flit_width": flit_width, "address_width": 2}
        self.regions = [RegionOfNode(0, size, TARGET)]
        super().__init__({"manager": In(axi4), "memory": Out(axi4), "silent": Out(2)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.initiator = initiator = InitiatorPort(**self.widths, regions=self.regions)
        m.submodules.target = target = TargetPort(**self.widths)
        wiring.connect(m, wiring.flipped(self.manager), initiator.axi)
        wiring.connect(m, target.axi, wiring.flipped(self.memory))
        m.d.comb += self.silent.eq(target.silent)
        for sender, receiver, node in ((initiator, target, INITIATOR), (target, initiator, TARGET)):
            m.d.comb += [
                receiver.eject.valid.eq(sender.inject.valid),
                receiver.eject.p.data.eq(sender.inject.p.data),
                receiver.eject.p.last.eq(sender.inject.p.last),
                receiver.eject.p.source.eq(node),
                sender.inject.ready.eq(receiver.eject.ready),
            ]
        return m
