"""Networks of least common ancestors: levels of switches above the PEs."""

from itertools import pairwise
from math import prod

import numpy as np
import pytest
import rustworkx as rx
from helpers.networks import every
from hypothesis import given
from hypothesis import strategies as st
from knotwork.errors import ConfigurationError
from knotwork.topology import Baseline, Cm5, FatTree, Lcan, SwBanyan, Trac
from knotwork.topology.levels import blind_crosspoints, crossings, crosspoints, cut_facts


@every
def test_links_lead_up_from_uppers_to_children_of_their_colour(topology):
    linked = np.argwhere(topology.neighbours >= 0)
    for router, port in linked.tolist():
        far, far_port = topology.neighbours[router, port], topology.peer_ports[router, port]
        upwards = topology.level_of(int(far)) > topology.level_of(router)
        assert topology.ports[port].startswith("up" if upwards else "down")
        assert topology.ports[far_port].startswith("down" if upwards else "up")
    expected = sum(topology.level_sizes[i] * topology.uppers[i] for i in range(topology.levels - 1))
    assert len(linked) == 2 * expected
    for router, port in np.argwhere(topology.neighbours >= 0).tolist():
        low, high = sorted((router, int(topology.neighbours[router, port])))
        level = topology.level_of(low)
        prefix = (low - topology.first_switch[level]) // topology.breadths[level]
        kind = topology.link_kinds[topology.link_kind(router, port)]
        assert kind == f"child {prefix % topology.radices[level + 1]}"
        assert topology.level_of(high) == level + 1


@every
def test_pes_and_ports_are_attached_once(topology):
    places = np.argwhere(topology.attached >= 0).tolist()
    found = {int(topology.attached[router, port]): (router, port) for router, port in places}
    assert len(places) == topology.nodes
    for node in range(topology.nodes):
        router, port = found[node]
        assert router == topology.router_of(node)
        assert port == topology.down_port(node % topology.radices[0])
        assert topology.neighbours[router, port] == -1
    for router in range(topology.routers):
        level = topology.level_of(router)
        names = [topology.ports[port] for port in topology.connected_ports(router)]
        ups = 0 if level == topology.levels - 1 else topology.uppers[level]
        downs = [f"down{c}" for c in range(topology.downers[level])]
        assert names == ["local", *downs, *(f"up{k}" for k in range(ups))]


def test_labels_of_children_and_facts_of_networks(answer, run):
    assert Lcan(d=10, u=2, levels=3).label(905) == "905"
    assert Lcan(d=12, u=2, levels=2).label(143) == "11_11"
    small = Lcan(d=2, u=2, levels=3)
    assert [small.router_label(router) for router in (0, 3, 4, 11)] == ["0_0", "0_3", "1_0", "2_3"]
    assert Lcan(d=3, u=2, levels=1, interconnect="tree").level_sizes == (1,)
    with pytest.raises(ConfigurationError):
        Lcan(d=3, u=2, levels=2, interconnect="tree")
    facts = answer("describe lcan d=4 u=2 levels=3")
    assert (facts["nodes"], facts["routers"]) == (64, 16 + 8 + 4)
    assert (facts["links"], facts["simple_links"]) == (48, 48)
    assert facts["degree"] == {"min": 2, "max": 6}
    assert facts["diameter"] == 4
    assert facts["average_distance"] == pytest.approx((2 * 12 + 4 * 48) / 63)
    assert facts["routings"] == ["updown", "scheduled"]
    assert facts["level_sizes"] == [16, 8, 4]
    assert (facts["downers"], facts["uppers"]) == ([4, 4, 4], [2, 2, 2])
    assert facts["links_a_level"] == [64, 32, 16]
    assert facts["open_uppers"] == 8
    assert facts["lca_levels"] == [64 * 3, 64 * 12, 64 * 48]
    assert facts["paths"] == [1, 2, 4]
    facts = answer("describe lcan d=4 u=2 levels=3 interconnect=tree")
    assert (facts["nodes"], facts["routers"]) == (16, 7)
    assert (facts["links"], facts["simple_links"]) == (12, 6)
    assert facts["paths"] == [1, 1, 1]
    _, out, _ = run("describe lcan d=2 u=2 levels=4")
    lines = [line for line in out.splitlines() if "packages=" in line]
    assert [line.split("cut=")[1].split()[0] for line in lines] == ["1", "2", "3"]


