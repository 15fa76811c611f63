"""Sweeps over loads and over sizes."""

import csv

import pytest
from knotwork import __version__
from knotwork.cli import main
from knotwork_sim.sweep import growth, load
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
        ("--seed 5", "sweep: --seed must be used with --permutation"),
        (
            "--repeat 2 --engine board --port simulated",
            "sweep: --repeat must not be used with --engine board",
        ),
        (
            "--permutation random --rates 0.1:0.2:0.1",
            "sweep: --rates must not be used with --permutation",
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
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[0] == f"# knotwork: {__version__}"
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
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
    # Complement traffic shares no channel, and packets of a flit do not wait for one another in
    # their source: a search does not find a load that saturates it.
    line = "sweep hypercube:n=2 traffic=complement --measure 1000"
    assert "saturation throughput: not reached up to 1 flits/node/cycle" in run(line)[1]


SIZES = "lcan:d=2,u=2,levels=2-5"


def test_json_has_the_promised_fields_and_the_seed_decides(run, answer):
    line = f"sweep {SIZES} lcan:d=2,u=2,levels=4-6 --permutation random --repeat 4"
    found = answer(line)
    assert (found["permutation"], found["repeat"], found["seed"]) == ("random", 4, 1)
    first, second = found["sweeps"]
    assert first["network"] == "lcan"
    assert (first["parameters"]["d"], first["parameters"]["levels"]) == (2, "2-5")
    assert first["fit"] is None
    promised = ["nodes", "levels", "network_cycles", "ci95", "min", "max", "lower_bound"]
    assert [list(point) for point in first["points"]] == [promised] * 4
    assert first["points"][2:] == second["points"][:2]
    assert {key: set(law) for key, law in second["fit"].items() if key != "better"} == {
        "log": {"a", "b", "r2"},
        "power": {"c", "e", "r2"},
    }
    assert second["fit"]["better"] in ("log", "power")
    assert answer(line) == found
    assert answer(f"{line} --seed 2") != found


def test_a_table_a_figure_and_its_numbers_are_written(run, answer, tmp_path):
    status, out, err = run("sweep lcan:d=2,u=2,levels=4-6 --permutation worst --repeat 3")
    assert (status, err) == (0, "")
    for text in ("lcan d=2, u=2", "PEs", "lower bound", "64", "better fit: ", "other fit: "):
        assert text in out
    assert "\x1b" not in out
    path = tmp_path / "new" / "cycles.svg"
    found = answer(f"sweep {SIZES} --permutation worst --repeat 2 -o {path}")
    assert (found["figure"], found["table"]) == (str(path), str(path.with_suffix(".csv")))
    assert sorted(file.name for file in path.parent.iterdir()) == ["cycles.csv", "cycles.svg"]
    version, command, *_ = path.with_suffix(".csv").read_text().splitlines()
    assert version == f"# knotwork: {__version__}" == f"# knotwork: {found['version']}"
    assert command == f"# command: {found['command']}"
    again = answer(found["command"].removeprefix("knotwork "))
    assert (again["sweeps"], again["command"]) == (found["sweeps"], found["command"])


LONG = "lcan_d2_u2_levels2_interconnectcomplete_scheduled"


REFUSED = {
    "--permutation worst": "sweep: networks must be named, each in one word like "
    "lcan:d=2,u=2,levels=2-6",
    f"{SIZES} --permutation 1,0": "sweep: permutation must name each node 0..3 once, not '1,0'",
    "lcan:d=2,u=2,levels=5-3 --permutation worst": "sweep: levels must be a range FIRST-LAST that "
    "is not empty, not 5-3",
    "hypercube:n=2-3 --permutation random": "hypercube_n2: --permutation must be used with a "
    "network of circuits and routing=updown, not routing=ecube",
    "lcan:d=2,u=2,levels=2-3,routing=scheduled --permutation worst": f"{LONG}: --permutation must "
    f"be used with a network of circuits and routing=updown, not routing=scheduled",
    "kyklos:k=2,levels=2-3 --permutation worst": "kyklos_k2_levels2_copies2: --permutation worst "
    "must be used with one copy of the levels (copies=1), not 2",
    "lcan:d=2,u=2,levels=2-99 --permutation worst": "lcan: levels must be an integer in 1..16, "
    "not 17",
    "lcan:d=2,u=2,levels=2- --permutation worst": "lcan: levels must be an integer in 1..16, not "
    "'2-'",
    SIZES: "lcan: levels must be an integer in 1..16, not '2-5'",
    f"{SIZES} --permutation worst --repeat 1": "sweep: --repeat must be an integer in "
    "2..100000, not '1'",
}


@pytest.mark.parametrize(("line", "complaint"), REFUSED.items())
def test_what_is_no_family_is_refused(refusal, tmp_path, line, complaint):
    assert refusal(f"sweep {line} -o {tmp_path / 'a.svg'}") == complaint
    assert list(tmp_path.iterdir()) == []


def test_a_figure_of_another_kind_is_refused_before_anything_is_measured(refusal, monkeypatch):
    monkeypatch.setattr(growth, "measure", None)
    assert refusal(f"sweep {SIZES} --permutation worst -o a.eps") == (
        "a.eps: a figure must end in .svg, .png or .pdf, not '.eps'"
    )


@own_process
def test_a_repeated_load_has_a_run_for_each_seed(answer, tmp_path):
    path = tmp_path / "loads.csv"
    line = f"sweep hypercube:n=2 --measure 200 --rates 0.1,0.3 --repeat 3 -o {path}"
    found = answer(line)
    points = found["sweeps"][0]["points"]
    assert (found["repeat"], [len(point["runs"]) for point in points]) == (3, [3, 3])
    assert found["command"].endswith("seed=1 --rates 0.1,0.3 --measure 200 --repeat 3")
    single = answer("sweep hypercube:n=2 seed=2 --measure 200 --rates 0.1,0.3")
    assert "repeat" not in single
    for point, run in zip(points, single["sweeps"][0]["points"], strict=True):
        assert point["runs"][1] == run
    text = path.read_text()
    assert "# repeat: 3" in text
    assert text.count("hypercube:n=2,model") == 2
