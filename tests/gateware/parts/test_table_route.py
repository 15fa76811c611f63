"""Tables of a rule's answers: the rule itself, and one row for routers that decide alike."""

import pytest
from helpers.circulant import Circulant
from helpers.paths import arrivals
from helpers.random_links import RandomLinks, RandomRouting
from helpers.ring import CyclicRingRouting, Ring, RingRouting
from helpers.streams import run
from knotwork import Hypercube, Network
from knotwork.gateware.packet.inputs import constants, own_tables
from knotwork.gateware.parts.route import input_turns
from knotwork.gateware.parts.table_route import TableRoute, route_table
from knotwork.routing.hypercube import ECube
from knotwork.routing.table_file import exported


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


def by_table(words):
    """Network whose routers have the rows of another routing as their tables."""
    network = Network.from_words(words.split())
    return Network(network.topology, routing="table", table_file=exported(network.routing))


NETWORKS = {
    "xor": Network(Hypercube(n=3), routing=OwnECube),
    "difference": Network(Ring(nodes=11), routing=CyclicRingRouting),
    "router": Network(Ring(nodes=11), routing=RingRouting),
    "lanes": Network(Ring(nodes=6), routing=RingRouting, virtual_channels=4),
    "scattered": Network(Scattered(nodes=11), routing=CyclicRingRouting),
    "circulant": Network(Circulant(n=13, step=4)),
    "file": by_table("wk w=3 levels=2"),  # rows that name their input
    "random": Network(RandomLinks(size=7, more=4, seed=3), routing=RandomRouting.drawn(5, 2)),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_the_gates_are_the_rule_at_every_router(name):
    network = NETWORKS[name]
    address, wrong, compared = network.topology.address, [], 0
    by_input = {}
    for (router, port, vc), turns in arrivals(network).items():
        kind = int(network.router_number[router])
        wanted = {destination: turn for (_, destination), turn in turns.items()}
        by_input.setdefault((kind, port, vc), []).append((router, wanted))
    for (number, port, vc), wanted in by_input.items():
        kind = network.router_kinds[number]
        dut = TableRoute(network, input_turns(kind, port, vc), router=kind.router)

        async def compare(ctx, dut=dut, wanted=wanted):
            nonlocal compared
            for router, turns in wanted:
                ctx.set(dut.address, address(router))
                if dut.rows.width:
                    ctx.set(dut.table, dut.rows.constant(router).value)
                for destination, turn in turns.items():
                    ctx.set(dut.destination, address(destination))
                    compared += 1
                    if ctx.get(dut.select) != 1 << dut.turns.index(turn):
                        wrong.append((router, destination))

        run(dut, compare)
    assert wrong == []
    assert compared >= network.topology.nodes**2


@pytest.mark.parametrize("name", ["xor", "difference"])
def test_routers_that_decide_alike_have_no_tables_of_their_own(name):
    network = NETWORKS[name]
    (kind,) = network.router_kinds
    assert own_tables(network, kind) == {}
    table = route_table(network, input_turns(kind, 0, 0))
    assert (table.by, table.rows.shape) == (name, (1, network.topology.nodes))
    assert constants(network, 3).keys() == {"address"}


def test_routers_that_do_not_have_one_each_and_are_one_module():
    network = Network(Circulant(n=300, step=17))
    (kind,) = network.router_kinds
    tables = own_tables(network, kind)
    # Only at the node, and where long or short steps go on, does the place of router 0 count.
    assert tables.keys() == {"routes_local_vc0", "routes_previous_vc0", "routes_back_vc0"}
    assert {table.rows.shape for table in tables.values()} == {(300, 300)}
    pins = constants(network, 299)
    assert {len(pins[name]) for name in tables} <= {300 * 2, 300 * 3}
    assert pins["routes_local_vc0"].value != constants(network, 0)["routes_local_vc0"].value
