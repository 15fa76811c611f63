"""The benchmark measures what it says; `make bench` measures the speeds themselves."""

import json

from quality.benchmarks import speeds
from quality.benchmarks.speeds import Load, batch_row, load_row


def test_a_row_counts_the_flits_that_cross_routers(monkeypatch):
    """Four-flit packets to a neighbour: two routers each."""
    ticks = iter([0.0, 1.0, *(value for k in range(3) for value in (10.0 * k, 10.0 * k + 3.0))])
    monkeypatch.setattr(speeds.time, "process_time", lambda: next(ticks))
    monkeypatch.setattr(speeds, "yardstick", lambda: 0.5)
    row = load_row(Load("row", "hypercube:n=3", 100, {"traffic": "neighbour"}), 3)
    assert row["flit_moves_per_second"] == round(8 * int(8 * 0.1 / 4 * 100) / 2.0)
    assert row["node_cycles_per_second"] == round(row["clocks"] * 8 / 2.0)
    assert (row["name"], row["nodes"], row["rate"]) == ("row", 8, 0.1)


def test_a_batch_runs_to_its_end(monkeypatch):
    monkeypatch.setattr(speeds, "yardstick", lambda: 0.5)
    row = batch_row("row", "lcan:d=2,u=2,levels=2", {"permutation": "identity"}, 1)
    assert (row["nodes"], row["network_cycles"]) == (4, 1)
    assert row["node_cycles_per_second"] > 0


def test_all_is_measured_printed_and_written(monkeypatch, tmp_path, capsys):
    def row(measure, what, *_):
        return {"name": getattr(what, "name", what), measure.__name__: 1.5, "nodes": 1024}

    monkeypatch.setattr(speeds, "FOLDER", tmp_path)
    monkeypatch.setattr(speeds, "in_own_process", row)
    speeds.measure([None])
    rows = json.loads((tmp_path / "model.json").read_text())
    assert {"hypercube_n6", "moebius_n6", "moebius_n17"} <= {row["name"] for row in rows}
    assert {"load_row", "batch_row"} == {key for row in rows for key in row} - {"name", "nodes"}
    assert len(json.loads((tmp_path / "generation.json").read_text())) == len(speeds.GENERATED)
    assert "1,024" in capsys.readouterr().out
