"""Routes by tables, by tables that are loaded, and where routers serve several nodes."""

from random import Random

import numpy as np
import pytest
from helpers.circulant import Circulant
from helpers.ring import CyclicRingRouting, EscapingRingRouting, Ring
from helpers.streams import assign, run
from helpers.wide import run_fabric
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Hypercube, Network
from knotwork.gateware.packet.inputs import constants, router_tables
from knotwork.gateware.parts.factors import FactorRoute
from knotwork.gateware.parts.network_routes import ServedRoute, route_computation
from knotwork.gateware.parts.route import input_turns
from knotwork.gateware.parts.table_route import (
    LoadedRoute,
    TableRoute,
    channel_layout,
    merged,
    route_table,
)
from knotwork.routing.hypercube import ECube
from knotwork_sim.model.run import run_model
from knotwork_sim.scoreboard.score import count_mismatches, score
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets


class OwnECube(ECube):
    """E-cube as if it were a user's."""


@pytest.mark.parametrize(
    ("network", "by"),
    [
        (Network(Hypercube(n=3), routing=OwnECube), "xor"),
        (Network(Ring(nodes=11), routing=CyclicRingRouting), "difference"),
    ],
)
def test_routers_that_decide_alike_have_no_tables_of_their_own(network, by):
    (kind,) = network.router_kinds
    assert router_tables(network, kind) == {}
    table = route_table(network, input_turns(kind, 0, 0))
    assert (table.by, table.rows.shape) == (by, (1, network.topology.nodes))
    assert constants(network, 3).keys() == {"address"}


def test_routers_that_do_not_have_one_each_and_are_one_module():
    network = Network(Circulant(n=300, step=17))
    (kind,) = network.router_kinds
    tables = router_tables(network, kind)
    # Only at the node, and where long or short steps go on, does the place of router 0 count.
    assert tables.keys() == {"routes_local_vc0", "routes_previous_vc0", "routes_back_vc0"}
    assert {table.rows.shape for table in tables.values()} == {(300, 300)}
    pins = constants(network, 299)
    assert {len(pins[name]) for name in tables} <= {300 * 2, 300 * 3}
    assert pins["routes_local_vc0"].value != constants(network, 0)["routes_local_vc0"].value


def test_no_turn_out_of_an_escape_is_chosen_at_the_destination():
    """A flit that is to be ejected has none; the table says so, as the gates do."""
    network = Network(Ring(nodes=5), routing=EscapingRingRouting)
    turns = tuple(t for t in input_turns(network.router_kinds[0], 2, 0) if t.output_vc == 1)
    dut, seen = TableRoute(network, turns, rule_class=network.routing.escape_class), []

    async def testbench(ctx):
        for node in range(5):
            assign(ctx, dut, address=node, destination=node)
            if "table" in dut.signature.members:
                ctx.set(dut.table, dut.rows.constant(node).value)
            seen.append(ctx.get(dut.select))

    run(dut, testbench)
    assert seen == [0] * 5


NETWORK = Network.from_word("torus:x=3,y=3,tables=loaded")


def test_banks_are_written_and_take_force_in_turn():
    (kind,) = NETWORK.router_kinds
    port, vc = kind.receiving[0], 0
    own_turns = input_turns(kind, port, vc)
    turns = tuple(turn for turn in kind.turns if (turn.input_port, turn.input_vc) == (port, vc))
    assert set(own_turns) < set(turns)
    own = route_computation(NETWORK)(NETWORK, own_turns)
    route = LoadedRoute(NETWORK, turns, own, router=0)
    layout, dice = channel_layout(NETWORK), Random(5)

    async def load(ctx, bank, table):
        ctx.set(route.bank, bank)
        for node, turn in table.items():
            out_class = 0 if turn.output_port in kind.node_ports else turn.output_vc
            entry = layout.const({"port": turn.output_port, "channel_class": out_class})
            assign(ctx, route, entry_destination=node, entry=entry.as_bits(), writes=1)
            await ctx.tick()
        ctx.set(route.writes, 0)

    def read(ctx, node):
        ctx.set(route.destination, node)
        return [turn for place, turn in enumerate(turns) if ctx.get(route.select) >> place & 1]

    async def testbench(ctx):
        tables = [{node: dice.choice(turns) for node in range(9)} for _ in range(3)]
        for bank, table in enumerate(tables):
            before = [read(ctx, node) for node in range(9)]
            await load(ctx, bank % 2, table)
            assert [read(ctx, node) for node in range(9)] == before
            assign(ctx, route, loaded=1, bank=~bank & 1)
            assert [read(ctx, node) for node in range(9)] == [[table[n]] for n in range(9)]
        ctx.set(route.loaded, 0)
        assert read(ctx, 0)[0] in own_turns

    run(route, testbench)


