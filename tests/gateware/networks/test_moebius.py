import numpy as np
import pytest
from amaranth.hdl import Module, Signal
from helpers.netlist import Netlist
from knotwork import Moebius, Network
from knotwork.gateware.networks.moebius import (
    ESCAPE_COMPUTATIONS,
    ROUTE_COMPUTATIONS,
    ShortestPathRoute,
)
from knotwork.gateware.parts.route import HighestDifference
from knotwork.routing import Turn, routings_of
from knotwork.routing.moebius.rules import next_dimension
from knotwork.topology import LOCAL
from knotwork.topology.metrics import distances

# That they decide as the rule does at each input is shown in tests/gateware/parts/test_route.py.

CUBES = [Moebius(n=n, twist=twist) for n in range(1, 9) for twist in (0, 1)]


def test_every_routing_has_its_gates():
    built = {name: r for name, r in routings_of("moebius").items() if r.unbuildable is None}
    assert ROUTE_COMPUTATIONS.keys() == built.keys()
    networks = [Network(Moebius(n=3), routing="dfr")]
    networks += [
        Network(Moebius(n=3), routing="spr", vc_scheme=scheme) for scheme in ("ascents", "escape")
    ]
    escaping = {net.routing.name for net in networks if net.routing.escape_class is not None}
    assert ESCAPE_COMPUTATIONS.keys() == escaping


def test_the_default_and_the_escape_look_at_the_highest_difference():
    assert ROUTE_COMPUTATIONS[next(iter(routings_of("moebius")))] is HighestDifference
    assert ESCAPE_COMPUTATIONS["spr"] is HighestDifference


@pytest.fixture(scope="module")
def selected():
    """By cube, the one-hot ways (0 the node's, i + 1 dimension i) by [address, destination]."""
    m, ports, inputs = Module(), [], {}
    for cube in CUBES:
        n, name = cube.n, cube.instance_name
        turns = tuple(Turn(LOCAL, 0, out, 0) for out in range(n + 1))
        m.submodules[name] = route = ShortestPathRoute(Network(cube, routing="spr"), turns)
        address, destination = (Signal(n, name=f"{name}_{end}") for end in ("from", "to"))
        select = Signal(n + 1, name=f"{name}_select")
        m.d.comb += [
            route.address.eq(address),
            route.destination.eq(destination),
            select.eq(route.select),
        ]
        ports += [address, destination, select]
        inputs[f"{name}_from"], inputs[f"{name}_to"] = np.indices((cube.nodes, cube.nodes))
    outputs = Netlist(m, ports).evaluate(**inputs)
    return {cube: outputs[f"{cube.instance_name}_select"] for cube in CUBES}


@pytest.mark.parametrize("cube", CUBES, ids=lambda cube: cube.instance_name)
def test_the_gates_of_spr_are_the_rule_for_every_address_and_destination(selected, cube):
    nodes = range(cube.nodes)
    rule = [
        [2 << next_dimension(cube.n, cube.twist, a, b) if a != b else 1 for b in nodes]
        for a in nodes
    ]
    assert (selected[cube] == rule).all()


@pytest.mark.parametrize("cube", CUBES, ids=lambda cube: cube.instance_name)
def test_each_hop_that_the_gates_of_spr_choose_is_one_nearer(selected, cube):
    """The distances are by breadth-first search, the links the topology's."""
    chosen, hops = selected[cube], distances(cube.neighbours)
    assert (chosen & (chosen - 1) == 0).all()
    address, destination = np.nonzero(hops)
    port = np.log2(chosen[address, destination]).astype(int)
    after = cube.neighbours[address, port]
    assert (hops[after, destination] == hops[address, destination] - 1).all()
    assert (np.diagonal(chosen) == 1).all()
