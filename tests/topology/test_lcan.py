import numpy as np
import pytest
from helpers.ancestors import every
from knotwork.errors import ConfigurationError
from knotwork.topology import Lcan


@every
def test_links_lead_up_from_uppers_and_down_from_downers(topology):
    linked = np.argwhere(topology.neighbours >= 0)
    for router, port in linked.tolist():
        far, far_port = topology.neighbours[router, port], topology.peer_ports[router, port]
        upwards = topology.level_of(int(far)) > topology.level_of(router)
        assert topology.ports[port].startswith("up" if upwards else "down")
        assert topology.ports[far_port].startswith("down" if upwards else "up")
    expected = sum(topology.level_sizes[i] * topology.uppers[i] for i in range(topology.levels - 1))
    assert len(linked) == 2 * expected


@every
def test_every_pe_is_attached_once(topology):
    places = np.argwhere(topology.attached >= 0).tolist()
    found = {int(topology.attached[router, port]): (router, port) for router, port in places}
    assert len(places) == topology.nodes
    for node in range(topology.nodes):
        router, port = found[node]
        assert router == topology.router_of(node)
        assert port == topology.down_port(node % topology.radices[0])
        assert topology.neighbours[router, port] == -1


@every
def test_connected_ports_are_all_downers_and_the_uppers_below_the_top(topology):
    for router in range(topology.routers):
        level = topology.level_of(router)
        names = [topology.ports[port] for port in topology.connected_ports(router)]
        ups = 0 if level == topology.levels - 1 else topology.uppers[level]
        downs = [f"down{c}" for c in range(topology.downers[level])]
        assert names == ["local", *downs, *(f"up{k}" for k in range(ups))]


def test_labels_of_few_and_of_many_children():
    assert Lcan(d=10, u=2, levels=3).label(905) == "905"
    assert Lcan(d=12, u=2, levels=2).label(143) == "11_11"
    small = Lcan(d=2, u=2, levels=3)
    assert [small.router_label(router) for router in (0, 3, 4, 11)] == ["0_0", "0_3", "1_0", "2_3"]


@every
def test_levels_are_drawn_above_each_other_or_nearer_to_the_middle(topology):
    layout = topology.layout()
    level = topology.level_of(np.arange(topology.routers))
    assert topology.has_node_columns == (topology.nodes == 64)
    below = np.abs(layout[:, 0]) if topology.has_node_columns else layout[:, 1]
    assert (np.diff(below)[np.diff(level) > 0] < 0).all()


@every
def test_links_are_coloured_by_the_child_that_they_lead_to(topology):
    for router, port in np.argwhere(topology.neighbours >= 0).tolist():
        low, high = sorted((router, int(topology.neighbours[router, port])))
        level = topology.level_of(low)
        prefix = (low - topology.first_switch[level]) // topology.breadths[level]
        kind = topology.link_kinds[topology.link_kind(router, port)]
        assert kind == f"child {prefix % topology.radices[level + 1]}"
        assert topology.level_of(high) == level + 1


def test_facts_of_sixty_four_pes(answer):
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


def test_two_links_to_one_parent_are_one_simple_link(answer):
    facts = answer("describe lcan d=4 u=2 levels=3 interconnect=tree")
    assert (facts["nodes"], facts["routers"]) == (16, 7)
    assert (facts["links"], facts["simple_links"]) == (12, 6)
    assert facts["paths"] == [1, 1, 1]


def test_describe_prints_a_line_for_each_cut(run):
    _, out, _ = run("describe lcan d=2 u=2 levels=4")
    lines = [line for line in out.splitlines() if "packages=" in line]
    assert [line.split("cut=")[1].split()[0] for line in lines] == ["1", "2", "3"]


def test_one_level_of_a_tree_is_a_crossbar():
    assert Lcan(d=3, u=2, levels=1, interconnect="tree").level_sizes == (1,)
    with pytest.raises(ConfigurationError):
        Lcan(d=3, u=2, levels=2, interconnect="tree")
