import pytest
from click.testing import CliRunner
from quality.benchmarks import cells


@pytest.fixture
def table(monkeypatch, tmp_path):
    path = tmp_path / "cells.csv"
    monkeypatch.setattr(cells, "ROWS", path)
    monkeypatch.setattr(cells, "measured", lambda family: [("hypercube:n=1", 7)])
    monkeypatch.setattr(cells, "count", lambda network, family: network.topology.nodes)
    return path


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ([], "ecp5;hypercube:n=1;2 gowin;hypercube:n=1;2 ice40;hypercube:n=1;2"),
        (["--family", "ice40"], "ecp5;hypercube:n=1;7 gowin;hypercube:n=1;7 ice40;hypercube:n=1;2"),
        (
            ["hypercube:n=2", "--family", "ecp5"],
            "ecp5;hypercube:n=1;7 ecp5;hypercube:n=2;4 gowin;hypercube:n=1;7 ice40;hypercube:n=1;7",
        ),
    ],
)
def test_rows_are_measured_anew_or_added(table, words, rows):
    made = CliRunner().invoke(cells.main, words)
    assert made.exception is None
    assert table.read_text().split() == ["family;network;cells", *rows.split()]
