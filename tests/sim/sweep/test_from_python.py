import csv
import json
import shlex
import subprocess
import sys

import knotwork
import pytest
from helpers.refusals import refuses
from knotwork import Hypercube, progress
from knotwork.cli import main
from knotwork.entry_points import EntryPoint
from knotwork.errors import ConfigurationError, ToolError
from knotwork.network import Network
from knotwork_sim import sweep, write_sweep
from knotwork_sim.sweep import board as boards
from knotwork_sim.sweep.board import GROUP, BoardPort, open_board
from knotwork_sim.sweep.load import LoadSweep, run_sweep, split_nets
from knotwork_sim.sweep.load_result import Window
from knotwork_sim.traffic.keys import Traffic


@pytest.fixture(scope="module")
def result():
    return sweep(["hypercube:n=2", Hypercube(n=2)], [0.2, 1], measure=300, length=2)


@pytest.mark.usefixtures("in_process")
def test_the_answer_is_that_of_the_command(result):
    nets = split_nets(["hypercube:n=2", "length=2"])
    made = LoadSweep(*nets, rates=(0.2, 1.0), window=Window(measure=300))
    assert run_sweep(made).curves[0] == result.curves[0]
    assert [curve.label for curve in result.curves] == ["hypercube:n=2", "hypercube_n2"]
    assert result.curves[0].points == result.curves[1].points


@pytest.mark.usefixtures("in_process")
def test_loads_may_be_a_range_in_words(result):
    for loads in ("0.2:0.2:0.1", "0.2", 0.2):
        again = sweep("hypercube:n=2", loads, measure=300, length=2)
        assert again.curves[0].points == result.curves[0].points[:1]


def test_its_repr_tells_the_saturation(result):
    saturation = f"{result.curves[0].saturation_throughput:.3f}"
    assert repr(result) == (
        f"<LoadResult, engine=model, in flits/node/cycle: hypercube:n=2: saturation {saturation}; "
        f"hypercube_n2: saturation {saturation}>"
    )


def test_a_data_frame_has_a_row_for_each_point(result):
    pandas = pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert frame.offered.tolist() == [0.2, 1.0] * 2
    assert frame.saturated.tolist() == [False, True] * 2
    assert frame.latency_mean[1] is pandas.NA
    assert frame.latency_mean[0] == result.curves[0].points[0].latency.mean


