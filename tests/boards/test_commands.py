import json
from pathlib import Path

import pytest
from knotwork import Hypercube, Network
from knotwork.cli import main
from knotwork_boards import flash, flow
from knotwork_boards.capacity.room import require_room
from knotwork_boards.cells import estimated_cells
from knotwork_boards.commands import bitstream
from knotwork_boards.table import BOARDS, board_named

TEN = estimated_cells(Network(Hypercube(n=10)), "ice40")
SMALL = ("moebius", "n=2", "data_width=8", "buffer_depth=2")
UTILIZATION = {"lut": {"used": 1936, "available": 5280}}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Working folder in which something was built."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build" / "whole").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def built(monkeypatch):
    """Networks, boards and folders of the builds asked for; nothing is built."""
    calls = []

    def build(network, board, directory, *, clock_mhz, report, measure):
        calls.append((network.name, board.name, directory, clock_mhz))
        drawn = {} if report is None else {"report": f"{report}/report.html"}
        return drawn | {
            "name": network.name,
            "board": board.name,
            "bitstream": "build/x/top.bin",
            "fmax_mhz": 20.43,
            "clock_mhz": 12.0,
            "utilization": UTILIZATION,
            "builds": 2,
            "seconds": 1.5,
        }

    monkeypatch.setattr(flow, "build_bitstream", build)
    return calls


@pytest.mark.parametrize("line", bitstream.examples)
def test_examples_fit_their_boards(line):
    words = line.split()[1:]
    network, (_, board, *_) = words[: words.index("--board")], words[words.index("--board") :]
    assert require_room(Network.from_words(network), board_named(board)) > 0


def test_bitstream_answers_in_json(built, capsys):
    assert main.run(["bitstream", *SMALL, "--board", "icebreaker", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert {"board", "bitstream", "fmax_mhz", "clock_mhz", "utilization"} <= set(answer)
    assert built == [("moebius_n2_twist0_data_width8_buffer_depth2", "icebreaker", None, "auto")]


def test_bitstream_prints_a_table(built, tmp_path, capsys):
    out = str(tmp_path / "out")
    assert (
        main.run(["bitstream", *SMALL, "clock_mhz=board", "--board", "icebreaker", "-o", out]) == 0
    )
    shown = capsys.readouterr().out
    for text in (
        "iCEBreaker",
        "build/x/top.bin",
        "20.43 MHz",
        "12 MHz",
        "1936 of 5280 (37 %)",
        "1.5 s in 2",
    ):
        assert text in shown
    assert built == [
        (
            "moebius_n2_twist0_data_width8_buffer_depth2",
            "icebreaker",
            tmp_path / "out",
            "board",
        )
    ]


def test_bitstream_tells_where_the_report_is(built, tmp_path, capsys):
    words = ["bitstream", *SMALL, "--board", "icebreaker", "--report", "pictures"]
    assert main.run([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["report"] == "pictures/report.html"
    assert main.run(words) == 0
    assert "pictures/report.html" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (
            ["moebius", "n=2", "--board", "ulx4s"],
            f"a board must be one of {', '.join(BOARDS)}, not 'ulx4s'",
        ),
        (
            ["moebius", "n=2", "data_width=7", "--board", "icebreaker"],
            "packet router: data_width must be an integer in 8..512, not 7",
        ),
        (
            ["hypercube", "n=6", "data_width=8", "--board", "icebreaker"],
            "hypercube_n6_data_width8: data_width must be at least 10 for the self-test "
            "(address 6, sequence 3, check 1), not 8",
        ),
        (
            ["hypercube", "n=10", "--board", "icebreaker"],
            "hypercube_n10: the network must fit icebreaker, which has 5280 LUTs, but needs about "
            f"{TEN}; take a smaller network",
        ),
        (
            ["hypercube", "n=13", "routing=lc1", "--board", "icebreaker"],
            "hypercube_n13_lc1: the network must fit icebreaker, which has 5280 LUTs, but needs "
            "more than 8192; take a smaller network",
        ),
        (
            [*SMALL, "clock_mhz=fast", "--board", "icebreaker"],
            "bitstream: clock_mhz must be auto, board or a number in 1..400 (MHz), not 'fast'",
        ),
        (
            [*SMALL, "clock_mhz=2", "--board", "icebreaker"],
            "icebreaker: clock_mhz must be a frequency that the board makes, not 2",
        ),
        (["moebius", "n=2"], "Missing option '--board'; see knotwork bitstream --help"),
    ],
)
def test_a_build_that_cannot_work_is_refused_in_one_line(folder, capsys, recwarn, words, text):
    before = {path.name for path in (folder / "build").iterdir()}
    assert main.run(["bitstream", *words]) == 2
    assert capsys.readouterr().err == f"knotwork: error: {text}\n"
    assert {path.name for path in (folder / "build").iterdir()} == before
    assert [str(warning.message) for warning in recwarn] == []


@pytest.fixture
def written(monkeypatch):
    """Boards and bitstreams that were written; nothing is."""
    calls = []
    monkeypatch.setattr(flash, "find_loader", lambda board: f"loader of {board.name}")
    monkeypatch.setattr(flash, "write_flash", lambda board, path: calls.append((board.name, path)))
    return calls


def test_a_bitstream_is_written_to_the_board_if_asked(built, written, capsys):
    assert main.run(["bitstream", *SMALL, "--board", "icebreaker"]) == 0
    assert written == []
    assert main.run(["bitstream", *SMALL, "--board", "icebreaker", "--flash"]) == 0
    assert written == [("icebreaker", Path("build/x/top.bin"))]
    assert "the board's flash memory" in capsys.readouterr().out


def test_a_missing_loader_is_told_before_anything_is_built(built, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(flash, "search_path", lambda: str(tmp_path))
    assert main.run(["bitstream", *SMALL, "--board", "icebreaker", "--flash"]) == 2
    assert built == []
    assert capsys.readouterr().err == (
        "knotwork: error: openFPGALoader: must be on PATH for --flash: "
        "Debian: apt install openfpgaloader\n"
    )
