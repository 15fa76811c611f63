from dataclasses import replace

import pytest
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork_sim.survive import run
from knotwork_sim.survive.run import Batch, Survival, Survived, run_survival
from knotwork_sim.sweep.workers import OwnProcess


def asked(dead, *words, **keys):
    return Survival(Network.from_words(words or ["ring", "n=6"]), dead, **keys)


@pytest.fixture(scope="module")
def ring():
    return run_survival(asked(2, sets=None))


def test_all_pairs_of_a_ring(ring):
    """Left connected by two neighbours dead, or by a router and a link at it; by nothing else."""
    assert len(ring.fates) == 66
    assert len(ring.connected) == 6 + 12
    assert ring.is_free
    assert sorted(fate.nodes for fate in ring.connected) == [4] * 6 + [5] * 12


def test_the_summary_is_that_of_the_fates(ring):
    told = ring.summary("updown")
    # Paths of five nodes, and of four: 6 / 4 and 4 / 3 flits on the channel in the middle.
    ideal = (12 / 1.5 + 6 / (4 / 3)) / 18
    assert told["ideal_throughput"]["mean"] == pytest.approx(ideal)
    assert told["ideal_throughput"]["least"] == pytest.approx(1 / 1.5)
    assert told["ideal_throughput"]["most"] == pytest.approx(0.75)
    assert told["deadlock_free"] == 18
    assert told["accepted"] is None
    before = ring.own.ideal_throughput
    assert told["loss"] == {
        "mean": pytest.approx(1 - ideal / before),
        "most": pytest.approx(1 - 1 / 1.5 / before),
    }
    assert ring.worst("updown").nodes == 5


def test_the_table_has_a_row_for_each_set_and_routing(ring):
    rows = ring.table.rows()
    assert len(rows) == 66 * 2
    assert {row["routing"] for row in rows} == {"updown", "shortest"}
    apart = [row for row in rows if not row["connected"]]
    assert len(apart) == 48 * 2
    assert all(row["ideal_throughput"] is None for row in apart)


def test_json_has_the_promised_fields(ring):
    assert set(ring.as_json()) == {
        *("network", "parameters", "dead", "parts", "sets", "all", "seed"),
        *("connected", "own", "routings", "fates"),
    }


def test_a_network_that_always_falls_apart_has_no_means():
    found = run_survival(asked(2, parts="links"))
    assert not found.connected
    told = found.summary("shortest")
    assert (told["ideal_throughput"], told["loss"], told["worst"]) == (None, None, None)
    assert found.is_free


def test_one_cycle_is_enough_to_be_told(ring):
    first = ring.connected[0]
    bad = {name: replace(told, deadlock_free=False) for name, told in first.carried.items()}
    fates = tuple(replace(fate, carried=bad) if fate is first else fate for fate in ring.fates)
    assert not Survived(ring.asked, ring.own, ring.whole, fates).is_free


@pytest.mark.slow
def test_processes_find_what_one_process_finds(ring, monkeypatch):
    monkeypatch.setattr(run, "QUICK", 0.0)
    assert run_survival(ring.asked).as_json() == ring.as_json()


def test_short_work_starts_no_processes():
    assert isinstance(run._workers(asked(1), None), OwnProcess)


def test_an_error_names_the_sets():
    assert str(Batch(40)) == "the sets from number 41 on"


def test_work_grows_with_sets_and_cycles():
    few, many = asked(2, sets=5).work(1).seconds, asked(2, sets=60).work(1).seconds
    assert few < many < asked(2, sets=60, measure=10_000).work(1).seconds


@pytest.mark.parametrize(
    ("words", "keys", "line"),
    [
        (
            ["lcan", "d=2", "u=2", "levels=2"],
            {},
            "survive: NET must be a network whose routers serve nodes directly, not lcan",
        ),
        (
            ["ring", "n=6"],
            {"routings": ("short",)},
            "survive: --routing must be one of updown, shortest, balanced, not 'short'; did you "
            "mean shortest?",
        ),
        (
            ["ring", "n=6"],
            {"routings": ("updown", "updown")},
            "survive: --routing must name a routing once, not updown,updown",
        ),
    ],
)
def test_what_cannot_be_tried_is_refused(words, keys, line):
    with pytest.raises(ConfigurationError) as refused:
        asked(1, *words, **keys)
    assert str(refused.value) == line
