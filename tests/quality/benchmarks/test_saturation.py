"""Saturations of the golden model, their shares of the ideal, and bounds of figures."""

import json
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from knotwork import Network
from quality.benchmarks import saturation as module
from quality.benchmarks import shares
from quality.benchmarks.bounds import Bound, print_verdicts, verdicts
from quality.benchmarks.cases import CASES
from quality.benchmarks.saturation import (
    LENGTHS,
    Saturation,
    delivered,
    keep,
    kept_saturations,
    saturation,
    searched,
    under_load,
)
from quality.benchmarks.shares import FLITS, LOADS

PAIR = Saturation("hypercube:n=1", 4, 0.9, 0.9051, 1.0, 1.0)
"""Two nodes on one link, which passes a flit in every cycle."""


@pytest.fixture(autouse=True)
def _anew(monkeypatch, tmp_path):
    """Nothing is known, and what is kept goes elsewhere."""
    monkeypatch.setattr(module, "ANSWERS", tmp_path / "saturation.csv")
    monkeypatch.chdir(tmp_path)
    saturation.cache_clear()
    yield
    saturation.cache_clear()


def test_the_saturation_is_the_largest_load_that_is_steady(monkeypatch):
    loads = (0.1, 0.1), (0.2, 0.199), (0.3, 0.27)
    points = [SimpleNamespace(offered=load, accepted=flits) for load, flits in loads]
    curve = SimpleNamespace(points=points, ideal_throughput=0.4, saturated_between=(0.2, 0.3))
    asked = {}
    monkeypatch.setattr(
        module, "sweep", lambda net, **keys: asked.update(keys) or SimpleNamespace(curves=(curve,))
    )
    found = searched("mesh:x=8,y=8", 4)
    assert found == ("mesh:x=8,y=8", 4, 0.2, 0.199, 0.27, 0.4)
    assert found.share == 0.5
    assert asked == {"length": 4}


def test_without_saturation_it_is_the_highest_load(monkeypatch):
    points = [SimpleNamespace(offered=load, accepted=load) for load in (0.5, 1.0)]
    curve = SimpleNamespace(
        points=points, ideal_throughput=1.0, saturated_between=None, highest_load=1.0
    )
    monkeypatch.setattr(module, "sweep", lambda net, **keys: SimpleNamespace(curves=(curve,)))
    assert searched("hypercube:n=1", 4) == ("hypercube:n=1", 4, 1.0, 1.0, 1.0, 1.0)


def test_an_answer_holds_while_the_model_accepts_as_much():
    plain = PAIR._replace(network="hypercube:n=1,pipeline=1")
    assert plain.holds
    # A virtual channel with buffers of less than a round of credits fills a part of a link.
    other = PAIR._replace(network="hypercube:n=1,pipeline=2,buffer_depth=3")
    assert not other.holds
    assert not plain._replace(accepted=0.9).holds


def test_only_what_is_not_kept_or_holds_no_more_is_searched(monkeypatch):
    searches = []
    monkeypatch.setattr(module, "searched", lambda *asked: searches.append(asked) or PAIR)
    monkeypatch.setattr(Saturation, "holds", property(lambda kept: kept.accepted == PAIR.accepted))
    for kept, searched_so_far in ((None, 1), (PAIR, 1), (PAIR._replace(accepted=0.8), 2)):
        if kept is not None:
            keep(kept)
        saturation.cache_clear()
        assert saturation("hypercube:n=1", 4) == PAIR
        assert searches == [("hypercube:n=1", 4)] * searched_so_far
    assert kept_saturations() == {("hypercube:n=1", 4): PAIR}


def test_answers_are_kept_in_order_and_over_those_of_the_same_network_and_length():
    for found in (PAIR, PAIR._replace(length=1, accepted=0.9998), PAIR._replace(accepted=0.5)):
        keep(found)
    assert module.ANSWERS.read_text() == (
        "network,length,offered,accepted,overload,ideal\n"
        "hypercube:n=1,1,0.9,0.9998,1.0,1.0\n"
        "hypercube:n=1,4,0.9,0.5,1.0,1.0\n"
    )


def test_the_mesh_under_load_has_the_routers_of_the_row():
    row = next(case.net for case in CASES if case.name == "mesh_4x4_vcs2_depth4_p2")
    network = Network.from_word(under_load(row))
    assert (network.parameters["x"], network.parameters["y"]) == (8, 8)
    assert network.hardware == Network.from_word(row).hardware
    assert under_load("torus:x=4,y=4") is None


