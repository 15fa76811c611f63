import csv

import pytest
from knotwork.cli import main
from knotwork_sim.sweep import load
from knotwork_sim.sweep.workers import OwnProcess

SMALL = "hypercube:n=2 mesh:x=2,y=2 length=2"


@pytest.fixture
def _own_process(monkeypatch):
    """Have points measured in this process."""
    monkeypatch.setattr(load, "LocalWorkers", lambda _: OwnProcess())


own_process = pytest.mark.usefixtures("_own_process")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("--repeat 5", "sweep: --repeat must go with --permutation"),
        (
            "--permutation random --rates 0.1:0.2:0.1",
            "sweep: --rates must not go with --permutation",
        ),
        ("rate=0.5", "sweep: rate must be given by --rates, not by rate=0.5"),
        ("-o a.eps", "a.eps: a figure must end in .svg, .png or .pdf, not '.eps'"),
    ],
)
def test_bad_input_is_one_line(refusal, words, line):
    assert refusal(f"sweep {SMALL} {words}") == line


def test_a_scheduler_that_does_not_answer_is_one_line(refusal, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("knotwork_sim.sweep.workers.CONNECT_SECONDS", 1)
    line = refusal(f"sweep {SMALL} --scheduler tcp://127.0.0.1:9")
    assert line.startswith("the scheduler tcp://127.0.0.1:9 must answer, but did not: ")


@own_process
@pytest.mark.parametrize(
    ("name", "files"), [("a.svg", ["a.csv", "a.json", "a.svg"]), ("a.csv", ["a.csv"])]
)
def test_a_figure_and_a_table_leave_their_numbers_and_nothing_else(run, tmp_path, name, files):
    line = f"sweep {SMALL} --measure 200 --rates 0.2:0.4:0.2 -o {tmp_path / name}"
    status, out, err = run(line)
    assert (status, err) == (0, "")
    assert sorted(file.name for file in tmp_path.iterdir()) == files
    assert "saturation throughput: " in out
    assert str(tmp_path / "a.csv") in out
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text().splitlines()))
    assert [(row["network"], float(row["offered"])) for row in rows] == [
        (net, rate) for net in SMALL.split()[:2] for rate in (0.2, 0.4)
    ]


def test_a_figure_goes_to_stdout(capfdbinary):
    """Here the points are measured by processes, which write nothing there."""
    for kind, start in (("svg", b"<?xml"), ("pdf", b"%PDF-")):
        line = f"sweep hypercube:n=2 --measure 200 --rates 0.2:0.2:0.1 -o - --format {kind}"
        assert main.run(line.split()) == 0
        out, err = capfdbinary.readouterr()
        assert out.startswith(start)
        assert err == b""


@own_process
def test_where_nothing_saturates_the_table_says_up_to_which_load(run, answer):
    line = "sweep hypercube:n=2 --measure 1000 --rates 0.1:0.3:0.1"
    assert "saturation throughput: not reached up to 0.3 flits/node/cycle" in run(line)[1]
    assert answer(line)["sweeps"][0]["saturation_throughput"] is None
    # Complement traffic shares no channel: a search does not find a load that saturates it.
    line = "sweep hypercube:n=2 traffic=complement length=4 --measure 1000"
    assert "saturation throughput: not reached up to 1 flits/node/cycle" in run(line)[1]
