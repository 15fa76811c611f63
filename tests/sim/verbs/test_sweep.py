import pytest
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
        ("-o a.pdf", "a.pdf: a figure must end in .svg or .png, not '.pdf'"),
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
