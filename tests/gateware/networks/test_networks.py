"""Gates of every network decide as its rules do, wherever the routing can bring a flit.

The rules themselves are tested in tests/routing; that batches exchange as theirs do, in
tests/sim/model/test_batch.py.
"""

from functools import cache
from importlib.util import find_spec

import pytest
from helpers.circulant import Circulant
from helpers.random_links import RandomLinks, RandomRouting
from helpers.ring import CyclicRingRouting, EscapingRingRouting, Ring, RingRouting
from helpers.routes import branch_disagreements, disagreements
from knotwork import Graph, GraphFile, Hypercube, Moebius, Network
from knotwork.gateware.networks import gates_of
from knotwork.gateware.networks.ccc import UnicastRoute as SweepRoute
from knotwork.gateware.networks.moebius import ShortestPathRoute
from knotwork.gateware.networks.tcpg import AddressBranch, TtlBranch
from knotwork.gateware.networks.wk import LabelBranches, ShortestRoute, UnicastRoute
from knotwork.gateware.parts.factors import FactorRoute
from knotwork.gateware.parts.network_routes import route_computation
from knotwork.gateware.parts.route import HighestDifference
from knotwork.gateware.parts.table_route import TableRoute
from knotwork.routing import routings_of
from knotwork.routing.hypercube import ECube
from knotwork.routing.table_file import export_table
from knotwork.topology import TOPOLOGIES


def words(text):
    return text.split()


NAMES = [name for name in TOPOLOGIES.shipped if find_spec(f"knotwork.gateware.networks.{name}")]
ROUTED = words("""
mesh:x=4,y=3,routing=o1turn torus:x=4,y=3,routing=o1turn
ccc:n=2 ccc:n=3 ccc:n=3,virtual_channels=1 ccc:n=4,virtual_channels=4 hypercube:n=1 hypercube:n=4
hypercube:n=3,virtual_channels=3 mesh:x=2,y=3 mesh:x=4,y=3,virtual_channels=3 mesh:x=2,y=3,z=3
mesh:x=1,y=3,z=2 moebius:n=1 moebius:n=4 moebius:n=4,twist=1,virtual_channels=3
moebius:n=2,routing=spr moebius:n=3,routing=spr,vc_scheme=escape
moebius:n=3,twist=1,routing=spr,vc_scheme=escape,virtual_channels=4 moebius:n=4,routing=spr
moebius:n=4,twist=1,routing=spr petersen petersen:petersen_code=word,virtual_channels=1
petersen:virtual_channels=4 ring:n=2 ring:n=3 ring:n=8 ring:n=6,virtual_channels=1
ring:n=2,directions=one ring:n=5,directions=one rp:k=1 rp:k=2,petersen_code=word rp:k=3
tcpg:k=1,m=2,ring_code=binary,broadcast=no
tcpg:k=2,m=1,petersen_code=word,ring_code=johnson,broadcast=no torus:x=2,y=3
torus:x=5,y=4,virtual_channels=1 torus:x=3,y=2,virtual_channels=4 torus:x=6,y=4,ring_code=johnson
torus:x=5,y=4,directions=one torus:x=4,y=2,z=3 torus:x=6,y=4,directions=one,ring_code=johnson
wk:w=2,levels=4 wk:w=3,levels=3,virtual_channels=2 wk:w=3,levels=2,virtual_channels=4
wk:w=2,levels=1,routing=shortest wk:w=4,levels=2,virtual_channels=1,routing=shortest
wk:w=3,levels=3,broadcast=no,routing=shortest
""")
LARGE = words("""
ccc:n=4 ccc:n=6 ccc:n=5 hypercube:n=5 mesh:x=5,y=8 mesh:x=16,y=9 mesh:x=4,y=3,z=4 moebius:n=5
moebius:n=5,twist=1 moebius:n=8,routing=spr moebius:n=8,twist=1,routing=spr
moebius:n=4,routing=spr,vc_scheme=escape moebius:n=4,twist=1,routing=spr,vc_scheme=escape
moebius:n=5,routing=spr moebius:n=5,twist=1,routing=spr ring:n=33 ring:n=32,directions=one
rp:k=4,petersen_code=word rp:k=5 rp:k=8,petersen_code=word rp:k=12 tcpg:k=2,m=3,broadcast=no
tcpg:k=2,m=3,petersen_code=word,ring_code=binary,broadcast=no tcpg:k=1,m=1,broadcast=no
tcpg:k=2,m=2,broadcast=no tcpg:k=1,m=1,broadcast=no,virtual_channels=4
tcpg:k=2,m=1,broadcast=no,virtual_channels=4
tcpg:k=1,m=2,petersen_code=word,broadcast=no,virtual_channels=1 torus:x=5,y=6 torus:x=8,y=6
torus:x=7,y=7 torus:x=16,y=9 torus:x=2,y=4,ring_code=johnson torus:x=8,y=6,ring_code=johnson
torus:x=16,y=10,ring_code=johnson torus:x=4,y=5,virtual_channels=4 torus:x=5,y=4,z=5
torus:x=4,y=6,z=4,ring_code=johnson torus:x=3,y=2,z=4,directions=one
wk:w=3,levels=3,virtual_channels=1 wk:w=5,levels=2 wk:w=3,levels=4 wk:w=4,levels=3 wk:w=5,levels=3
wk:w=5,levels=2,routing=shortest wk:w=3,levels=3,virtual_channels=1,routing=shortest
wk:w=3,levels=4,routing=shortest wk:w=4,levels=3,routing=shortest wk:w=5,levels=3,routing=shortest
wk:w=2,levels=1 wk:w=4,levels=2,virtual_channels=1 wk:w=3,levels=3,broadcast=no
wk:w=2,levels=4,routing=shortest wk:w=3,levels=3,virtual_channels=2,routing=shortest
wk:w=3,levels=2,virtual_channels=4,routing=shortest
""")
WK_RULES, TCPG_RULES = ("label", "mask", "address", "stack"), ("ttl", "address")
WK = words("""
wk:w=3,levels=1 wk:w=3,levels=3 wk:w=2,levels=4,virtual_channels=1
wk:w=3,levels=2,virtual_channels=4
""")
LARGE_WK = words("""
wk:w=4,levels=2 wk:w=2,levels=4 wk:w=3,levels=3,virtual_channels=2 wk:w=4,levels=3 wk:w=5,levels=2
wk:w=2,levels=4,virtual_channels=2
""")
TCPG = ["tcpg:k=2,m=1,petersen_code=word,ring_code=johnson", "tcpg:k=1,m=2,ring_code=binary"]
LARGE_TCPG = words("""
tcpg:k=2,m=3 tcpg:k=2,m=3,petersen_code=word,ring_code=binary tcpg:k=1,m=1 tcpg:k=3,m=2
""")
BROADCASTING, LARGE_BROADCASTING = (
    [f"{word},broadcast={rule}" for word in wk for rule in WK_RULES]
    + [f"{word},broadcast={rule}" for word in tcpg for rule in TCPG_RULES]
    for wk, tcpg in ((WK, TCPG), (LARGE_WK, LARGE_TCPG))
)


