"""Curves of the simulated board against those of the golden model, over a terminal."""

import json

import pytest
from helpers.measured import expected_words
from knotwork import Network
from knotwork.cli import main
from knotwork_boards.measuring.patterns import PATTERNS
from knotwork_boards.measuring.settings import MEASURE, Settings
from knotwork_boards.monitor.words import rate_word
from knotwork_boards.simulated.board import SimulatedBoard


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
        told = {"accepted": point["accepted"], "packets": point["packets"]}
        if not point["saturated"]:
            told |= {name: point["latency"][name] for name in ("mean", "max")}
        assert told.items() <= expected.items()
        assert len(told) == 2 or point["latency"]["mean"] > 0
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
