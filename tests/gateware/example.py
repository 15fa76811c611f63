"""A design of one's own around a network: a counter at node 0 is shown at node 3."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import Out
from knotwork import Fabric, Hypercube, Network


class RemoteCounter(wiring.Component):
    """Counter whose numbers cross a network of four nodes.

    Members
    -------
    count : Out(8)
        Latest number that came to node 3.
    """

    def __init__(self):
        self.network = Network(Hypercube(n=2), data_width=8)
        super().__init__({"count": Out(8)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.noc = noc = Fabric(self.network)
        sender, receiver = noc.inject[0], noc.eject[3]

        m.d.comb += [sender.valid.eq(1), sender.p.last.eq(1), sender.p.destination.eq(3)]
        with m.If(sender.ready):
            m.d.sync += sender.p.data.eq(sender.p.data + 1)

        m.d.comb += receiver.ready.eq(1)
        with m.If(receiver.valid):
            m.d.sync += self.count.eq(receiver.p.data)
        return m
