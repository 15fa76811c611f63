"""Packets and collectives at once, each as its golden model has them. Inside the simulator."""

import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from knotwork_sim.testbench import NetworkTestbench

MANIFEST = Path(__file__).with_name("manifest.json")


def data(network, dice):
    """Beats of a packet."""
    longest = min(6, network.longest_packet or 6)
    return [dice.getrandbits(16) for _ in range(dice.randint(network.shortest_packet, longest))]


async def send_packets(testbench, dice):
    """Many packets, or several batches, judged by the cycle."""
    network, nodes = testbench.network, testbench.nodes
    for _ in range(3 if network.router_class == "batch" else 1):
        if network.router_class == "batch":
            permutation = testbench.permutation()
            await testbench.load(permutation)
            pairs = [*enumerate(permutation)]
        else:
            sources = dice.choices(nodes, k=30 * len(nodes))
            pairs = [(source, dice.choice(testbench.receivers(source))) for source in sources]
        for source, to in pairs:
            testbench.send(source, to, data(network, dice))
        await testbench.drain()


@cocotb.test()
async def neither_waits_for_the_other(dut):
    dice = random.Random(1)
    testbench = NetworkTestbench(dut, MANIFEST)
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start(start_high=False))
    await testbench.reset()
    testbench.pause(sources=0.2, sinks=0.2)
    groups = [group.tree.members for group in testbench.network.collective_groups]
    for group, members in zip(testbench.collectives, groups, strict=True):
        group.pause(sources=0.2, sinks=0.2)
        for _ in range(10):
            length = dice.randint(1, 6)
            for node in members:
                group.all_reduce(node, [dice.getrandbits(32) for _ in range(length)])
                group.barrier(node)
    await send_packets(testbench, dice)
    await testbench.finish()
    assert sum(testbench.pairs.values()) >= len(testbench.nodes)
