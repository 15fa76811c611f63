"""Paths of least-common-ancestor networks and of copies of trees, and what their users see."""

from itertools import pairwise

import numpy as np
import pytest
from helpers.networks import every
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork.routing import Hop, check_deadlock, routings_of
from knotwork.routing.circuits import Engine
from knotwork.routing.kyklos import ROUTINGS as KYKLOS
from knotwork.routing.lcan import Scheduled, UpDown
from knotwork.topology import FatTree, Kyklos, Trac


@pytest.mark.parametrize("name", ["lcan", "fattree", "cm5", "baseline", "sw_banyan", "trac"])
def test_routings(name):
    assert routings_of(name) == {"updown": UpDown, "scheduled": Scheduled}
    assert {each.name: each for each in KYKLOS} == routings_of("kyklos") == {"updown": UpDown}


@every
def test_a_header_turns_where_its_lca_is(topology):
    routing = UpDown(topology)
    for s in range(0, topology.nodes, 5):
        for t in range(topology.nodes):
            top = topology.lca_level(s, t)
            for _, way in topology.paths(s, t):
                for level, router in enumerate(way[: top + 1]):
                    w = router - topology.first_switch[level]
                    assert routing.turns_here(level, w, t) == (level == top)
                for level, router in enumerate(way[top:][::-1]):
                    # From above it always would: section 6.
                    assert routing.turns_here(level, router - topology.first_switch[level], t)


def test_turns_of_arrays():
    routing = UpDown(Trac(levels=3))
    w, t = np.arange(9)[:, None], np.arange(27)
    assert (routing.turns_here(0, w, t) == (t // 3 == w)).all()


@every
def test_the_path_of_a_pair_has_the_lowest_word_and_words_choose_others(topology):
    routing = UpDown(topology)
    assert check_deadlock(routing).deadlock_free
    for s in range(0, topology.nodes, 5):
        for t in range(topology.nodes):
            hops = routing.hops(s, t)
            word, way = next(topology.paths(s, t))
            assert set(word) <= {0}
            assert routing.path(s, t) == way
            for hop, after in zip(hops, way[1:], strict=False):
                assert topology.neighbours[hop.router, hop.port] == after
            assert topology.attached[hops[-1].router, hops[-1].port] == t
            for word, way in topology.paths(s, t):
                assert [hop.router for hop in routing.hops_by(s, t, word)] == way


def test_example_of_a_path():  # section 7.4: up 1, up 0, then children 1, 1, 2
    routing = UpDown(Trac(levels=3))
    up, down = routing.topology.up_port, routing.topology.down_port
    assert routing.hops_by(5, 14, (1, 0)) == [
        Hop(1, up(1), 0),
        Hop(9 + 1, up(0), 0),
        Hop(9 + 6 + 2, down(1), 0),
        Hop(9 + 3, down(1), 0),
        Hop(4, down(2), 0),
    ]


def test_routers_of_a_level_are_a_group():
    routing = UpDown(FatTree(r=(2, 2, 2), u=(3, 1, 1)))
    assert routing.router_groups.tolist() == [0, 0, 0, 0, 1, 1, 2]
    assert [routing.group_name(router) for router in (3, 4, 6)] == ["level0", "level1", "level2"]
    assert routing.turns(0) == []
    network = Network(routing.topology)
    kinds = {kind.role: kind.ports for kind in network.router_kinds}
    assert kinds == {
        "router_level0": (0, 1, 2, *(7 + k for k in range(3))),
        "router_level1": (0, *range(1, 7), 7),
        "router_level2": (0, 1, 2),
    }


def test_keys_of_the_switches(refusal):
    parameters = Network.from_words(["lcan", "d=2", "u=2", "levels=3"]).parameters
    shape = {"d": 2, "u": 2, "levels": 3, "interconnect": "complete", "routing": "updown"}
    assert parameters == shape | {"data_width": 32, "max_packet": 16, "network_seed": 1}
    assert refusal("describe lcan d=2 u=2 levels=2 pipeline=2") == (
        "lcan: a key must be one of d, u, levels, interconnect, routing, router, data_width, "
        "ports, collectives, collective_width, groups, operations, element_width, "
        "collective_watchdog, max_packet, network_seed, cycle, name, keep, user_width, reset, "
        "reset_style, node.*, bus.*, map.*, not 'pipeline'"
    )


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("max_packet=0", "max_packet must be an integer in 1..1024, not 0"),
        ("network_seed=0", "network_seed must be an integer in 1..4294967295, not 0"),
        ("data_width=4", "data_width must be an integer in 8..512, not 4"),
    ],
)
def test_values_that_cannot_be_are_refused(refusal, word, line):
    assert refusal(f"describe lcan d=2 u=2 levels=2 {word}") == f"circuit switch: {line}"


