"""Bufferless routers in Amaranth's simulator; tests/sim compares the Verilog in every cycle."""

import pytest
from amaranth.sim import Simulator
from helpers.wide import run_fabric
from knotwork import Fabric, Network
from knotwork_sim.check.score import mismatches, score
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packet_table import packet_table

WORDS = [
    "torus:x=3,y=3,directions=one,router=deflection,data_width=24",
    "mesh:x=3,y=2,router=deflection,data_width=24",
    "hypercube:n=1,router=deflection,data_width=24",
    "hypercube:n=2,router=deflection,data_width=24",
    pytest.param("petersen:router=deflection,data_width=24", marks=pytest.mark.slow),
]


def packets_of(network, traffic):
    """Packets of which some are too long, and some to no node where there is such an address."""
    packets = make_packets(network, traffic)
    if network.topology.nodes < 1 << network.topology.address_width:
        packets.destination[::7] = -1
    packets.length[3::7] = 3
    return packet_table(
        network,
        source=packets.source,
        destination=packets.destination,
        length=packets.length,
        time=packets.time,
        seed=traffic.seed,
    )


@pytest.mark.parametrize("word", WORDS)
def test_does_what_the_golden_model_does_in_the_same_clock(word):
    network = Network.from_word(word)
    count = 40 * network.topology.nodes
    traffic = Traffic(rate=0.7, packets=count, bubble=0.2, stall=0.3, seed=3)
    packets = packets_of(network, traffic)
    hardware, model = run_fabric(network, traffic, packets), run_model(network, traffic, packets)
    assert len(model.clock) == count - packets.refused.sum()
    assert hardware.rows().tolist() == model.rows().tolist()
    assert hardware.refused.tolist() == model.refused.tolist()
    assert mismatches(hardware, model) == 0
    assert score(network, packets, hardware).lost == 0


@pytest.mark.parametrize("word", WORDS[:2])
def test_packets_to_a_node_that_takes_nothing_go_round_until_it_does(word):
    network = Network.from_word(word)
    fabric, last = Fabric(network), network.topology.nodes - 1
    code = network.topology.address(last)
    seen = []

    async def bench(ctx):
        for node in range(3):
            ctx.set(fabric.inject[node].p, {"data": node, "destination": code, "last": 1})
            ctx.set(fabric.inject[node].valid, 1)
        await ctx.tick()  # an empty network takes them at once
        for node in range(3):
            ctx.set(fabric.inject[node].valid, 0)
        eject = fabric.eject[last]
        await ctx.tick().until(eject.valid)
        held = ctx.get(eject.p)
        for _ in range(50):
            await ctx.tick()
            assert ctx.get(eject.valid)
            assert ctx.get(eject.p) == held
        ctx.set(eject.ready, 1)
        for _ in range(50):
            if ctx.get(eject.valid):
                seen.append(ctx.get(eject.p.data))
            await ctx.tick()

    simulator = Simulator(fabric)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert sorted(seen) == [0, 1, 2]
