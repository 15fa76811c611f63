"""Networks with dead parts: the sets, what becomes of each, and the run of all."""

from dataclasses import asdict, replace
from math import comb

import pytest
from helpers.refusals import refuses
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.portable import packed
from knotwork.topology.altered import without
from knotwork_sim import survive
from knotwork_sim.survive import (
    SHOWN,
    Batch,
    Survival,
    Survived,
    Trial,
    carried,
    dead_sets,
    parts_of,
    rerouted,
    run_survival,
)
from knotwork_sim.sweep.workers import OwnProcess


def topology(*words):
    return Network.from_words(words).topology


def test_parts_are_links_once_and_routers_and_sets_of_them_all_drawn_or_refused():
    ring = topology("ring", "n=4")
    assert parts_of(ring, "links") == ["0-1", "0-3", "1-2", "2-3"]
    assert parts_of(ring, "routers") == ["0", "1", "2", "3"]
    assert parts_of(ring, "both") == parts_of(ring, "links") + parts_of(ring, "routers")
    assert len(parts_of(topology("mesh", "x=4", "y=3"), "links")) == 4 * 2 + 3 * 3
    assert parts_of(topology("torus", "x=2", "y=2"), "links") == ["0-1", "0-2", "1-3", "2-3"]
    one_way = topology("ring", "n=3", "directions=one")
    assert parts_of(one_way, "links") == ["0-1", "0-2", "1-2"]
    parts = list("abcde")
    assert dead_sets(parts, 2, 10, 1) == dead_sets(parts, 2, None, 7)
    assert len(set(dead_sets(parts, 2, None, 1))) == comb(5, 2)
    parts = [str(number) for number in range(30)]
    drawn = dead_sets(parts, 3, 500, 1)
    assert len(set(drawn)) == 500
    assert all(len(set(one)) == 3 for one in drawn)
    assert drawn == dead_sets(parts, 3, 500, 1)
    assert drawn != dead_sets(parts, 3, 500, 2)
    with refuses("survive: --dead must be at most the 3 parts that can die, not 4"):
        dead_sets(list("abc"), 4, 10, 1)
    line = "--all must mean at most 1,000,000 sets, not 166,167,000; --sets draws some"
    with refuses(f"survive: {line}"):
        dead_sets([str(number) for number in range(1000)], 3, None, 1)


def fate(dead, *words, measure=None):
    network = Network.from_words(words or ["ring", "n=6"])
    (found,) = Trial(packed(network), [dead], SHOWN, measure)()
    return found


