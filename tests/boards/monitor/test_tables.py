from knotwork import Network
from knotwork_boards.monitor.tables import (
    bars,
    cells,
    columns,
    faults_text,
    fields,
    row,
    settings_text,
)
from knotwork_boards.monitor.window_line import WindowLine

MEASURED = {"mode": 1, "rate": 13107, "length": 4, "seed": 9, "cycles": 1000, "flits": 400}
MEASURED |= {"samples": 100, "latency_min": 2, "latency_sum": 655, "latency_max": 30, "h1": 100}
SQUARE = Network.from_word("hypercube:n=2")


def test_a_window_that_only_tests_has_counters(old_line):
    line = WindowLine.parse(old_line(3, sent=64, received=64))
    assert dict(zip(columns(line), cells(line, SQUARE), strict=True)) == {
        "window": "3",
        "sent": "64",
        "received": "64",
        "lost": "0",
        "duplicated": "0",
        "corrupted": "0",
        "misrouted": "0",
        "refused": "0",
        "verdict": "PASS",
    }
    assert fields(line, SQUARE, 2) == {**line.as_dict(), "skipped": 2}
    assert settings_text(line) == ""


def test_a_window_that_measures_has_load_and_latency(line_of):
    line = WindowLine.parse(line_of("hypercube_n2", 3, **MEASURED))
    shown = dict(zip(columns(line), cells(line, SQUARE), strict=True))
    names = ("accepted", "min", "mean", "max")
    assert [shown[name] for name in names] == ["0.1000", "2", "6.55", "30"]
    assert cells(line, None)[8] == "0.4000"  # of the whole network: nobody knows its nodes
    told = fields(line, SQUARE, 0)
    assert (told["accepted"], told["latency_mean"], told["h1"]) == (0.1, 6.55, 100)
    assert "accepted" not in fields(line, None, 0)
    assert settings_text(line) == (
        "mode measure  rate 0.2  pattern uniform  length 4  seed 9  cycles 1000"
    )


def test_without_samples_there_is_no_latency(line_of):
    line = WindowLine.parse(line_of("hypercube_n2", 3, mode=1, cycles=1000))
    assert cells(line, SQUARE)[8:12] == ["0.0000", "-", "-", "-"]
    assert fields(line, SQUARE, 0)["latency_mean"] is None


def test_faults_are_named(old_line):
    assert faults_text(WindowLine.parse(old_line())) == "failed"
    line = WindowLine.parse(old_line(verdict="FAIL", lost=1, misrouted=2))
    assert faults_text(line) == "lost 1, misrouted 2"


def test_bars_are_as_high_as_their_counts():
    assert bars([0, 1, 50, 100]) == " ▁▄█"
    assert bars([0, 1, 50, 100], plain=True) == " .=@"
    assert bars([0, 0]) == "  "
    assert bars([]) == ""


def test_rows_are_aligned():
    assert len(row(["a", "1"])) == len(row(["window", "100000"])) == 21
