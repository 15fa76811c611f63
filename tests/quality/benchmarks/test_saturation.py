"""Saturations are those of the golden model, and are kept as long as it behaves the same."""

from types import SimpleNamespace

import pytest
from knotwork import Network
from quality.benchmarks import saturation as module
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

PAIR = Saturation("hypercube:n=1", 4, 1.0, 1.0, 1.0)
"""Two nodes on one link, which passes a flit in every cycle."""


@pytest.fixture(autouse=True)
def _anew(monkeypatch, tmp_path):
    """Nothing is known, and what is kept goes elsewhere."""
    monkeypatch.setattr(module, "ANSWERS", tmp_path / "saturation.csv")
    saturation.cache_clear()
    yield
    saturation.cache_clear()


def test_the_saturation_is_the_most_that_is_accepted_at_any_load(monkeypatch):
    points = [
        SimpleNamespace(offered=load, accepted=flits)
        for load, flits in ((0.1, 0.1), (0.2, 0.19), (0.3, 0.17))
    ]
    curve = SimpleNamespace(points=points, ideal_throughput=0.4)
    asked = {}
    monkeypatch.setattr(
        module, "sweep", lambda net, **keys: asked.update(keys) or SimpleNamespace(curves=(curve,))
    )
    found = searched("mesh:x=8,y=8", 4)
    assert found == ("mesh:x=8,y=8", 4, 0.2, 0.19, 0.4)
    assert found.share == pytest.approx(0.475)
    assert asked == {"length": 4}


def test_an_answer_holds_while_the_model_accepts_as_much():
    assert PAIR.holds
    assert not PAIR._replace(accepted=0.99).holds
    # Of another router: after each packet one input channel is idle for a cycle.
    assert not PAIR._replace(network="hypercube:n=1,pipeline=2,buffer_depth=3").holds
    assert PAIR._replace(network="hypercube:n=1,pipeline=2,buffer_depth=3", accepted=0.8).holds


def test_only_what_is_not_kept_or_holds_no_more_is_searched(monkeypatch):
    searches = []

    def search(*asked):
        searches.append(asked)
        return PAIR

    monkeypatch.setattr(module, "searched", search)
    assert saturation("hypercube:n=1", 4) == PAIR
    assert searches == [("hypercube:n=1", 4)]
    assert kept_saturations() == {("hypercube:n=1", 4): PAIR}
    saturation.cache_clear()
    assert saturation("hypercube:n=1", 4) == PAIR
    assert len(searches) == 1
    keep(PAIR._replace(accepted=0.9))
    saturation.cache_clear()
    assert saturation("hypercube:n=1", 4) == PAIR
    assert len(searches) == 2


def test_answers_are_kept_in_order_and_over_those_of_the_same_network_and_length():
    for found in (PAIR, PAIR._replace(length=1, accepted=0.9998), PAIR._replace(accepted=0.5)):
        keep(found)
    assert module.ANSWERS.read_text() == (
        "network,length,offered,accepted,ideal\n"
        "hypercube:n=1,1,1.0,0.9998,1.0\n"
        "hypercube:n=1,4,1.0,0.5,1.0\n"
    )


def test_the_mesh_under_load_has_the_routers_of_the_row():
    cases = {case.name: case for case in CASES}
    row = cases["mesh_4x4_vcs2_depth4_p2"].net
    mesh = under_load(row)
    assert mesh is not None
    network = Network.from_word(mesh)
    assert (network.parameters["x"], network.parameters["y"]) == (8, 8)
    assert network.hardware == Network.from_word(row).hardware
    assert under_load("torus:x=4,y=4") is None
    assert under_load("hypercube:n=4,router=deflection") is None


def test_throughput_per_area_is_that_of_the_printed_figures(monkeypatch):
    """629 LUTeq at 116 MHz, saturated at 0.295 and 0.249, deliver 54 and 46."""
    flits = {1: 0.295, 4: 0.249}
    monkeypatch.setattr(
        module, "saturation", lambda net, length: Saturation(net, length, 1.0, flits[length], 0.5)
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


def test_single_flits_and_packets_of_four_are_asked_for():
    assert LENGTHS == (1, 4)


@pytest.mark.slow
@pytest.mark.parametrize("length", LENGTHS)
def test_two_nodes_saturate_at_a_flit_per_cycle(length):
    assert searched("hypercube:n=1", length).accepted == pytest.approx(1, abs=0.001)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_what_is_kept_holds(monkeypatch):
    monkeypatch.undo()
    assert [found for found in kept_saturations().values() if not found.holds] == []
