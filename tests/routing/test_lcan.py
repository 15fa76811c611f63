import numpy as np
import pytest
from helpers.ancestors import every
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork.routing import Hop, check_deadlock, routings_of
from knotwork.routing.lcan import Scheduled, UpDown
from knotwork.topology import FatTree, Trac


@pytest.mark.parametrize("name", ["lcan", "fattree", "cm5", "baseline", "sw_banyan", "trac"])
def test_routings(name):
    assert routings_of(name) == {"updown": UpDown, "scheduled": Scheduled}


@every
def test_a_header_turns_where_its_lca_is(topology):
    routing = UpDown(topology)
    for s in range(0, topology.nodes, 2):
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
def test_the_path_told_has_the_lowest_word(topology):
    routing = UpDown(topology)
    assert check_deadlock(routing).deadlock_free
    for s in range(topology.nodes):
        for t in range(0, topology.nodes, 3):
            hops = routing.hops(s, t)
            word, way = next(topology.paths(s, t))
            assert set(word) <= {0}
            assert routing.path(s, t) == way
            for hop, after in zip(hops, way[1:], strict=False):
                assert topology.neighbours[hop.router, hop.port] == after
            assert topology.attached[hops[-1].router, hops[-1].port] == t


@every
def test_paths_by_words(topology):
    routing = UpDown(topology)
    for t in range(topology.nodes):
        for word, way in topology.paths(0, t):
            assert [hop.router for hop in routing.hops_by(0, t, word)] == way


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
    assert [routing.place(router) for router in (3, 4, 6)] == ["level0", "level1", "level2"]
    assert routing.turns(0) == []
    network = Network(routing.topology)
    kinds = {kind.role: kind.ports for kind in network.router_kinds}
    assert kinds == {
        "router_level0": (0, 1, 2, *(7 + k for k in range(3))),
        "router_level1": (0, *range(1, 7), 7),
        "router_level2": (0, 1, 2),
    }


def test_keys_of_the_switches():
    parameters = Network.from_words(["lcan", "d=2", "u=2", "levels=3"]).parameters
    assert parameters == {
        "d": 2,
        "u": 2,
        "levels": 3,
        "interconnect": "complete",
        "routing": "updown",
        "data_width": 32,
        "max_packet": 16,
        "network_seed": 1,
    }


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


def test_unknown_keys_are_refused(refusal):
    assert refusal("describe lcan d=2 u=2 levels=2 pipeline=2") == (
        "lcan: a key must be one of d, u, levels, interconnect, routing, router, data_width, "
        "max_packet, network_seed, cycle, name, keep, user_width, reset, reset_style, node.*, "
        "bus.*, map.*, not 'pipeline'"
    )


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
        "lcan: routing=updown must be asked for two nodes (knotwork route NET... SRC DST): its "
        "routers are no nodes, and the way depends on other packets"
    )
    with pytest.raises(ConfigurationError):
        _ = Scheduled(Trac(levels=2)).rule


def test_it_is_free_of_deadlock(answer, run):
    report = answer("check lcan d=4 u=2 levels=3")
    assert (report["deadlock_free"], report["channels"]) == (True, 0)
    assert "nothing waits while it holds a link" in report["reason"]
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


@pytest.mark.parametrize("levels", [1, 2, 5])
def test_a_path_skips_stages_of_the_unfolded_network(levels):
    """Section 6: 2 l - 1 stages; below the top 2 L + 2 are used and 2 (l - 1 - L) - 1 skipped."""
    routing = Network.from_word(f"lcan:d=2,u=2,levels={levels}").routing
    for level in range(levels):
        found = routing.pair_facts(0, 1 << level)["unfolded"]
        top = level == levels - 1
        skipped = 0 if top else 2 * (levels - 1 - level) - 1
        assert found == {
            "stages": 2 * levels - 1,
            "used": 2 * levels - 1 if top else 2 * level + 2,
            "skipped": skipped,
        }