@every
def test_levels_are_drawn_apart_and_have_blind_crosspoints(topology):
    layout = topology.layout()
    level = topology.level_of(np.arange(topology.routers))
    assert topology.has_node_columns == (topology.nodes == 64)
    below = np.abs(layout[:, 0]) if topology.has_node_columns else layout[:, 1]
    assert (np.diff(below)[np.diff(level) > 0] < 0).all()
    # At an LCA above level 0 the two PEs are below different children.
    for level in range(topology.levels):
        wires = range(topology.downers[level])
        children = [c // topology.wires[level] for c in wires]
        alike = sum(children[a] == children[c] for a in wires for c in wires)
        assert blind_crosspoints(topology, level) == (alike if level else 0)


def test_complete_networks_and_fat_trees_by_hand():
    trac = Trac(levels=2)  # section 4
    assert (trac.nodes, trac.level_sizes) == (9, (3, 2))
    assert trac.extra_facts()["open_uppers"] == 4
    assert (Baseline(levels=4).neighbours == Lcan(d=2, u=2, levels=4).neighbours).all()
    assert Baseline(levels=4).instance_name == "baseline_levels4"
    banyan = SwBanyan(f=2, s=3, levels=3)
    assert (banyan.neighbours == Lcan(d=2, u=3, levels=3).neighbours).all()
    assert [banyan.nodes, *(size * 3 for size in banyan.level_sizes)] == [8, 12, 18, 27]
    sizes = FatTree(r=(3, 3, 3), u=(2, 2, 2)).level_sizes
    assert [a // b for a, b in pairwise(sizes)] == [3, 3]
    tree = FatTree(r=(2, 3), u=(4, 1))
    for switch in range(3):
        ends = [tree.up(0, switch, k) for k in range(4)]
        assert ends == [(0, switch * 4 + k) for k in range(4)]


@pytest.mark.parametrize("levels", range(2, 7))
def test_it_is_the_baseline_network_port_for_port(levels):
    # Stage i has 2^i blocks; an inverse shuffle of a block's lines leads to its two halves.
    baseline = Baseline(levels=levels)
    for stage in range(levels - 1):
        lines = 2 ** (levels - stage)
        for block in range(2**stage):
            for line in range(lines):
                shuffled = block * lines + (line >> 1 | (line & 1) * lines // 2)
                row, k = divmod(line, 2)
                # The switch's number has its row in the block first and the block last.
                switch, downer = baseline.up(stage, row * 2**stage + block, k)
                after, k_block = divmod(switch, 2 ** (stage + 1))
                assert (k_block * lines // 2) + 2 * after + downer == shuffled


def components(topology, levels):
    """Connected parts of some levels, as sorted numbers of switches a level."""
    graph = rx.PyGraph()
    graph.add_nodes_from(range(topology.routers))
    for router, row in enumerate(topology.neighbours):
        for far in row[row >= 0].tolist():
            if topology.level_of(router) in levels and topology.level_of(far) in levels:
                graph.add_edge(router, far, None)
    parts = [
        part for part in rx.connected_components(graph) if topology.level_of(min(part)) in levels
    ]
    return [
        tuple(sum(topology.level_of(router) == level for router in part) for level in levels)
        for part in parts
    ]


def test_cm5_of_a_thousand_and_twenty_four_and_of_other_uppers(answer):
    cm5 = Cm5(levels=5)  # section 4
    assert cm5.nodes == 1024
    assert cm5.u == (2, 2, 4, 4, 4)
    assert cm5.level_sizes == (256, 128, 64, 64, 64)
    assert cm5.capacities == (2, 4, 16, 64, 256)
    block, upper = Lcan(d=4, u=2, levels=2), Lcan(d=4, u=4, levels=3)
    assert components(cm5, (0, 1)) == [block.level_sizes] * 64
    assert sum(block.level_sizes) == 6
    assert components(cm5, (2, 3, 4)) == [upper.level_sizes] * 4
    assert sum(upper.level_sizes) == 48
    facts = answer("describe cm5 levels=3 u=2,4,4")
    assert facts["parameters"]["u"] == [2, 4, 4]
    assert facts["level_sizes"] == [16, 8, 8]
    assert answer("describe cm5 levels=3")["parameters"]["u"] == [2, 2, 4]
    assert Cm5(levels=2).instance_name == "cm5_levels2_u2_2"


@given(levels=st.lists(st.tuples(st.integers(2, 4), st.integers(1, 6)), min_size=1, max_size=4))
def test_sizes_and_wires_of_any_vectors(levels):
    r, u = zip(*levels, strict=True)
    tree = FatTree(r=r, u=u)
    assert tree.nodes == prod(r)
    assert tree.level_sizes == tuple(prod(r[level + 1 :]) for level in range(len(r)))
    assert tree.wires == (1, *u[:-1])
    assert tree.downers == tuple(a * b for a, b in zip(r, (1, *u), strict=False))
    assert tree.capacities == u
    assert tree.breadths == (1,) * len(r)


@pytest.mark.parametrize(
    ("d", "u", "row"), [(2, 2, (16, 12, 10)), (4, 2, (36, 32, 28)), (4, 4, (64, 48, 44))]
)
def test_crosspoints_of_a_switch(d, u, row):  # section 2
    full, lowest, above = row
    levels = Lcan(d=d, u=u, levels=3)
    low, middle, top = levels.level_sizes
    counts = crosspoints(levels)
    assert counts["full"] == sum(levels.level_sizes) * full
    assert counts["needed"] == low * lowest + (middle + top) * above
    assert counts["built"] == low * lowest + middle * above + top * (d * d - d)
    assert crosspoints(Lcan(d=d, u=u, levels=1)) == {"full": full, "needed": lowest, "built": d * d}


def test_cuts_and_packets_that_cross_them():
    """Section 10 of the specification."""
    topology, pes = Baseline(levels=10), np.arange(1024)
    facts = {fact["cut"]: fact for fact in cut_facts(topology)}
    assert list(facts) == list(range(1, 10))
    chip = {"cut": 4, "packages": 64, "pes": 16, "switches": 32, "links": 16}
    assert facts[4] == chip | {"random_crossings": 1008}
    board = {"cut": 8, "packages": 4, "pes": 256, "switches": 1024, "links": 256}
    assert facts[8] == board | {"random_crossings": 768}
    reversal = sum((pes >> bit & 1) << 9 - bit for bit in range(10))
    table = {
        "identity": (pes, 0, 0),
        "shuffle": (rotated(pes, 1, 10), 1008, 768),
        "transpose": (rotated(pes, 5, 10), 992, 768),
        "reversal": (reversal, 992, 768),
    }
    for destinations, chip, board in table.values():
        assert crossings(topology, 4, pes, destinations) == chip
        assert crossings(topology, 8, pes, destinations) == board


def rotated(x, by, bits):
    return (x << by | x >> bits - by) & (1 << bits) - 1
