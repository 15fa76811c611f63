from itertools import product

import numpy as np
import pytest
from amaranth.hdl import Module, Signal
from helpers.ring import CyclicRingRouting, EscapingRingRouting, Ring, RingRouting
from helpers.streams import refusal, run
from helpers.wide import run_fabric
from knotwork import Fabric, Hypercube, Moebius, Network
from knotwork.errors import DeadlockError
from knotwork.routing.selection import CREDITS
from knotwork_sim.model.run import run_model
from knotwork_sim.scoreboard.score import count_mismatches, score
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packets import packet_table


def table(network, rows):
    """Packets from rows (source, destination, length, time)."""
    columns = np.array(sorted(rows, key=lambda row: (row[0], row[3]))).T
    names = ("source", "destination", "length", "time")
    return packet_table(network, **dict(zip(names, columns, strict=True)), seed=1)


def ring(routing=RingRouting, **keys):
    return Network(Ring(nodes=6), routing=routing, **keys)


class OpenRingRouting(EscapingRingRouting):
    """Prefers the way whose channel is open: the other one, by which a packet escapes, too."""

    name = "open_ways"
    selection = CREDITS


SAME = {
    "hypercube:n=1,data_width=8,buffer_depth=2": True,
    "hypercube:n=2,data_width=100,pipeline=2,buffer_depth=5": False,
    "hypercube:n=2,virtual_channels=3,buffer_depth=2": False,
    "hypercube:n=3,pipeline=1,buffer_depth=5": False,
    "moebius:n=3,twist=1,virtual_channels=2,buffer_depth=16": False,
    "moebius:n=3,virtual_channels=3,pipeline=2,buffer_depth=4,data_width=8": False,
    "moebius:n=3,twist=1,routing=spr,buffer_depth=4": False,
    "hypercube:n=2,virtual_channels=2,pipeline=2,buffer_depth=4,parity=yes": True,
    "mesh:x=2,y=2,routing=adaptive,selection=credits,data_width=8,buffer_depth=2": True,
    "mesh:x=2,y=2,routing=adaptive,selection=random,data_width=8,buffer_depth=2": True,
    "mesh:x=3,y=2,routing=adaptive,selection=credits,virtual_channels=4,buffer_depth=3": False,
    "hypercube:n=3,routing=adaptive,ways=3,selection=random,buffer_depth=3": False,
    ring(OpenRingRouting, buffer_depth=4): False,
    "mesh:x=3,y=2,routing=romm,buffer_depth=4,data_width=8": True,
    "mesh:x=3,y=2,routing=valiant,buffer_depth=4,data_width=8": False,
    "wk:w=3,levels=1,nodes_per_router=2,routing=romm,buffer_depth=2,data_width=8": False,
    ring(pipeline=2, buffer_depth=4): True,
    ring(virtual_channels=4, buffer_depth=5): False,
}
"""Networks, and whether they are quick."""


@pytest.mark.parametrize(
    "network",
    [pytest.param(one, marks=() if quick else pytest.mark.slow) for one, quick in SAME.items()],
    ids=str,
)
def test_does_what_the_golden_model_does_in_the_same_clock(network):
    """Packets of 1..8 flits, pauses, stalls; to no node where there is such an address."""
    network = Network.from_word(network) if isinstance(network, str) else network
    nodes = network.topology.nodes
    traffic = Traffic(rate=0.6, packets=8 * nodes, length=(1, 8), bubble=0.2, stall=0.3, seed=3)
    packets = make_packets(network, traffic)
    if nodes < 1 << network.topology.address_width:
        packets.destination[::7] = -1
        packets = packet_table(
            network,
            source=packets.source,
            destination=packets.destination,
            length=packets.length,
            time=packets.time,
            seed=traffic.seed,
        )
    hardware, model = run_fabric(network, traffic, packets), run_model(network, traffic, packets)
    assert len(model.clock) == packets.length[packets.destination >= 0].sum()
    assert count_mismatches(hardware, model) == 0
    assert hardware.rows().tolist() == model.rows().tolist()
    assert hardware.refused.tolist() == model.refused.tolist()
    assert len(hardware.refused) == (packets.destination < 0).sum()
    assert is_delivered(network, packets, hardware)


def escaping_cube(n=3, **keys):
    return Network(Moebius(n=n), routing="spr", vc_scheme="escape", **keys)


def escaping_ring(**keys):
    return ring(routing=EscapingRingRouting, **keys)


def cyclic_ring(**keys):
    return ring(routing=CyclicRingRouting, **keys)


def is_delivered(network, packets, record):
    """Whether every packet came to its node, once and whole, and nothing else did."""
    judged = score(network, packets, record)
    fates = judged.lost, judged.duplicated, judged.misrouted, judged.corrupted
    return (judged.delivered, *fates) == (judged.injected, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("make", "keys"),
    [
        pytest.param(escaping_cube, {"buffer_depth": 2}, marks=pytest.mark.slow),
        (escaping_cube, {"n": 2, "buffer_depth": 5, "pipeline": 2, "virtual_channels": 4}),
        pytest.param(escaping_ring, {"buffer_depth": 2}, marks=pytest.mark.slow),
        (escaping_ring, {"buffer_depth": 4, "pipeline": 2}),
    ],
)
def test_what_escapes_is_delivered_too(make, keys):
    network = make(**keys)
    nodes = network.topology.nodes
    traffic = Traffic(rate=0.9, packets=8 * nodes, length=(1, 8), bubble=0.1, stall=0.3, seed=4)
    packets = make_packets(network, traffic)
    assert is_delivered(network, packets, run_fabric(network, traffic, packets))