def test_route_tells_switches_and_the_choice(answer, run):
    found = answer("route trac levels=3 5 @112")
    assert found["path"] == [1, 9, 15 + 0, 9 + 2, 4]
    assert found["labels"] == ["0_1", "1_0", "2_0", "1_2", "0_4"]
    assert found["ports"] == ["up0", "up0", "down1", "down1"]
    assert found["virtual_channels"] == [0] * 4
    assert (found["lca_level"], found["paths"], found["word"]) == (2, 4, [0, 0])
    _, out, _ = run("route trac levels=3 5 @112")
    assert "of all paths that with the lowest uppers" in out
    assert answer("route trac levels=3 5 5")["path"] == [1]


def test_a_table_of_next_routers_is_refused(refusal):
    assert refusal("route lcan d=2 u=2 levels=2 --table") == (
        "lcan: routing=updown must be given two nodes (knotwork route NET... SRC DST): its "
        "routers are no nodes, and the path depends on other packets"
    )
    with pytest.raises(ConfigurationError):
        _ = Scheduled(Trac(levels=2)).rule


def test_it_is_free_of_deadlock(run):
    report = Network.from_word("lcan:d=4,u=2,levels=3").deadlock_report
    assert (report.deadlock_free, report.channels) == (True, 0)
    assert "nothing waits while it holds a link" in report.reason
    _, out, _ = run("describe lcan d=2 u=2 levels=2 --routing")
    assert "none: a packet's path depends on the other packets" in out


def test_drawing_of_a_path(run, tmp_path):
    file = tmp_path / "lcan.svg"
    assert run(f"draw lcan d=2 u=2 levels=3 --route 0 7 -o {file}")[0] == 0
    text = file.read_text()
    assert "route 000 to 111: 6 links" in text
    assert all(f">{level}_{w}<" in text for level in range(3) for w in range(4))


def test_packets_spread_over_the_levels_and_move_in_network_cycles():
    updown, scheduled = UpDown(Trac(levels=2)), Scheduled(Trac(levels=2))
    assert updown.level_tree is updown.topology
    assert updown.network_cycle(16) == 6 * (2 - 1) + 16 + 6
    assert updown.takes_packets_any_time and updown.has_network_cycles
    assert not scheduled.takes_packets_any_time
    ecube = Network.from_word("hypercube:n=2").routing
    assert (ecube.level_tree, ecube.network_cycle(16)) == (None, None)
    assert ecube.takes_packets_any_time and not ecube.has_network_cycles


def test_a_path_goes_up_and_down_in_one_copy_from_the_source_to_the_destination():
    topology = Kyklos(k=2, levels=3, copies=3)
    routing = UpDown(topology)
    for s in range(8):
        for t in range(8):
            hops = routing.hops(s, t)
            assert len(hops) == 2 * topology.lca_level(s, t) + 1
            assert s in topology.attached[hops[0].router]
            assert topology.attached[hops[-1].router, hops[-1].port] == t
            for here, after in pairwise(hops):
                assert topology.neighbours[here.router, here.port] == after.router


def test_pairs_know_in_how_many_copies_they_are_nearest():
    routing = Network.from_word("kyklos:k=2,levels=4").routing
    # 0 and 9 differ in the first and the last digit: level 3 in both copies.
    assert routing.pair_facts(0, 9)["paths"] == 2
    assert (routing.pair_facts(0, 8)["lca_level"], routing.pair_facts(0, 8)["paths"]) == (0, 1)


def test_a_pe_lets_in_one_header_per_network_cycle_that_of_the_lowest_level():
    """All to PE 0 of 8: 1 and 4 are its neighbours, in copies 0 and 1; the first copy is served."""
    engine = Engine(Kyklos(k=2, levels=3))
    sources = np.array([1, 4, 7])
    outcome = engine.cycle(sources, np.zeros(3, np.int64))
    assert outcome.won.tolist() == [True, False, False]
    assert outcome.lost_level[1] == 0
    outcome = engine.cycle(sources[1:], np.zeros(2, np.int64))
    assert outcome.won.tolist() == [True, False]


def test_neighbours_in_either_copy_are_served_at_once():
    """Pairs 0-1 and 4-5 of 8 meet on level 0 in copy 0, pairs 2-6 and 3-7 in copy 1."""
    engine = Engine(Kyklos(k=2, levels=3))
    sources, destinations = np.arange(8), np.arange(8) ^ np.array([1, 1, 4, 4, 1, 1, 4, 4])
    assert sorted(destinations) == list(range(8))
    assert engine.cycle(sources, destinations).won.all()
