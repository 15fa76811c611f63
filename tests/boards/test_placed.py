import json
import os
import pty
import re
import subprocess
import sys

import pytest
from knotwork import Network
from knotwork_boards.placed import PLACED, TOO_LARGE, Trial, largest_on, read_rows, rows_text
from knotwork_boards.table import BOARDS, board_named

UTILIZATION = {"lut": {"used": 1936, "available": 5280}}
CUBE = "hypercube:n=3,data_width=8,buffer_depth=2"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Working folder with two bitstreams, and records that belong to none."""
    monkeypatch.chdir(tmp_path)
    for name, record in (
        ("whole", json.dumps(record_of("icebreaker"))),
        ("demo/ulx3s_85f", json.dumps(record_of("ulx3s_85f"))),
        ("gone", json.dumps(record_of("icesugar"))),
        ("deep", "[" * 20_000),
        ("broken", "{"),
        ("strange", "[]"),
        ("poor", "{}"),
        ("no_number", json.dumps(record_of("icebreaker") | {"fmax_mhz": float("nan")})),
        ("too_large", json.dumps(record_of("icebreaker")).replace("20.43", "1e999")),
    ):
        (tmp_path / "build" / name).mkdir(parents=True)
        (tmp_path / "build" / name / "bitstream.json").write_text(record)
    for name in ("whole", "demo/ulx3s_85f", "no_number", "too_large"):
        (tmp_path / "build" / name / "top.bin").write_bytes(b"bits")
    return tmp_path


def record_of(board):
    return {
        "board": board,
        "name": "moebius_n2_twist0",
        "bitstream": "top.bin",
        "fmax_mhz": 20.43,
        "utilization": UTILIZATION,
    }


@pytest.fixture
def placed(monkeypatch):
    """One network that was placed, on another board with the same die."""
    row = Trial("icesugar", CUBE, 8, "placed", 3960, 1200, 2, 21.5, 12.0, 81.2, "0123456789abcdef")
    monkeypatch.setattr("knotwork_boards.placed.read_rows", lambda: [row])


def test_boards_lists_capacity_clock_what_is_placed_and_what_was_built(folder, placed, answer):
    boards = {board["name"]: board for board in answer("boards")["boards"]}
    assert list(boards) == list(BOARDS)
    assert boards["icebreaker"] == {
        "name": "icebreaker",
        "title": "1BitSquared iCEBreaker",
        "device": "iCE40UP5K",
        "family": "ice40",
        "luts": 5280,
        "clock_mhz": 12.0,
        "uart": {"tx": "9", "rx": "6"},
        "loader": ["-b", "ice40_generic"],
        "largest": [
            {
                "network": "hypercube",
                "words": "hypercube n=3 data_width=8 buffer_depth=2",
                "nodes": 8,
                "lut": 3960,
                "ff": 1200,
                "block_ram": 2,
                "fmax_mhz": 21.5,
                "clock_mhz": 12.0,
                "board": "icesugar",
            }
        ],
        "built": [record_of("icebreaker") | {"bitstream": "build/whole/top.bin"}],
    }
    assert boards["ulx3s_85f"]["largest"] == []
    assert boards["ulx3s_85f"]["built"] == [
        record_of("ulx3s_85f") | {"bitstream": "build/demo/ulx3s_85f/top.bin"}
    ]
    assert sum(len(board["built"]) for board in boards.values()) == 2


def test_boards_prints_tables(folder, placed, run):
    status, out, _ = run("boards")
    assert status == 0
    assert "build/whole/top.bin" in out
    sizes = out[out.index("Nodes of the largest") : out.index("Bitstreams here")]
    rows = {row[0]: row[1:] for row in map(cells, sizes.splitlines()) if row}
    assert rows["icebreaker"] == rows["icesugar"] == ["8"]
    assert rows["ulx3s_12f"] == ["-"]
    assert rows.keys() >= BOARDS.keys()


def cells(line):
    """Cells of a line of a table."""
    return [cell.strip() for cell in line.replace("\u2503", "\u2502").split("\u2502")[1:-1]]


def test_one_board_is_reported_in_detail(folder, placed, run):
    _, out, _ = run("boards icebreaker")
    rows = [cells(line) for line in out.splitlines()]
    assert ["FPGA", "iCE40UP5K, 5280 LUTs"] in rows
    assert ["UART tx, rx", "9, 6"] in rows
    assert ["loaded by", "openFPGALoader -b ice40_generic"] in rows
    words = "hypercube n=3 data_width=8 buffer_depth=2"
    assert [words, "8", "3960 (75 %)", "21.5", "icesugar"] in rows
    assert ["icebreaker", "build/whole/top.bin", "20.43"] in rows
    status, out, _ = run("boards tang_nano_9k")
    assert status == 0
    assert "Largest" not in out


@pytest.mark.parametrize("name", [(), ("icebreaker",)])
def test_the_tables_fit_a_terminal_of_80_columns(folder, name):
    line = (
        sys.executable,
        "-c",
        "from knotwork.cli.main import run; import sys; run(sys.argv[1:])",
    )
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as screen:
        environment = os.environ | {"COLUMNS": "80", "TERM": "xterm"}
        subprocess.run([*line, "boards", *name], stdout=theirs, env=environment, check=True)
        os.close(theirs)
        shown = b""
        with pytest.raises(OSError, match="Input/output"):
            while True:
                shown += screen.read(4096)
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", row) for row in shown.decode().splitlines()]
    assert max(map(len, plain)) <= 80
    text = "\n".join(plain)
    assert all(board in text for board in (name or BOARDS))  # no name is parted


CUBES = [f"hypercube:n={n},data_width=8" for n in range(1, 5)]


def trial(board, net, outcome=PLACED, lut=None):
    nodes = Network.from_word(net).topology.nodes
    return Trial(board, net, nodes, outcome, lut, None, None, 20.5, 12.0, 3.5, "00ff")


def test_rows_are_read_as_they_are_written(tmp_path):
    rows = [
        trial("icebreaker", "mesh:x=2,y=2", lut=7),
        trial("ulx3s_12f", CUBES[2], TOO_LARGE),
        trial("ulx3s_12f", CUBES[1]),
    ]
    path = tmp_path / "placed.csv"
    path.write_text(rows_text(rows))
    assert read_rows(path) == [rows[2], rows[1], rows[0]]  # boards as listed, then by size
    assert path.read_text().splitlines()[1] == (
        "ulx3s_12f;hypercube:n=2,data_width=8;4;placed;;;;20.5;12.0;3.5;00ff"
    )


def test_the_largest_that_was_placed_on_a_die_is_that_of_all_its_boards():
    rows = [
        trial("icesugar", CUBES[1]),
        trial("icesugar", CUBES[2]),
        trial("icebreaker", CUBES[0]),
        trial("icebreaker", CUBES[3], TOO_LARGE),
        trial("ice40_hx8k_b_evn", CUBES[3]),  # another die
        trial("icebreaker", "mesh:x=2,y=2"),
    ]
    assert largest_on(board_named("icebreaker"), rows) == {"hypercube": rows[1], "mesh": rows[5]}
    assert largest_on(board_named("ulx3s_12f"), rows) == {}


def test_of_equal_sizes_the_boards_own_is_reported():
    rows = [trial("icesugar", CUBES[1], lut=9), trial("icebreaker", CUBES[1], lut=7)]
    assert largest_on(board_named("icebreaker"), rows)["hypercube"] == rows[1]
    assert largest_on(board_named("icesugar"), rows)["hypercube"] == rows[0]


def test_the_packages_rows_are_of_networks_and_boards_that_there_are():
    rows = read_rows()
    for row in rows:
        assert Network.from_word(row.network).topology.nodes == row.nodes
        luts = BOARDS[row.board].luts
        if row.outcome == PLACED:
            assert 0 < row.lut <= luts
            assert row.fmax_mhz >= row.clock_mhz >= 12
        else:
            assert row.fmax_mhz is None
    assert len({(row.board, row.network) for row in rows}) == len(rows)
