"""Gates that decide, against the routing's rule at every input to which it can bring a packet."""

import pytest
from amaranth.hdl import Module
from knotwork import Hypercube, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.gateware.parts.route import HighestDifference, TableRoute, input_turns
from paths import arrivals
from ring import Ring, RingRouting
from streams import refusal, run

CUBES = [Hypercube(n=n) for n in range(1, 6)]
CUBES += [Moebius(n=n, twist=twist) for n in range(1, 6) for twist in (0, 1)]


def disagreements(network, component):
    """Compare a route computation with the rule; returns (comparisons, what differs)."""
    m, routes, found = Module(), {}, []
    asked = arrivals(network)
    for router, port, vc in asked:
        kind_number = network.router_number[router]
        if (kind_number, port, vc) not in routes:
            turns = input_turns(network.router_kinds[kind_number], port, vc)
            route = component(network, turns)
            m.submodules += route
            routes[kind_number, port, vc] = route
    compared = 0

    async def testbench(ctx):
        nonlocal compared
        for (router, port, vc), turns in asked.items():
            route = routes[network.router_number[router], port, vc]
            ctx.set(route.address, network.topology.address(router))
            for destination, turn in {d: turn for (_, d), turn in turns.items()}.items():
                ctx.set(route.destination, network.topology.address(destination))
                expected = 1 << route.turns.index(turn)
                compared += 1
                if ctx.get(route.select) != expected:
                    found.append((router, port, vc, destination))

    run(m, testbench)
    return compared, found


@pytest.mark.parametrize("topology", CUBES, ids=lambda topology: topology.instance_name)
def test_highest_difference_is_the_rule(topology):
    compared, found = disagreements(Network(topology), HighestDifference)
    assert found == []
    assert compared >= topology.nodes**2


def test_highest_difference_in_every_lane():
    compared, found = disagreements(
        Network(Moebius(n=4, twist=1), virtual_channels=3), HighestDifference
    )
    assert found == []
    assert compared >= 256


@pytest.mark.parametrize(
    "network",
    [
        Network(Hypercube(n=3)),
        Network(Moebius(n=4, twist=0), virtual_channels=2),
        Network(Ring(nodes=6), routing=RingRouting),
        Network(Ring(nodes=6), routing=RingRouting, virtual_channels=4),
        Network(Ring(nodes=9), routing=RingRouting, virtual_channels=2),
        Network(Ring(nodes=7), routing=RingRouting, virtual_channels=1),
    ],
    ids=lambda network: f"{network.name}_vc{network.routing.virtual_channels}",
)
def test_a_table_is_the_rule(network):
    compared, found = disagreements(network, TableRoute)
    assert found == []
    assert compared >= network.topology.nodes**2


def test_a_wrong_decision_is_seen():
    class LowestFirst(HighestDifference):
        def elaborate(self, platform):
            m = Module()
            m.d.comb += self.select.eq(1)
            return m

    _, found = disagreements(Network(Hypercube(n=2)), LowestFirst)
    assert len(found) > 0


def test_a_table_of_32_nodes_is_the_largest():
    text = refusal(
        ConfigurationError,
        lambda: TableRoute(Network(Ring(nodes=33), routing=RingRouting), ()),
    )
    assert text == (
        "ring: routing=shortest has no gates, and a table of it must be for at most 32 nodes, "
        "not 33"
    )
    _, found = disagreements(Network(Ring(nodes=32), routing=RingRouting), TableRoute)
    assert found == []
