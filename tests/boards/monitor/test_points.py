"""Sweeps on a board: one that is scripted, one that Verilator runs."""

import json

import pytest
from helpers.refusals import refuses
from helpers.self_tests import expected_words
from knotwork import Network
from knotwork.cli import main
from knotwork.errors import CheckFailedError, ConfigurationError
from knotwork_boards.measuring import MEASURE, PATTERNS, Settings
from knotwork_boards.monitor.commands import rate_word
from knotwork_boards.monitor.points import BoardPoints, is_saturated, number_of_pattern
from knotwork_boards.monitor.window_line import WindowLine
from knotwork_boards.simulated import SimulatedBoard

SQUARE = Network.from_word("hypercube:n=2")


def answer(settings):
    """Counts of a network of four nodes that carries at most 0.4 flits per node per cycle."""
    rate = settings["rate"] / 65536
    created = round(rate * 4 * settings["cycles"] / settings["length"])
    flits = round(min(rate, 0.4) * 4 * settings["cycles"])
    latency = 5 if rate <= 0.4 else 400
    counts = {"sent": created, "received": created, "samples": created, "flits": flits}
    return counts | {"latency_min": 2, "latency_max": 2 * latency, "latency_sum": latency * created}


@pytest.fixture
def board(peer, measuring):
    """Maker of a board's points."""
    made = []

    def make(network=SQUARE, **keys):
        keys = {"wanted": None, "length": 1, "seed": 3, "warmup": 100, "cycles": 1000} | keys
        made.append(BoardPoints(network, port=peer.port, patience=2, **keys))
        return made[-1]

    yield make
    for points in made:
        points.close()


def test_a_point_is_what_a_window_tells(board, measuring):
    points = board(length=2, wanted=[3, 2, 1, 0])
    script = measuring(name="hypercube_n2", answer=answer)
    assert points.point(0.25) == {
        "offered": 0.25,
        "accepted": 0.25,
        "saturated": False,
        "latency_mean": 5.0,
        "latency_max": 10,
        "packets": 500,
        "warmup": 100,
    }
    assert script.commands == ["m1", "p2", "l2", "w3e8", "u64", "s3", "r4000", "c", "g"]
    full = points.point(0.5)
    assert (full["accepted"], full["saturated"], full["latency_mean"]) == (0.4, True, None)
    with points:
        pass
    while len(script.commands) < 20:
        script.join(0.01)
    assert script.commands[-2:] == ["m0", "c"]


def test_a_window_that_fails_is_reported(board, measuring):
    points = board()
    measuring(name="hypercube_n2", answer=lambda settings: {"lost": 1, "verdict": "FAIL"})
    with refuses(
        "hypercube_n2: the window at rate 0.1 must pass, but its line says FAIL", CheckFailedError
    ):
        points.point(0.1)


def test_another_network_on_the_board_is_refused(board, measuring, peer):
    points = board()
    measuring(name="moebius_n3_twist0")
    with refuses(f"{peer.port}: the board must carry hypercube_n2, not moebius_n3_twist0"):
        points.point(0.1)


def test_patterns_are_known_by_their_destinations():
    assert number_of_pattern(SQUARE, None) == 0
    assert number_of_pattern(SQUARE, [1, 2, 3, 0]) == 1
    assert number_of_pattern(SQUARE, [3, 2, 1, 0]) == 2
    with pytest.raises(ConfigurationError) as refused:
        number_of_pattern(SQUARE, [0, 1, 2, 3])
    assert str(refused.value).startswith("hypercube_n2: the pattern must be one that a board has (")
    assert str(refused.value).endswith("), not 0,1,2,3")