class OwnECube(ECube):
    """E-cube as if it were a user's."""


class Scattered(Ring):
    """Ring whose addresses are no indices."""

    address_width = 7

    def address(self, node):
        return 5 * node % 97

    def node_at(self, address):
        codes = {self.address(node): node for node in range(self.nodes)}
        return codes.get(address)


def by_table(word):
    """Network whose routers have the rows of another routing as their tables."""
    network = Network.from_word(word)
    return Network(network.topology, routing="table", table_file=export_table(network.routing))


WHEEL = GraphFile.of([(0, 1), (1, 2), (2, 3), (3, 0), (4, 0), (4, 2)])
TABLES = {
    **{f"graph {one}": Network(Graph(file=WHEEL), routing=one) for one in routings_of("graph")},
    "xor": Network(Hypercube(n=3), routing=OwnECube),
    "difference": Network(Ring(nodes=11), routing=CyclicRingRouting),
    "router": Network(Ring(nodes=11), routing=RingRouting),
    "one class": Network(Ring(nodes=7), routing=RingRouting, virtual_channels=1),
    "lanes": Network(Ring(nodes=6), routing=RingRouting, virtual_channels=4),
    "scattered": Network(Scattered(nodes=11), routing=CyclicRingRouting),
    "circulant": Network(Circulant(n=13, step=4)),
    "file": by_table("wk:w=3,levels=2"),  # rows that name their input
    "random": Network(RandomLinks(size=7, more=4, links_seed=3), routing=RandomRouting.drawn(5, 2)),
    "escape, even": Network(Ring(nodes=6), routing=EscapingRingRouting),
    "escape, odd": Network(Ring(nodes=5), routing=EscapingRingRouting),
}
"""Networks without gates but a table of the rule's answers."""


def network_of(name):
    return TABLES.get(name) or Network.from_word(name)


@cache
def compared(find, names):
    """Comparisons and disagreements of these networks, by one netlist."""
    return find({name: network_of(name) for name in names})


def cases(quick, large):
    """Each network with those whose gates are one netlist with its own: those of its topology."""
    kinds = {name: name not in TABLES and name.partition(":")[0] for name in quick}
    together = {n: tuple(other for other in quick if kinds[other] == kinds[n]) for n in quick}
    params = [pytest.param(name, names, id=name) for name, names in together.items()]
    params += [pytest.param(name, (name,), id=name, marks=pytest.mark.slow) for name in large]
    return pytest.mark.parametrize(("name", "names"), params)


@cases([*ROUTED, *TABLES], LARGE)
def test_gates_route_as_the_rule_says_at_every_input(name, names):
    comparisons, different = compared(disagreements, names)[name]
    assert different == 0
    assert comparisons >= network_of(name).topology.nodes ** 2


