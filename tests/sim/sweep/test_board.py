import json
from importlib.metadata import EntryPoint

import pytest
from knotwork.cli import main
from knotwork.errors import ConfigurationError, ToolError
from knotwork_sim import sweep
from knotwork_sim.sweep import board as boards
from knotwork_sim.sweep.board import GROUP, BoardPort, measure_on_board, open_board
from knotwork_sim.sweep.load_result import Window
from knotwork_sim.traffic.keys import Traffic


class Scripted:
    """Board that measures what it is offered, and keeps what it was asked."""

    opened: list[tuple[object, dict[str, object]]] = []

    def __init__(self, network, **facts):
        self.opened.append((network.name, facts))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.opened.append(("closed", {}))

    def point(self, rate):
        told = {"offered": rate, "accepted": rate, "saturated": False, "packets": 7, "warmup": 9}
        return told | {"latency_mean": 4.5, "latency_max": 11}


@pytest.fixture
def scripted(monkeypatch):
    Scripted.opened = []
    entry = EntryPoint("board", f"{__name__}:Scripted", GROUP)
    monkeypatch.setattr(EntryPoint, "load", lambda self: Scripted)
    monkeypatch.setattr(boards, "entry_points", lambda **which: [entry])
    return Scripted.opened


def test_a_board_measures_the_points(scripted):
    result = sweep("hypercube:n=3", "0.1:0.2:0.1", engine=BoardPort("P"), measure=500, length=4)
    facts = {"port": "P", "baud": 115200, "wanted": None, "length": 4, "seed": 1}
    assert scripted == [("hypercube_n3", facts | {"warmup": 500, "cycles": 500}), ("closed", {})]
    (curve,) = result.curves
    assert [point.accepted for point in curve.points] == [0.1, 0.2]
    assert curve.points[0].as_json() == {
        "offered": 0.1,
        "accepted": 0.1,
        "accepted_ci95": None,
        "latency": {"mean": 4.5, "p50": None, "p99": None, "max": 11},
        "latency_ci95": None,
        "saturated": False,
        "packets": 7,
        "warmup": 9,
    }


def test_a_permutation_is_told_by_its_destinations(scripted):
    sweep("hypercube:n=2", [0.1], engine=BoardPort("P"), traffic="complement", warmup=5)
    assert scripted[0][1]["wanted"] == [3, 2, 1, 0]
    assert scripted[0][1]["warmup"] == 5


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("hypercube n=2 --engine board", "sweep: --engine board must go with --port PORT"),
        ("hypercube n=2 --port P", "sweep: --port must go with --engine board"),
        (
            "hypercube n=2 torus x=4 y=4 --engine board --port P",
            "sweep: a board must have one network, not 2",
        ),
        (
            "hypercube n=2 length=1-4 --engine board --port P",
            "sweep: length must be one number with --engine board, not 1-4",
        ),
        (
            "hypercube n=2 stall=0.5 --engine board --port P",
            "sweep: stall must be unnamed with --engine board, not 0.5",
        ),
        (
            "hypercube n=2 traffic=hotspot --engine board --port P",
            "sweep: traffic must be uniform or a permutation with --engine board, not hotspot",
        ),
        (
            "hypercube n=2 --engine bord",
            "sweep: --engine must be one of model, rtl, board, not 'bord'; did you mean board?",
        ),
    ],
)
def test_what_no_board_measures_is_refused(words, complaint, capsys):
    assert main.run(["sweep", *words.split(), "--rates", "0.1:0.1:0.1"]) == 2
    assert capsys.readouterr().err == f"knotwork: error: {complaint}\n"


def test_without_the_package_of_boards_that_is_told(monkeypatch):
    from knotwork.network import Network

    monkeypatch.setattr(boards, "entry_points", lambda **which: [])
    network = Network.from_word("hypercube:n=2")
    with pytest.raises(ToolError, match=r"^the entry board of knotwork\.point_engines must be "):
        open_board(network, Traffic(), Window(), BoardPort("P"))


def test_the_entry_point_is_installed():
    (entry,) = boards.entry_points(group=GROUP, name="board")
    assert callable(entry.load().point)


def test_a_board_does_not_tell_confidence(scripted):
    point = measure_on_board(Scripted(type("N", (), {"name": "n"})), 0.3)
    assert (point.accepted_ci95, point.latency_ci95) == (None, None)
    assert json.dumps(point.as_json())


def test_traffic_must_be_a_pattern_of_boards(scripted):
    with pytest.raises(ConfigurationError, match="traffic must be uniform or a permutation"):
        sweep("hypercube:n=2", [0.1], engine=BoardPort("P"), traffic="hotspot")