@pytest.mark.parametrize(
    ("words", "saturated"),
    [
        ({"samples": 1000, "flits": 1000, "latency_sum": 5000}, False),
        ({"samples": 1000, "flits": 995, "latency_sum": 5000}, False),  # below a share of 1 %
        ({"samples": 1000, "flits": 985, "latency_sum": 9000}, True),
        ({"samples": 1000, "flits": 985, "latency_sum": 90000}, False),  # many were in flight
        ({"samples": 1000, "flits": 1000, "latency_sum": 5000, "overrun": 1}, True),
    ],
)
def test_a_board_is_saturated_where_flits_are_missing(words, saturated, line_text):
    line = WindowLine.parse(line_text("net", 0, mode=1, length=1, cycles=1000, **words))
    assert is_saturated(line) == saturated


def test_a_sweep_on_a_board_is_a_sweep(peer, measuring, capsys, tmp_path):
    measuring(name="hypercube_n2", answer=answer)
    words = ["sweep", "hypercube", "n=2", "length=2", "--engine", "board", "--port", peer.port]
    words += ["--rates", "0.2:0.6:0.2", "--measure", "1000", "-o", str(tmp_path / "load.svg")]
    assert main.run([*words, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    (curve,) = result["sweeps"]
    assert result["engine"] == "board"
    assert [point["accepted"] for point in curve["points"]] == [0.2, 0.4, 0.4]
    assert [point["saturated"] for point in curve["points"]] == [False, False, True]
    assert [point["latency"]["mean"] for point in curve["points"]] == [5.0, 5.0, None]
    assert [point["latency"]["p50"] for point in curve["points"]] == [None] * 3
    assert (curve["saturation_throughput"], curve["accepted_at_overload"]) == (0.4, 0.4)
    rows = (tmp_path / "load.csv").read_text().splitlines()
    assert f"--engine board --port {peer.port} --baud 115200" in rows[1]
    assert any(row.startswith("hypercube:n=2,board,0.2,0.2,,,5.0,,") for row in rows)
    assert "measured on a board" in (tmp_path / "load.svg").read_text()
    assert main.run([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == result


def expected_point(network, rate, **facts):
    """Accepted load, mean and largest latency by the golden model."""
    settings = Settings(mode=MEASURE, rate=rate_word(rate), **facts)
    words = expected_words(network, settings)
    accepted = words["flits"] / (settings.cycles * network.topology.nodes)
    return {
        "accepted": round(accepted, 6),
        "mean": round(words["latency_sum"] / words["samples"], 4),
        "max": words["latency_max"],
        "packets": words["samples"],
    }


def swept(network_words, port, capsys, *words):
    options = ["--engine", "board", "--measure", "2000", "--warmup", "300", "--json", "--port"]
    options.append(port)
    assert main.run(["sweep", *network_words, *words, *options]) == 0
    (curve,) = json.loads(capsys.readouterr().out)["sweeps"]
    return curve["points"]


def require_golden(network, points, **facts):
    facts = {"cycles": 2000, "warmup": 300, "seed": 1} | facts
    for point in points:
        expected = expected_point(network, point["offered"], **facts)
        measured = {"accepted": point["accepted"], "packets": point["packets"]}
        if not point["saturated"]:
            measured |= {name: point["latency"][name] for name in ("mean", "max")}
        assert measured.items() <= expected.items()
        assert len(measured) == 2 or point["latency"]["mean"] > 0
    assert not points[0]["saturated"]


@pytest.mark.slow
def test_a_curve_over_the_terminal_is_the_golden_models(capsys):
    words = ["hypercube", "n=1", "data_width=16", "buffer_depth=2"]
    network = Network.from_words(words)
    with SimulatedBoard(network) as board:
        points = swept(words, board.port, capsys, "--rates", "0.2:0.8:0.3")
        require_golden(network, points)
        successor = ["traffic=permutation", "permutation=1,0", "length=2", "seed=5"]
        points = swept(words, board.port, capsys, *successor, "--rates", "0.4:0.4:0.1")
        pattern = PATTERNS.index("successor")
        require_golden(network, points, length=2, seed=5, pattern=pattern)
