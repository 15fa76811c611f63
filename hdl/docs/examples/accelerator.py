"""Streaming accelerator of eight nodes at three clocks: each adds its number and sends on.

A packet enters at node 0, goes from node to node, and leaves at node 7.
"""

from amaranth.hdl import DomainRenamer, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from knotwork import Network, Torus
from knotwork_soc import NodeParameters, System
from knotwork_soc.gateware.fabric import SystemFabric

CLOCKS = {0: "sync", 1: "fast", 2: "fast", 3: "slow", 4: "slow", 5: "fast", 6: "fast", 7: "sync"}
"""Clock domain of each stage."""
WIDTHS = {2: 64, 3: 64, 4: 16}
"""Bits of the streams of the stages that are wider or narrower than the network."""


class Stage(wiring.Component):
    """Adds a number to the low 16 bits of each beat, and names the next node.

    Parameters
    ----------
    fabric : SystemFabric
        Where it stands.
    node, following : int
        Its node, which is the number that it adds; the address of the node that it sends to.
    """

    def __init__(self, *, fabric: SystemFabric, node: int, following: int) -> None:
        ports = fabric.signature.members[f"node_{node}"].signature.members
        self.number, self.following = node, following
        super().__init__(
            {"i": In(ports["eject"].signature), "o": Out(ports["inject"].signature.flip())}
        )

    def elaborate(self, platform: object) -> Module:
        """Gates."""
        m = Module()
        m.d.comb += [
            self.o.p.data.eq(self.i.p.data),
            self.o.p.data[:16].eq(self.i.p.data[:16] + self.number),
            self.o.p.last.eq(self.i.p.last),
            self.o.p.destination.eq(self.following),
            self.o.valid.eq(self.i.valid),
            self.i.ready.eq(self.o.ready),
        ]
        return m


class Accelerator(wiring.Component):
    """Eight stages around a network, with a way in at node 0 and a way out at node 7.

    Members
    -------
    i, o : streams of nodes 0 and 7
        Packets, at the clock ``sync``.
    """

    def __init__(self) -> None:
        nodes = {
            node: NodeParameters(clock=None if name == "sync" else "own", width=WIDTHS.get(node))
            for node, name in CLOCKS.items()
        }
        network = Network(Torus(x=4, y=2), data_width=32, buffer_depth=4, name="accelerator")
        self.system = System(network, nodes=nodes)
        self.fabric = SystemFabric(self.system, clocks=CLOCKS)
        members = self.fabric.signature.members
        ends = [members[f"node_{node}"].signature.members for node in (0, 7)]
        super().__init__(
            {"i": In(ends[0]["inject"].signature.flip()), "o": Out(ends[1]["eject"].signature)}
        )

    def elaborate(self, platform: object) -> Module:
        """Gates."""
        m = Module()
        m.submodules.fabric = fabric = self.fabric
        address = self.system.network.topology.address
        wiring.connect(m, wiring.flipped(self.i), fabric.node_0.inject)
        m.d.comb += fabric.node_0.inject.p.destination.eq(address(1))
        for node in range(1, 7):
            ports = getattr(fabric, f"node_{node}")
            stage = Stage(fabric=fabric, node=node, following=address(node + 1))
            m.submodules[f"stage_{node}"] = DomainRenamer(CLOCKS[node])(stage)
            wiring.connect(m, ports.eject, stage.i)
            wiring.connect(m, stage.o, ports.inject)
        wiring.connect(m, fabric.node_7.eject, wiring.flipped(self.o))
        return m