@pytest.mark.parametrize(
    ("pipeline", "depth"), [pytest.param(1, 2, marks=pytest.mark.slow), (2, 4)]
)
def test_a_ring_of_waiting_packets_is_broken_by_the_escape(pipeline, depth):
    """Every node sends long packets half way round at once: without escape all wait."""
    rows = [(a, (a + 3) % 6, 5 * depth, 0) for a in range(6) for _ in range(2)]
    keys = {"buffer_depth": depth, "pipeline": pipeline}
    free = escaping_ring(**keys)
    packets = table(free, rows)
    assert is_delivered(free, packets, run_fabric(free, Traffic(), packets))
    cyclic = cyclic_ring(allow_deadlock="yes", **keys)
    assert len(run_fabric(cyclic, Traffic(), table(cyclic, rows), clocks=400).clock) == 0


@pytest.mark.parametrize(
    ("n", "twist", "pipeline", "virtual_channels"),
    [
        (2, 1, 1, 1),
        (2, 0, 2, 1),
        *(pytest.param(3, *keys, marks=pytest.mark.slow) for keys in ((0, 2, 2), (1, 1, 2))),
    ],
)
def test_zero_load_latency_is_pipeline_clocks_a_router(n, twist, pipeline, virtual_channels):
    """A one-flit packet between every two nodes, and from each to itself, one after another."""
    topology = Moebius(n=n, twist=twist)
    network = Network(topology, pipeline=pipeline, virtual_channels=virtual_channels)
    rows, expected, clock = [], [], 0
    for source, destination in product(range(topology.nodes), repeat=2):
        arrival = clock + pipeline * len(network.routing.path(source, destination))
        rows.append((source, destination, 1, clock))
        expected.append((arrival, destination, source))
        clock = arrival + 1
    traffic = Traffic()  # no pauses: a packet is accepted at its time
    record = run_fabric(network, traffic, table(network, rows))
    seen = list(zip(*(a.tolist() for a in (record.clock, record.node, record.source)), strict=True))
    assert seen == expected


@pytest.mark.parametrize("virtual_channels", [1, 2])
def test_a_blocked_channel_blocks_no_other(virtual_channels):
    """Node 7 takes nothing, ever, and two long packets for it block channels of four links.

    Packets whose flows have the other lane pass over the same links, one of them through router 7
    itself. With one virtual channel they must not, or this test shows nothing.
    """
    network = Network(Hypercube(n=3), virtual_channels=virtual_channels, buffer_depth=4)
    blocked = [(0, 7, 60, 0), (5, 7, 60, 0)]  # lane 1 by 4 and 6; lane 0
    flows = [(4, 6), (1, 6)]  # lane 0 over 4 -> 6; lane 1 over 5 -> 7 -> 6
    rows = [(a, b, 5, 80 + 20 * n) for a, b in flows for n in range(5)]
    packets = table(network, blocked + rows)
    record = run_fabric(network, Traffic(), packets, stalled=[7], clocks=230)
    arrived = {a: int(((record.source == a) & (record.node == b)).sum()) for a, b in flows}
    assert len(record.clock) == sum(arrived.values())
    assert arrived == ({4: 25, 1: 25} if virtual_channels == 2 else {4: 0, 1: 0})


def test_a_network_that_can_deadlock_is_refused_with_its_cycle():
    network = cyclic_ring()
    labels = [f"{node:03b}" for node in range(6)]
    links = [f"{labels[n]}->{labels[(n + 1) % 6]} vc0" for n in range(6)]
    text = refusal(DeadlockError, lambda: Fabric(network))
    head, _, cycle = text.rpartition(": ")
    assert head == (
        "loop_nodes6_one_way: routing=one_way must be free of deadlock with virtual_channels=1 "
        "(or allow_deadlock=yes): all 6^2 pairs walked: the channel dependence graph has a cycle "
        "of 6 channels"
    )
    first = links.index(cycle.split(", ")[0])
    assert cycle.split(", ") == links[first:] + links[:first]


def test_it_is_built_where_the_user_says_so():
    """And works while the traffic is light."""
    network = cyclic_ring(allow_deadlock="yes")
    packets = table(network, [(a, (a + 2) % 6, 2, 20 * a) for a in range(6)])
    record = run_fabric(network, Traffic(), packets)
    assert count_mismatches(record, run_model(network, Traffic(), packets)) == 0
    assert len(record.clock) == 12


def test_a_network_is_a_part_of_a_design_of_ones_own():
    """Number n, offered at node 0 in cycle n, is at node 3 after three routers of two cycles."""
    m, noc, counts = Module(), Fabric(Network(Hypercube(n=2), data_width=8)), []
    m.submodules.noc = noc
    sender, receiver, count = noc.inject[0], noc.eject[3], Signal(8)
    m.d.comb += [sender.valid.eq(1), sender.p.last.eq(1), sender.p.destination.eq(3)]
    m.d.comb += receiver.ready.eq(1)
    with m.If(sender.ready):
        m.d.sync += sender.p.data.eq(sender.p.data + 1)
    with m.If(receiver.valid):
        m.d.sync += count.eq(receiver.p.data)

    async def testbench(ctx):
        for _ in range(12):
            counts.append(ctx.get(count))
            await ctx.tick()

    run(m, testbench)
    assert counts == [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]