@pytest.mark.usefixtures("in_process")
def test_progress_is_shown_where_it_is_asked_for(capsys, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    for asked in (False, True):
        sweep("hypercube:n=2", [0.2], measure=20_000, length=2, progress=asked)
        assert capsys.readouterr().err.startswith("knotwork: ") == asked
    assert progress._display is None


@pytest.mark.usefixtures("in_process")
def test_a_figure_is_written_as_by_the_command(result, tmp_path):
    files = write_sweep(str(tmp_path / "load.svg"), result)
    assert [file.name for file in files] == ["load.svg", "load.csv", "load.json"]
    assert main.run([*shlex.split(result.command)[1:], "-o", str(tmp_path / "again.svg")]) == 0
    for kind in ("csv", "json"):
        one, two = (json_or_rows(tmp_path / f"{name}.{kind}") for name in ("load", "again"))
        assert one == two
    with refuses("a.eps: a figure must end in .svg, .png or .pdf, not '.eps'"):
        write_sweep("a.eps", result)


def json_or_rows(file):
    """Points of a file of a sweep; the networks' labels may differ."""
    if file.suffix == ".json":
        return [sweep["points"] for sweep in json.loads(file.read_text())["sweeps"]]
    rows = csv.DictReader(line for line in file.open() if not line.startswith("#"))
    return [{key: cell for key, cell in row.items() if key != "network"} for row in rows]


NOTES = ["knotwork", "command", "traffic", "engine", "window"]


@pytest.mark.usefixtures("in_process")
def test_a_file_alone_says_how_it_is_made_again(result, tmp_path):
    """Each kind of file has the version and all keys, and a command that gives the same points."""
    text = result.table.csv()
    head = dict(line[2:].split(": ", 1) for line in text.splitlines() if line.startswith("# "))
    assert list(head) == [*NOTES, "network hypercube:n=2", "network hypercube_n2"]
    assert head["knotwork"] == knotwork.__version__
    for words in ("length=2", "seed=1", "traffic=uniform"):
        assert words in head["traffic"]
    assert head["window"] == "warmup=None measure=300"
    for words in ("n=2", "buffer_depth=16", "routing=ecube", "virtual_channels=1"):
        assert words in head["network hypercube_n2"].split()
    assert head["command"] == result.command == result.as_json()["command"]
    assert result.as_json()["version"] == knotwork.__version__
    assert result.command.startswith("knotwork sweep hypercube:n=2 hypercube:n=2,routing=ecube,")
    assert result.command.endswith(" length=2 seed=1 --rates 0.2,1.0 --measure 300")
    assert main.run([*shlex.split(head["command"])[1:], "-o", str(tmp_path / "again.csv")]) == 0
    points = [line for line in text.splitlines() if line.startswith("hypercube:n=2,")]
    assert points
    assert set(points) <= set((tmp_path / "again.csv").read_text().splitlines())
    pandas = pytest.importorskip("pandas")
    result.table.write(tmp_path / "a.csv")
    frame = pandas.read_csv(tmp_path / "a.csv", comment="#")
    assert frame.offered.tolist() == [0.2, 1.0] * 2
    assert result.to_pandas().attrs == head


def test_wrong_loads_are_refused():
    with pytest.raises(ConfigurationError, match="a load must be above 0 and at most 1, not 2"):
        sweep("hypercube:n=2", [2])
    with pytest.raises(ConfigurationError, match="rates must be FIRST:LAST:STEP"):
        sweep("hypercube:n=2", "0.1:")


def test_the_room_does_not_hide_the_function():
    code = (
        "import knotwork_sim.sweep.rates\n"
        "from knotwork_sim import sweep\n"
        "assert callable(sweep)\n"
        "assert knotwork_sim.sweep.rates.COARSE"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


class Scripted:
    """Board that measures what it is offered, and keeps what it was asked."""

    opened: list[tuple[object, dict[str, object]]] = []

    def __init__(self, network, **facts):
        self.opened.append((network.name, facts))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.opened.append(("closed", {}))

    def point(self, rate):
        told = {"offered": rate, "accepted": rate, "saturated": False, "packets": 7, "warmup": 9}
        return told | {"latency_mean": 4.5, "latency_max": 11}


@pytest.fixture
def scripted(monkeypatch):
    Scripted.opened = []
    entry = EntryPoint("board", f"{__name__}:Scripted", GROUP)
    monkeypatch.setattr(EntryPoint, "load", lambda self: Scripted)
    monkeypatch.setattr(boards, "entry_points", lambda **which: [entry])
    return Scripted.opened


def test_a_board_measures_the_points(scripted):
    result = sweep("hypercube:n=3", "0.1:0.2:0.1", engine=BoardPort("P"), measure=500, length=4)
    facts = {"port": "P", "baud": 115200, "wanted": None, "length": 4, "seed": 1}
    assert scripted == [("hypercube_n3", facts | {"warmup": 500, "cycles": 500}), ("closed", {})]
    (curve,) = result.curves
    assert [point.accepted for point in curve.points] == [0.1, 0.2]
    assert curve.points[0].as_json() == {
        "offered": 0.1, "accepted": 0.1, "accepted_ci95": None, "accepted_least": None,
        "latency": {"mean": 4.5, "p50": None, "p99": None, "max": 11}, "latency_ci95": None,
        "saturated": False, "packets": 7, "warmup": 9,
    }  # fmt: skip


def test_a_permutation_is_told_by_its_destinations(scripted):
    sweep("hypercube:n=2", [0.1], engine=BoardPort("P"), traffic="complement", warmup=5)
    assert scripted[0][1]["wanted"] == [3, 2, 1, 0]
    assert scripted[0][1]["warmup"] == 5


def test_streams_of_each_class_have_the_permutation(scripted):
    sweep("mesh:x=2,y=2,classes=2", [0.1], engine=BoardPort("P"), traffic="complement")
    assert scripted[0][1]["wanted"] == [3, 2, 1, 0, 7, 6, 5, 4]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("--engine board", "--engine board must be used with --port PORT"),
        ("--port P", "--port must be used with --engine board"),
        ("torus x=4 y=4 --engine board --port P", "a board must have one network, not 2"),
        ("length=1-4 --engine board --port P",
         "length must be one number with --engine board, not 1-4"),
        ("stall=0.5 --engine board --port P",
         "stall must be left unset with --engine board, not 0.5"),
        ("traffic=hotspot --engine board --port P",
         "traffic must be uniform or a permutation with --engine board, not hotspot"),
        ("--engine bord",
         "--engine must be one of model, rtl, board, not 'bord'; did you mean board?"),
    ],
)  # fmt: skip
def test_what_no_board_measures_is_refused(words, complaint, refusal):
    line = refusal(f"sweep hypercube n=2 {words} --rates 0.1:0.1:0.1")
    assert line == f"sweep: {complaint}"


def test_without_the_package_of_boards_that_is_told(monkeypatch):
    monkeypatch.setattr(boards, "entry_points", lambda **which: [])
    network = Network.from_word("hypercube:n=2")
    with pytest.raises(ToolError, match=r"^the entry board of knotwork\.point_engines must be "):
        open_board(network, Traffic(), Window(), BoardPort("P"))


def test_the_entry_point_is_installed():
    (entry,) = boards.entry_points(group=GROUP, name="board")
    assert callable(entry.load().point)


@pytest.mark.usefixtures("in_process")
def test_a_file_with_blanks_in_its_name_is_noted_as_it_is(tmp_path):
    file = tmp_path / "two  blanks.csv"
    file.write_text("0,1\n1,0\n")
    result = sweep("hypercube:n=1", 0.2, measure=200, traffic="matrix", matrix=str(file))
    assert f"matrix={file.name}" in shlex.split(result.command)
    assert result.table.csv().splitlines()[1] == f"# command: {result.command}"


def test_lengths_are_noted_as_a_command_takes_them():
    result = sweep("hypercube:n=2", 0.2, measure=200, length=(1, 3))
    assert "length=1-3" in result.notes["traffic"].split()
    assert "length=1-3" in result.command.split()
