"""The benchmark measures what it says; `make bench` measures the speeds themselves."""

import json

from quality.benchmarks import speeds
from quality.benchmarks.speeds import Load, batch_row, load_row, timed


def test_a_row_counts_the_flits_that_cross_routers(monkeypatch):
    """Four-flit packets to a neighbour: two routers each."""
    ticks = iter([0.0, 1.0, *(value for k in range(3) for value in (10.0 * k, 10.0 * k + 3.0))])
    monkeypatch.setattr(speeds.time, "process_time", lambda: next(ticks))
    monkeypatch.setattr(speeds, "yardstick", lambda: 0.5)
    row = load_row(Load("row", "hypercube:n=3", 100, {"traffic": "neighbour"}), 3)
    assert row["flit_moves_per_second"] == round(8 * int(8 * 0.1 / 4 * 100) / 2.0)
    assert row["node_cycles_per_second"] == round(row["clocks"] * 8 / 2.0)
    assert (row["name"], row["nodes"], row["rate"]) == ("row", 8, 0.1)


def test_a_batch_runs_to_its_end():
    row = batch_row("row", "lcan:d=2,u=2,levels=2", {"permutation": "identity"}, 1)
    assert (row["nodes"], row["network_cycles"]) == (4, 1)
    assert row["node_cycles_per_second"] > 0


def test_time_is_that_of_the_processor(monkeypatch):
    ticks = iter([2.0, 5.0])
    monkeypatch.setattr(speeds.time, "process_time", lambda: next(ticks))
    assert timed(lambda: "done") == (3.0, "done")


def test_rows_are_a_table_and_json(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(speeds, "FOLDER", tmp_path)
    speeds._tell("Title", "rows.json", [{"name": "a", "nodes": 64}, {"name": "b", "seconds": 1.5}])
    assert json.loads((tmp_path / "rows.json").read_text()) == [
        {"name": "a", "nodes": 64},
        {"name": "b", "seconds": 1.5},
    ]
    assert "seconds" in capsys.readouterr().out


def test_the_rows_that_others_read_are_there():
    assert {"hypercube_n6", "moebius_n6", "moebius_n17"} <= {load.name for load in speeds.LOADS}
