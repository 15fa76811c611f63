"""Gates that decide, against the routing's rule at every input to which it can bring a packet."""

from functools import partial

import pytest
from amaranth.hdl import Module
from helpers.paths import arrivals, escapes
from helpers.ring import EscapingRingRouting, Ring, RingRouting
from helpers.streams import run
from knotwork import Hypercube, Moebius, Network
from knotwork.gateware.packet.inputs import make_input_channel
from knotwork.gateware.parts.route import HighestDifference, input_turns
from knotwork.gateware.parts.table_route import TableRoute

CUBES = [Hypercube(n=n) for n in range(1, 6)]
CUBES += [Moebius(n=n, twist=twist) for n in range(1, 6) for twist in (0, 1)]


def disagreements(network, component):
    """Compare a route computation with the rule; returns (comparisons, what differs)."""

    def made(kind, port, vc):
        return component(network, input_turns(kind, port, vc))

    return compare(network, arrivals(network), made)


def disagreements_of_channels(network):
    """Compare the gates in a network's input channels; the same, of routes and of escapes."""

    def part(name, *place):
        channel = make_input_channel(network, *place)
        channel._MustUse__used = True  # one part of it is enough
        other = channel._route if name == "_escape" else channel._escape
        if other is not None:
            other._MustUse__used = True
        return getattr(channel, name)

    routes = compare(network, arrivals(network), partial(part, "_route"))
    return routes, compare(network, escapes(network), partial(part, "_escape"))


def compare(network, asked, make):
    """Compare what `make` makes for (kind, port, VC) with the turns that are asked for there."""
    m, routes, found = Module(), {}, []
    for router, port, vc in asked:
        kind_number = network.router_number[router]
        if (kind_number, port, vc) not in routes:
            m.submodules += (route := make(network.router_kinds[kind_number], port, vc))
            routes[kind_number, port, vc] = route
    compared = 0

    async def testbench(ctx):
        nonlocal compared
        for (router, port, vc), turns in asked.items():
            route = routes[network.router_number[router], port, vc]
            ctx.set(route.address, network.topology.address(router))
            if "table" in route.signature.members:
                ctx.set(route.table, route.rows.constant(router).value)
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


@pytest.mark.parametrize("n", range(1, 5))
@pytest.mark.parametrize("twist", [0, 1])
@pytest.mark.parametrize(("vc_scheme", "lanes"), [("ascents", 1), ("escape", 1), ("escape", 2)])
def test_the_gates_of_spr_are_the_rule(n, twist, vc_scheme, lanes):
    keys = {"routing": "spr", "vc_scheme": vc_scheme}
    classes = Network(Moebius(n=n, twist=twist), **keys).routing.classes
    network = Network(Moebius(n=n, twist=twist), virtual_channels=lanes * classes, **keys)
    (compared, found), (escaped, astray) = disagreements_of_channels(network)
    assert found == []
    assert astray == []
    assert compared >= 4**n
    assert (escaped >= 4**n - 2**n) == (vc_scheme == "escape")


@pytest.mark.parametrize("nodes", [5, 6])
def test_a_table_is_the_rule_of_an_escape_too(nodes):
    network = Network(Ring(nodes=nodes), routing=EscapingRingRouting)
    (compared, found), (escaped, astray) = disagreements_of_channels(network)
    assert found == []
    assert astray == []
    assert compared >= nodes**2
    assert escaped >= nodes**2 - nodes


def test_no_turn_out_of_an_escape_is_chosen_at_the_destination():
    """A flit that is to be ejected has none; the table says so, as the gates do."""
    network = Network(Ring(nodes=5), routing=EscapingRingRouting)
    turns = tuple(t for t in input_turns(network.router_kinds[0], 2, 0) if t.output_vc == 1)
    dut, seen = TableRoute(network, turns, escape=True), []

    async def testbench(ctx):
        for node in range(5):
            ctx.set(dut.address, node)
            ctx.set(dut.destination, node)
            if "table" in dut.signature.members:
                ctx.set(dut.table, dut.rows.constant(node).value)
            seen.append(ctx.get(dut.select))

    run(dut, testbench)
    assert seen == [0] * 5


def test_a_wrong_decision_is_seen():
    class LowestFirst(HighestDifference):
        def elaborate(self, platform):
            m = Module()
            m.d.comb += self.select.eq(1)
            return m

    _, found = disagreements(Network(Hypercube(n=2)), LowestFirst)
    assert len(found) > 0
