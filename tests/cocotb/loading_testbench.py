"""Tables loaded into a network in service. Inside the simulator."""

import os
import random
from itertools import pairwise
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge
from knotwork import Network
from knotwork.topology.altered import without
from knotwork_sim.testbench import NetworkTestbench

OTHERS = [(9, 5), (10, 11)] if "ALL_LINKS" in os.environ else []
"""Links that are cut besides that in the middle."""
MANIFEST = Path(__file__).with_name("manifest.json")


async def start(dut):
    testbench = NetworkTestbench(dut, MANIFEST)
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start(start_high=False))
    await testbench.reset()
    return testbench


def all_pairs(testbench):
    """Every node with every node to which it may send."""
    may_send, nodes = testbench.network.topology.may_send, testbench.nodes
    return [(source, to) for source in nodes for to in nodes if may_send(source, to)]


def send_all(testbench, dice):
    """A packet from every node to every node, in any order."""
    pairs = all_pairs(testbench)
    for source, to in dice.sample(pairs, len(pairs)):
        testbench.send(source, to, [dice.getrandbits(16) for _ in range(dice.randint(1, 8))])


class Crossings:
    """Wires between routers that have carried a flit."""

    def __init__(self, dut, topology):
        self.dut, self.topology = dut, topology
        self.wires = {name for name in dir(dut) if name.startswith("link_")}
        # A link of several cycles has wires at its end too.
        self.wires = {n for n in self.wires if n.endswith("_valid") and "_end_" not in n}
        self.seen = set()
        cocotb.start_soon(self.watch())

    async def watch(self):
        while True:
            await ClockCycles(self.dut.clk, 1)
            self.seen |= {name for name in self.wires if int(getattr(self.dut, name).value)}

    def of_path(self, routing, source, to):
        """Wires of a packet's path by a routing."""
        topology, path = self.topology, routing.path(source, to)
        ports = [topology.ports[list(topology.neighbours[a]).index(b)] for a, b in pairwise(path)]
        names = [topology.router_identifier(router) for router in path[:-1]]
        return {f"link_{a}_{port}_valid" for a, port in zip(names, ports, strict=True)}


async def follow(testbench, crossings, routing, pairs):
    """Send packets one by one, and compare their ways with a routing's paths."""
    for source, to in pairs:
        crossings.seen.clear()
        testbench.send(source, to, [source, to])
        await testbench.drain()
        assert crossings.seen == crossings.of_path(routing, source, to), (source, to)


@cocotb.test()
async def traffic_goes_on_by_each_table(dut):
    """Packets are on their way whenever tables are swapped, and none is lost or out of order."""
    testbench, dice = await start(dut), random.Random(1)
    testbench.pause(sources=0.8, sinks=0.1)
    topology = testbench.network.topology
    crossings = Crossings(dut, topology)
    for swap, routing in enumerate(("updown", "shortest", Network(topology).routing.name)):
        wanted = Network(topology, routing=routing)
        for _ in range(4):
            send_all(testbench, dice)
        await ClockCycles(dut.clk, 30)
        await testbench.reroute(wanted)
        assert testbench.status == 2 * (swap % 2 == 0)
        assert not testbench.scoreboard.is_complete, "it must be swapped amid traffic"
        await testbench.drain()
        await follow(testbench, crossings, wanted.routing, dice.sample(all_pairs(testbench), 8))
    await testbench.finish()
    assert len(testbench.pairs) == len(all_pairs(testbench))
    assert testbench.is_exact, "every cycle was compared with the golden model"


class CutLink:
    """Link that can be cut, both ways: it is not up, and soon it brings no flits.

    It changes at falling edges: at a rising one some registers would take a flit that others do not
    see.
    """

    def __init__(self, dut, topology, a, b):
        port = [list(topology.neighbours[x]).index(y) for x, y in ((a, b), (b, a))]
        names = [
            f"link_{topology.router_identifier(router)}_{topology.ports[port]}"
            for router, port in zip((a, b), port, strict=True)
        ]
        self.ways = [getattr(dut, f"cut_{name}") for name in names]

    async def cut(self, clk):
        await self.change(clk, 1)
        await ClockCycles(clk, 2)  # what was granted before has arrived
        await self.change(clk, 3)

    async def mend(self, clk):
        await self.change(clk, 0)

    async def change(self, clk, value):
        await FallingEdge(clk)
        for way in self.ways:
            way.value = value


@cocotb.test()
async def a_link_is_cut_amid_traffic(dut):
    """What was in flight on the link is told of as lost, and nothing else is touched."""
    testbench, dice = await start(dut), random.Random(2)
    testbench.pause(sources=0.5, sinks=0.1)
    topology = testbench.network.topology
    crossings = Crossings(dut, topology)
    lost = set()
    for a, b in ((5, 6), *OTHERS):
        wanted = Network(without(topology, f"{a}-{b}"), routing="updown")
        link, before = CutLink(dut, topology, a, b), len(testbench.scoreboard.losses)
        for _ in range(2):
            send_all(testbench, dice)
        await ClockCycles(dut.clk, 60)
        await link.cut(dut.clk)
        await ClockCycles(dut.clk, 20)
        await testbench.reroute(wanted)
        assert not testbench.scoreboard.is_complete, "it must be swapped amid traffic"
        await testbench.drain()
        testbench.scoreboard.finish()
        losses = testbench.scoreboard.losses[before:]
        lost |= {packet.number for packet in losses}
        assert losses
        for packet in losses:  # and of no other
            path = Network(topology).routing.path(packet.source, *packet.nodes)
            assert {a, b} in [set(hop) for hop in pairwise(path)], packet
        pairs = [(a, b), (b, a), *((dice.choice(testbench.nodes), a) for _ in range(4))]
        await follow(testbench, crossings, wanted.routing, pairs)
        await link.mend(dut.clk)
        await testbench.reroute(Network(topology))
        await follow(testbench, crossings, Network(topology).routing, [(a, b), (b, a)])
    await testbench.finish()
    cut = [beat for beat in testbench.watcher.seen.beats if beat.user]
    assert all(beat.last and beat.data == 0 for beat in cut)
    assert 0 < len(cut) < len(lost), "some packets are cut, others are told of by the status"
    sent = len(testbench.scoreboard.packets)
    assert testbench.pairs.total() + len(lost) == sent
