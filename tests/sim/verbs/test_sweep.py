import csv
import json

import pytest
from knotwork.cli import main
from knotwork_sim.sweep.load import LoadSweep, run_sweep, split_nets
from knotwork_sim.sweep.load_result import Window

SMALL = "hypercube:n=2 mesh:x=2,y=2 length=2"


def test_bad_input_is_one_line(refusal, tmp_path):
    other = tmp_path / "points"
    made = LoadSweep(*split_nets(SMALL.split()), window=Window(measure=200), rates=(0.1,))
    run_sweep(made, results_file=other)
    for line, complaint in (
        ("--rates 0.5:1.5:0.1", "sweep: a load must be above 0 and at most 1, not 1.5"),
        ("--rates 0.5:0.4:0.1",
         "sweep: --rates must be a range with FIRST <= LAST and STEP above 0, not 0.5:0.4:0.1"),
        ("-o a.eps", "a.eps: a figure must end in .svg, .png or .pdf, not '.eps'"),
        (f"--results {other}", f"{other}: the results must be those of this sweep, not of another; "
         "remove the file or name another with --results"),
        ("--repeat 5", "sweep: --repeat must go with --permutation"),
        ("--permutation random --rates 0.1:0.2:0.1",
         "sweep: --rates must not go with --permutation"),
        ("rate=0.5", "sweep: rate must be given by --rates, not by rate=0.5"),
    ):  # fmt: skip
        assert refusal(f"sweep {SMALL} {line}") == complaint


def test_a_scheduler_that_does_not_answer_is_one_line(refusal, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("knotwork_sim.sweep.workers.CONNECT_SECONDS", 1)
    line = refusal(f"sweep {SMALL} --scheduler tcp://127.0.0.1:9")
    assert line.startswith("the scheduler tcp://127.0.0.1:9 must answer, but did not: ")


def test_a_network_too_large_is_one_line(refusal, monkeypatch):
    monkeypatch.setattr("knotwork_sim.check.memory.usable_memory", lambda: 2**30)
    line = refusal("sweep hypercube:n=20 --rates 0.1:0.1:0.1")
    assert line.startswith("hypercube_n20: a point must fit into the 1.0 GiB of free memory, ")


def test_a_figure_leaves_its_numbers_and_nothing_else(run, tmp_path):
    status, out, err = run(
        f"sweep {SMALL} --measure 200 --rates 0.2:0.4:0.2 -o {tmp_path / 'a.svg'}"
    )
    assert (status, err) == (0, "")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.csv", "a.json", "a.svg"]
    assert "saturation throughput: " in out
    assert str(tmp_path / "a.csv") in out


def test_a_table_is_written_alone(run, tmp_path):
    file = tmp_path / "a.csv"
    line = f"sweep {SMALL} --measure 200 --rates 0.2:0.4:0.2 -o {file}"
    assert run(line)[0] == 0
    rows = list(csv.DictReader(file.read_text().splitlines()))
    assert [(row["network"], float(row["offered"])) for row in rows] == [
        (net, rate) for net in SMALL.split()[:2] for rate in (0.2, 0.4)
    ]
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(("kind", "start"), [("svg", b"<?xml"), ("pdf", b"%PDF-")])
def test_a_figure_goes_to_stdout(capfdbinary, kind, start):
    line = f"sweep hypercube:n=2 --measure 200 --rates 0.2:0.2:0.1 -o - --format {kind}"
    assert main.run(line.split()) == 0
    out, err = capfdbinary.readouterr()
    assert out.startswith(start)
    assert err == b""


def test_where_nothing_saturates_the_table_says_up_to_which_load(run):
    status, out, _ = run("sweep hypercube:n=2 --measure 1000 --rates 0.1:0.3:0.1")
    assert status == 0
    assert "saturation throughput: not reached up to 0.3 flits/node/cycle" in out
    status, out, _ = run("sweep hypercube:n=2 --measure 1000 --rates 0.1:0.3:0.1 --json")
    assert json.loads(out)["sweeps"][0]["saturation_throughput"] is None


def test_a_search_that_never_saturates_says_so(run):
    """Complement traffic shares no channel: each node is sent a flit each cycle."""
    line = "sweep hypercube:n=2 traffic=complement length=4 --measure 1000"
    assert "saturation throughput: not reached up to 1 flits/node/cycle" in run(line)[1]