def test_throughput_per_area_is_that_of_the_printed_figures(monkeypatch):
    """629 LUTeq at 116 MHz, saturated at 0.295 and 0.249, deliver 54 and 46."""
    flits = {1: 0.295, 4: 0.249}
    monkeypatch.setattr(
        module,
        "saturation",
        lambda net, length: Saturation(net, length, flits[length], 0.2, 0.3, 0.5),
    )
    found = delivered("mesh:x=4,y=4", {"luteq": 629, "fmax_mhz": 116.0})
    assert found == {
        "saturation_1": 0.295,
        "throughput_per_area_1": 54.4,
        "saturation_4": 0.249,
        "throughput_per_area_4": 45.9,
    }
    unplaced = delivered("mesh:x=4,y=4", {"luteq": 629, "fmax_mhz": None})
    assert (unplaced["saturation_1"], unplaced["throughput_per_area_1"]) == (0.295, None)
    assert set(delivered("petersen", {"luteq": 1, "fmax_mhz": 1.0}).values()) == {None}


@pytest.mark.slow
@pytest.mark.parametrize("length", LENGTHS)
def test_two_nodes_saturate_at_a_flit_per_cycle(length):
    assert searched("hypercube:n=1", length).offered == pytest.approx(1, abs=0.03)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_what_is_kept_holds(monkeypatch):
    monkeypatch.undo()
    assert [found for found in kept_saturations().values() if not found.holds] == []


def test_every_network_has_64_nodes_and_the_same_buffers():
    for load in LOADS:
        network = Network.from_word(load.word(2))
        keys = network.parameters
        assert network.topology.nodes == 64
        assert (keys["virtual_channels"], keys["pipeline"]) == (load.channels, 2)
        assert keys["virtual_channels"] * keys["buffer_depth"] == FLITS == 16


def test_shares_and_bounds_are_printed_and_written(monkeypatch):
    accepted = {("pipeline=1", 1): 0.3, ("pipeline=2", 1): 0.45}

    def kept(net, length):
        flits = accepted.get((net.rpartition(",")[2], length), 0.42)
        return Saturation(net, length, flits, 0.2, 0.3, 0.5)

    monkeypatch.setattr(shares, "saturation", kept)
    result = CliRunner().invoke(shares.main, ["mesh_8x8_vcs1"], catch_exceptions=False)
    assert result.exit_code == 0
    first, second = json.loads(shares.FILE.read_text())
    assert first == {
        "name": "mesh_8x8_vcs1_p1",
        "network": "mesh:x=8,y=8,virtual_channels=1,buffer_depth=16,pipeline=1",
        "ideal_throughput": 0.5,
        "saturation_1": 0.3,
        "share_1": 0.6,
        "saturation_4": 0.42,
        "share_4": 0.84,
    }
    assert (second["name"], second["share_1"]) == ("mesh_8x8_vcs1_p2", 0.9)
    # The second meets both bounds, and so is the best.
    judged = [line for line in result.output.splitlines() if "at least 0.82" in line]
    assert len(judged) == 2
    assert all("mesh_8x8_vcs1_p2" in line and "not met" not in line for line in judged)


BOUND = Bound("both", ("a", "b"), {"luteq": 1000}, {"fmax_mhz": 150})


def test_the_best_row_is_the_one_whose_farthest_figure_is_nearest():
    small = {"name": "a", "luteq": 500, "fmax_mhz": 100.0}
    fast = {"name": "b", "luteq": 1100, "fmax_mhz": 190.0}
    assert BOUND.best([small, fast]) == fast
    assert BOUND.best([small, fast | {"luteq": 1600}]) == small
    assert BOUND.best([small | {"name": "c"}]) is None
    assert verdicts([BOUND], []) == []


@pytest.mark.parametrize(
    ("luteq", "mhz", "met", "words"),
    [
        (1000, 149.9, (True, False), ("met", "not met")),
        (1001, 150.0, (False, True), ("not met", "met")),
        (900, None, (True, None), ("met", "not measured")),
    ],
)
def test_a_figure_is_met_up_to_its_bound_and_not_beyond(capsys, luteq, mhz, met, words):
    area, speed = found = verdicts([BOUND], [{"name": "a", "luteq": luteq, "fmax_mhz": mhz}])
    assert area == ("both", "a", "luteq", luteq, "at most 1000", met[0])
    assert speed == ("both", "a", "fmax_mhz", mhz, "at least 150", met[1])
    print_verdicts(found)
    printed = capsys.readouterr().out.splitlines()
    for figure, word in zip(("luteq", "fmax mhz"), words, strict=True):
        (line,) = [line for line in printed if figure in line]
        assert word in line
        assert ("not" in line) == ("not" in word)