SLOW = (
    "hypercube:n=2,nodes_per_router=3,virtual_channels=2,buffer_depth=2",
    "moebius:n=3,routing=spr,nodes_per_router=2,buffer_depth=2",
    "ccc:n=3,nodes_per_router=2,buffer_depth=4,pipeline=2",
    "wk:w=3,levels=1,nodes_per_router=2,broadcast=no,buffer_depth=2",
    "petersen:nodes_per_router=2,buffer_depth=2",
    "torus:x=3,y=2,directions=one,nodes_per_router=2,buffer_depth=2",
    "mesh:x=2,y=2,nodes_per_router=2,dead=3,buffer_depth=2",
    "mesh:x=2,y=2,dead=0-1,nodes_per_router=2,classes=2,buffer_depth=4",
    "wk:w=3,levels=2,nodes_per_router=2,buffer_depth=4,pipeline=2",
    "wk:w=3,levels=1,nodes_per_router=3,classes=2,buffer_depth=4,pipeline=3",
    "wk:w=3,levels=2,classes=2,broadcast=mask,buffer_depth=4",
    "tcpg:k=1,m=1,nodes_per_router=2,classes=2,broadcast=address,buffer_depth=4",
    "hypercube:n=1,nodes_per_router=3,multicast=yes,buffer_depth=4,max_packet=12,pipeline=3",
    "hypercube:n=2,classes=2,multicast=yes,buffer_depth=6,pipeline=3",
    "moebius:n=2,nodes_per_router=2,classes=2,multicast=yes,buffer_depth=8",
)


@pytest.mark.parametrize(
    "word",
    [
        "mesh:x=2,y=2,nodes_per_router=2,buffer_depth=2",
        "mesh:x=3,y=1,nodes_per_router=3,buffer_depth=4,pipeline=2",
        "mesh:x=2,y=1,nodes_per_router=2,classes=2,buffer_depth=4",
        "wk:w=2,levels=1,nodes_per_router=2,buffer_depth=3,pipeline=2",
        "hypercube:n=1,nodes_per_router=2,multicast=yes,buffer_depth=6,pipeline=2",
        *(pytest.param(word, marks=pytest.mark.slow) for word in SLOW),
    ],
)
def test_does_what_the_golden_model_does_in_the_same_clock(word):
    network = Network.from_word(f"{word},data_width=8")
    count = 6 * network.topology.nodes
    longest = 3 if network.longest_copied_packet else 6
    traffic = Traffic(
        rate=0.6,
        packets=count,
        length=(1, longest),
        bubble=0.2,
        stall=0.3,
        seed=3,
        broadcast_share=0.2 * network.has_broadcast,
        multicast_share=0.3 * network.has_multicast,
    )
    packets = make_packets(network, traffic)
    hardware, model = run_fabric(network, traffic, packets), run_model(network, traffic, packets)
    assert count_mismatches(hardware, model) == 0
    assert np.array_equal(*(np.unique(each.rows(), axis=0) for each in (hardware, model)))
    found = score(network, packets, hardware)
    assert (found.lost, found.duplicated, found.misrouted) == (0, 0, 0)
    assert found.delivered >= count


def test_whose_gates_they_are():
    gates = route_computation(Network.from_word("mesh:x=3,y=3,nodes_per_router=2"))
    assert issubclass(gates, ServedRoute)
    assert gates.gates is FactorRoute
    for word in ("mesh:x=3,y=3,nodes_per_router=2,routing=updown", "mesh:x=3,y=3,routing=updown"):
        assert route_computation(Network.from_word(word)) is TableRoute


def bits_that_matter(row):
    """Bits of the index on which some entry depends."""
    places = np.arange(len(row))
    return {
        bit
        for bit in range((len(row) - 1).bit_length())
        if any(row[p] != row[p ^ 1 << bit] for p in places if p ^ 1 << bit < len(row))
    }


@given(row=st.lists(st.integers(-1, 5), min_size=1, max_size=70))
def test_what_is_asked_stays(row):
    row = np.array(row)
    filled = merged(row)
    assert (filled[row >= 0] == row[row >= 0]).all()
    assert filled.min() >= 0
    assert filled.max() <= 7
    assert (merged(filled) == filled).all()


@pytest.mark.parametrize(
    ("row", "bits"),
    [
        ([3, -1, -1, -1, -1, -1, -1, -1], set()),
        ([0, -1, 0, 1, -1, 1, -1, -1], {0}),  # as its lowest bit
        ([0, 1, -1, -1, -1, -1, 0, 1], {0}),
        ([0, -1, -1, 1], {1}),  # either of two bits would do: the other one is merged first
        ([0, 1, 2, 3], {0, 1}),
    ],
)
def test_bits_that_need_not_matter_do_not(row, bits):
    assert bits_that_matter(merged(np.array(row))) == bits


@given(table=st.lists(st.integers(0, 3), min_size=4, max_size=4), data=st.data())
def test_a_row_of_two_bits_is_found_again_from_a_few_of_its_entries(table, data):
    """Of 32 entries that depend on two bits, all pairs that differ there are known."""
    row = np.array([table[place & 3] for place in range(32)])
    kept = {0, 1, 2, 3} | data.draw(st.sets(st.integers(0, 31)))
    asked = np.where(np.isin(np.arange(32), sorted(kept)), row, -1)
    assert bits_that_matter(merged(asked)) <= {0, 1}