@cases(BROADCASTING, LARGE_BROADCASTING)
def test_gates_branch_as_the_rule_says_at_every_input(name, names):
    comparisons, different = compared(branch_disagreements, names)[name]
    network = network_of(name)
    assert different == 0
    assert comparisons >= network.topology.nodes**2 * network.routing.lanes


class NeverTheShorterWay(SweepRoute):
    def _is_forward_shorter(self, m, *, swept):
        return ~super()._is_forward_shorter(m, swept=swept)


class NeverPassing(ShortestRoute):
    def _passing(self, m, direct, differs):
        return direct


class Climbing(UnicastRoute):
    def _from_sibling(self, m):
        return super()._from_sibling(m) | {(0, 0): 0}


class Backwards(FactorRoute):
    def _step(self, m, place, here, there):
        return super()._step(m, place, there, here)


class Reversed(LabelBranches):
    def _leaves(self, m):
        return ~super()._leaves(m)


class Unlabelled(LabelBranches):
    def _labels(self, m):
        within, _ = super()._labels(m)
        return within, within


class EndlessTtl(TtlBranch):
    def _goes_on(self, turn, place):
        return super()._goes_on(turn, place) | (turn.output_port > 5)


class EndlessAddress(AddressBranch):
    def _goes_on(self, turn, place):
        return super()._goes_on(turn, place) | (turn.output_port > 5)


ROUTE_FAULTS = {
    NeverTheShorterWay: "ccc:n=3",
    NeverPassing: "wk:w=3,levels=3,routing=shortest",
    Climbing: "wk:w=3,levels=2",
    Backwards: "tcpg:k=1,m=2",
}
BRANCH_FAULTS = {
    Reversed: "wk:w=3,levels=3",
    Unlabelled: "wk:w=3,levels=3",
    EndlessTtl: "tcpg:k=2,m=1,broadcast=ttl",
    EndlessAddress: "tcpg:k=2,m=1,broadcast=address",
}


@pytest.mark.parametrize(
    ("find", "faults"), [(disagreements, ROUTE_FAULTS), (branch_disagreements, BRANCH_FAULTS)]
)
def test_gates_that_decide_otherwise_are_found(find, faults):
    networks = {wrong: Network.from_word(word) for wrong, word in faults.items()}
    found = find(networks, {wrong: wrong for wrong in faults})
    assert all(different for _, different in found.values())
    # 18 pairs have a longer path by self-routing; at their sources another digit is chosen.
    assert found.get(NeverPassing, (0, 18))[1] == 18


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_has_its_gates_and_a_network_above(name):
    """Packets' routings, those of batches, escapes and broadcasts."""
    networks = [network_of(word) for word in (*ROUTED, *TABLES)]
    networks = [one for one in networks if one.topology.name == name]
    gates = gates_of(networks[0])
    built = {word for word, one in routings_of(name).items() if one.unbuildable is None}
    exchanges = getattr(gates, "EXCHANGES", {})
    assert gates.ROUTE_COMPUTATIONS.keys() | exchanges.keys() == built
    assert exchanges.keys() == getattr(gates, "SEQUENCERS", {}).keys()
    routings = {one.routing.name for one in networks if route_computation(one) is not TableRoute}
    assert routings == gates.ROUTE_COMPUTATIONS.keys() or name == "graph"
    escaping = {one.routing.name for one in networks if one.routing.escape_class is not None}
    assert gates.ESCAPE_COMPUTATIONS.keys() == escaping
    branches = getattr(gates, "BRANCH_COMPUTATIONS", {})
    broadcasting = [network_of(word) for word in BROADCASTING if word.startswith(f"{name}:")]
    assert {one.routing.options.broadcast for one in broadcasting} == branches.keys()
    if branches:
        (kind,) = {one.routing.options_class.keys()["broadcast"] for one in broadcasting}
        assert [*branches, "no"] == list(kind.metadata["kind"].words)


@pytest.mark.parametrize(
    ("network", "escape", "gates"),
    [
        (Network(Hypercube(n=3)), False, HighestDifference),
        (Network(Hypercube(n=3), routing=ECube), False, HighestDifference),
        (Network(Moebius(n=3)), False, HighestDifference),
        (Network(Moebius(n=3), routing="spr"), False, ShortestPathRoute),
        (Network(Moebius(n=3), routing="spr", vc_scheme="escape"), True, HighestDifference),
        (TABLES["xor"], False, TableRoute),  # a routing of one's own under a registered name
        (TABLES["router"], False, TableRoute),
        (TABLES["escape, even"], True, TableRoute),
        *((network, False, TableRoute) for name, network in TABLES.items() if "graph" in name),
    ],
)
def test_a_registered_routing_has_gates_of_its_own(network, escape, gates):
    assert route_computation(network, escape=escape) is gates