@pytest.mark.parametrize(
    ("dead", "nodes"), [(("0-5",), 6), (("2-3",), 6), (("4",), 5), (("4", "4-5"), 5)]
)
def test_a_ring_with_a_gap_is_a_path(dead, nodes):
    """The middle channel of a path carries all that its two parts send each other."""
    found = fate(dead)
    assert (found.connected, found.nodes) == (True, nodes)
    fullest = (nodes // 2) * (nodes - nodes // 2) / (nodes - 1)
    for result in found.carried.values():
        assert result.deadlock_free
        assert result.ideal_throughput == pytest.approx(1 / fullest)
        assert result.average_hops == pytest.approx((nodes + 1) / 3)
        assert result.accepted is None


@pytest.mark.parametrize(
    "dead", [("0-5", "2-3"), ("0", "3"), ("0", "2-3"), ("0", "1", "2", "3", "4")]
)
def test_what_falls_apart_carries_nothing(dead):
    found = fate(dead)
    assert not found.connected
    apart = {"connected": False, "nodes": None, "routings": {}}
    assert found.as_json() == {"dead": list(dead)} | apart


def test_survivors_keep_their_keys_and_routers_of_a_torus_are_equally_bad():
    """By its symmetry, one dead router of a torus is as bad as any other."""
    every = [fate((str(router),), "torus", "x=3", "y=3") for router in range(9)]
    assert len({round(one.carried["shortest"].average_hops, 9) for one in every}) == 1
    summary = fate(("0-5",), measure=400).carried["updown"]
    assert 0.3 < summary.accepted <= summary.ideal_throughput * 1.05
    whole = Network.from_words(["mesh", "x=3", "y=3", "data_width=24", "buffer_depth=8"])
    left = rerouted(whole, without(whole.topology, "4"), "shortest")
    assert (left.parameters["data_width"], left.parameters["buffer_depth"]) == (24, 8)
    assert left.topology.nodes == 8
    assert carried(left, None).average_hops == pytest.approx(16 / 7)  # a ring of eight


def survival(dead, *words, **keys):
    return Survival(Network.from_words(words or ["ring", "n=6"]), dead, **keys)


@pytest.fixture(scope="module")
def ring():
    return run_survival(survival(2, sets=None))


def test_all_pairs_of_a_ring(ring):
    """Left connected by two neighbours dead, or by a router and a link at it; by nothing else."""
    assert len(ring.fates) == 66
    assert len(ring.connected) == 6 + 12
    assert ring.is_free
    assert sorted(fate.nodes for fate in ring.connected) == [4] * 6 + [5] * 12


def test_the_summary_is_that_of_the_fates(ring):
    summary = ring.summary("updown")
    assert summary["intact"] == summary["whole"] == asdict(ring.intact["updown"])
    # Paths of five nodes, and of four: 6 / 4 and 4 / 3 flits on the channel in the middle.
    ideal = (12 / 1.5 + 6 / (4 / 3)) / 18
    assert summary["ideal_throughput"]["mean"] == pytest.approx(ideal)
    assert summary["ideal_throughput"]["least"] == pytest.approx(1 / 1.5)
    assert summary["ideal_throughput"]["most"] == pytest.approx(0.75)
    assert summary["deadlock_free"] == 18
    assert summary["accepted"] is None
    before = ring.own.ideal_throughput
    assert summary["loss"] == {
        "mean": pytest.approx(1 - ideal / before),
        "most": pytest.approx(1 - 1 / 1.5 / before),
    }
    assert ring.worst("updown").nodes == 5


def test_the_table_has_a_row_for_each_set_and_routing_and_json_its_fields(ring):
    rows = ring.table.rows()
    assert len(rows) == 66 * 2
    assert {row["routing"] for row in rows} == {"updown", "shortest"}
    apart = [row for row in rows if not row["connected"]]
    assert len(apart) == 48 * 2
    assert all(row["ideal_throughput"] is None for row in apart)
    assert set(ring.as_json()) == {
        *("network", "parameters", "dead", "parts", "sets", "all", "seed"),
        *("connected", "own", "routings", "fates"),
    }


def test_networks_that_always_fall_apart_have_no_means_and_one_cycle_is_reported(ring):
    found = run_survival(survival(2, parts="links"))
    assert not found.connected
    summary = found.summary("shortest")
    assert (summary["ideal_throughput"], summary["loss"], summary["worst"]) == (None, None, None)
    assert found.is_free
    first = ring.connected[0]
    bad = {name: replace(summary, deadlock_free=False) for name, summary in first.carried.items()}
    fates = tuple(replace(fate, carried=bad) if fate is first else fate for fate in ring.fates)
    assert not Survived(ring.survival, ring.own, ring.intact, fates).is_free


@pytest.mark.slow
def test_processes_find_what_one_process_finds(ring, monkeypatch):
    monkeypatch.setattr(survive, "QUICK", 0.0)
    assert run_survival(ring.survival).as_json() == ring.as_json()


def test_work_grows_with_sets_and_cycles_and_short_work_starts_no_processes():
    assert isinstance(survive._workers(survival(1), None), OwnProcess)
    few, many = survival(2, sets=5).work(1).seconds, survival(2, sets=60).work(1).seconds
    assert few < many < survival(2, sets=60, measure=10_000).work(1).seconds
    assert str(Batch(40)) == "the sets from number 41 on"


@pytest.mark.parametrize(
    ("words", "routings", "line"),
    [
        ("lcan d=2 u=2 levels=2", (), "NET must be a network whose routers serve nodes directly, "),
        ("", ("short",), "--routing must be one of updown, shortest, balanced, not 'short'; did "),
        ("", ("updown", "updown"), "--routing must name a routing once, not updown,updown"),
    ],
)
def test_what_cannot_be_tried_is_refused(words, routings, line):
    with pytest.raises(ConfigurationError, match=f"^survive: {line}"):
        survival(1, *words.split(), routings=routings)
