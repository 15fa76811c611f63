from pathlib import Path

import pytest
from knotwork import Hypercube, Network
from knotwork_boards import flash, flow
from knotwork_boards.capacity import estimated_cells, require_fit
from knotwork_boards.commands import bitstream
from knotwork_boards.table import board_named

TEN = estimated_cells(Network(Hypercube(n=10)), "ice40")
SMALL = "bitstream moebius n=2 data_width=8 buffer_depth=2 --board icebreaker"
NAME = "moebius_n2_twist0_data_width8_buffer_depth2"
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
    assert require_fit(Network.from_words(network), board_named(board)) > 0


def test_bitstream_answers_in_json(built, answer):
    result = answer(f"{SMALL} --report pictures")
    assert {"board", "bitstream", "fmax_mhz", "clock_mhz", "utilization"} <= set(result)
    assert result["report"] == "pictures/report.html"
    assert built == [(NAME, "icebreaker", None, "auto")]


def test_bitstream_prints_a_table(built, tmp_path, run):
    status, shown, _ = run(f"{SMALL} clock_mhz=board --report pictures -o {tmp_path}/out")
    texts = ["iCEBreaker", "build/x/top.bin", "20.43 MHz", "12 MHz", "1936 of 5280 (37 %)"]
    texts += ["1.5 s in 2", "pictures/report.html"]
    assert status == 0
    assert [text for text in texts if text not in shown] == []
    assert built == [(NAME, "icebreaker", tmp_path / "out", "board")]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (
            "bitstream hypercube n=10 --board icebreaker",
            "hypercube_n10: the network must fit icebreaker, which has 5280 LUTs, but needs about "
            f"{TEN}; take a smaller network",
        ),
        (
            "bitstream hypercube n=13 routing=lc1 --board icebreaker",
            "hypercube_n13_lc1: the network must fit icebreaker, which has 5280 LUTs, but needs "
            "more than 8192; take a smaller network",
        ),
        (
            f"{SMALL} clock_mhz=fast",
            "bitstream: clock_mhz must be auto, board or a number in 1..400 (MHz), not 'fast'",
        ),
        (
            f"{SMALL} clock_mhz=2",
            "icebreaker: clock_mhz must be a frequency that the board makes, not 2",
        ),
        ("bitstream moebius n=2", "Missing option '--board'; see knotwork bitstream --help"),
    ],
)
def test_a_build_that_cannot_work_is_refused_in_one_line(folder, refusal, recwarn, words, text):
    before = {path.name for path in (folder / "build").iterdir()}
    assert refusal(words) == text
    assert {path.name for path in (folder / "build").iterdir()} == before
    assert [str(warning.message) for warning in recwarn] == []


@pytest.fixture
def written(monkeypatch):
    """Boards and bitstreams that were written; nothing is."""
    calls = []
    monkeypatch.setattr(flash, "find_loader", lambda board: f"loader of {board.name}")
    monkeypatch.setattr(flash, "write_flash", lambda board, path: calls.append((board.name, path)))
    return calls


def test_a_bitstream_is_written_to_the_board_if_asked(built, written, run):
    assert run(SMALL)[0] == 0
    assert written == []
    status, shown, _ = run(f"{SMALL} --flash")
    assert (status, written) == (0, [("icebreaker", Path("build/x/top.bin"))])
    assert "the board's flash memory" in shown


def test_a_missing_loader_is_reported_before_any_build(built, monkeypatch, tmp_path, refusal):
    monkeypatch.setattr(flash, "search_path", lambda: str(tmp_path))
    assert refusal(f"{SMALL} --flash") == (
        "openFPGALoader: must be on PATH for --flash: Debian: apt install openfpgaloader"
    )
    assert built == []
