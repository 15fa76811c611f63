import numpy as np
import pytest
from helpers.ancestors import COMPLETE, TREES, every
from knotwork.errors import ConfigurationError
from knotwork.topology import Lcan


def test_the_networks_of_these_tests_are_fourteen_and_more():
    assert len({topology.instance_name for topology in [*COMPLETE, *TREES]}) >= 14


@every
def test_a_link_leads_back_from_its_peer_port(topology):
    linked = np.argwhere(topology.neighbours >= 0)
    for router, port in linked.tolist():
        far, far_port = topology.neighbours[router, port], topology.peer_ports[router, port]
        assert topology.neighbours[far, far_port] == router
        assert topology.peer_ports[far, far_port] == port
        upwards = topology.level_of(int(far)) > topology.level_of(router)
        assert topology.ports[port].startswith("up" if upwards else "down")
        assert topology.ports[far_port].startswith("down" if upwards else "up")
    assert topology.neighbours.shape == (topology.routers, len(topology.ports))
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


@every
def test_labels_and_addresses(topology):
    assert len({topology.label(node) for node in range(topology.nodes)}) == topology.nodes
    labels = {topology.router_label(router) for router in range(topology.routers)}
    assert len(labels) == topology.routers
    assert all(f"router_{label}".isidentifier() for label in labels)
    known = [topology.node_at(address) for address in range(1 << topology.address_width)]
    assert [node for node in known if node is not None] == list(range(topology.nodes))
    # A digit has bits of its own, as few as its radix needs.
    assert topology.address_width == sum(len(f"{radix - 1:b}") for radix in topology.radices)
    for node in range(topology.nodes):
        code = "".join(
            f"{topology.digit(node, level):0{len(f'{radix - 1:b}')}b}"
            for level, radix in reversed(list(enumerate(topology.radices)))
        )
        assert topology.address(node) == int(code, 2)


def test_labels_of_few_and_of_many_children():
    assert Lcan(d=10, u=2, levels=3).label(905) == "905"
    assert Lcan(d=12, u=2, levels=2).label(143) == "11_11"
    small = Lcan(d=2, u=2, levels=3)
    assert [small.router_label(router) for router in (0, 3, 4, 11)] == ["0_0", "0_3", "1_0", "2_3"]


@every
def test_levels_are_drawn_above_each_other_or_nearer_to_the_middle(topology):
    layout = topology.layout()
    away = np.hypot(*(layout[:, None] - layout[None, :]).transpose(2, 0, 1))
    assert away[~np.eye(len(layout), dtype=bool)].min(initial=9) > 0.5
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


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            "d=4 u=3 levels=2 interconnect=tree",
            "u must be a divisor of d where interconnect=tree, or downers stay unconnected, "
            "not 3 with d=4",
        ),
        (
            "d=2 u=4 levels=2 interconnect=tree",
            "u must be at most d where interconnect=tree, or level 1 has a fraction of a switch, "
            "not 4 with d=2",
        ),
        (
            "d=4 u=4 levels=2 interconnect=tree",
            "u must be less than d where interconnect=tree, or no level above 0 joins two "
            "subtrees, not 4 with d=4",
        ),
        ("d=1 u=2 levels=3", "PEs must be 2..1048576, not 1"),
        ("d=16 u=2 levels=6", "PEs must be 2..1048576, not 16777216"),
        ("d=2 u=16 levels=8", "switches must be 1..1048576, not 306783360"),
        ("d=17 u=2 levels=2", "d must be an integer in 1..16, not 17"),
        ("d=2 u=0 levels=2", "u must be an integer in 1..16, not 0"),
        ("d=2 u=2 levels=17", "levels must be an integer in 1..16, not 17"),
        ("d=2 u=2", "levels must be given: an integer in 1..16"),
        (
            "d=2 u=2 levels=2 interconnect=ring",
            "interconnect must be one of complete, tree, not 'ring'",
        ),
    ],
)
def test_what_makes_no_network_is_refused(refusal, words, line):
    assert refusal(f"describe lcan {words}") == f"lcan: {line}"


def test_one_level_of_a_tree_is_a_crossbar():
    assert Lcan(d=3, u=2, levels=1, interconnect="tree").level_sizes == (1,)
    with pytest.raises(ConfigurationError):
        Lcan(d=3, u=2, levels=2, interconnect="tree")
