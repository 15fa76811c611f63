import json
import stat
import sys

import pytest
from click.testing import CliRunner
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_boards.capacity import MARGIN, estimated_cells
from knotwork_boards.placed import PLACED, TOO_LARGE, TOO_LATE, Trial, read_rows
from knotwork_boards.table import BOARDS, board_named
from quality.boards import __main__ as program
from quality.boards import builds
from quality.boards.builds import (
    EVERY_BOARD,
    LADDERS,
    Climb,
    is_fresh,
    measure,
    smallest,
    sources_of,
)

NET = "hypercube:n=1,data_width=8,buffer_depth=2"
ANSWER = {
    "utilization": {kind: {"used": 7, "available": 9} for kind in ("lut", "ff", "block_ram")},
    "fmax_mhz": 30.5,
    "clock_mhz": 12.0,
    "seconds": 4.2,
}
FAKE = """#!{python}
import json, sys, time
json.dump(sys.argv[1:], open({words!r}, "w"))
{body}
"""
FITS = 6
LEAST = smallest(EVERY_BOARD)


@pytest.fixture
def build(tmp_path):
    """Measure by a ``knotwork`` of one line, which keeps its words."""

    def build(body, seconds=60):
        path = tmp_path / "knotwork"
        words = str(tmp_path / "words.json")
        path.write_text(FAKE.format(python=sys.executable, words=words, body=body))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return measure("icebreaker", NET, seconds=seconds, knotwork=str(path))

    return build


def test_a_bitstream_becomes_a_row_that_is_fresh_while_its_sources_are(
    build, tmp_path, monkeypatch
):
    answer = ANSWER | {"sources": sources_of("icebreaker", NET)}
    row = build(f"print({json.dumps(answer)!r})")
    assert row == ("icebreaker", NET, 2, PLACED, 7, 7, 7, 30.5, 12.0, 4.2, answer["sources"])
    words = json.loads((tmp_path / "words.json").read_text())
    assert words[:4] == ["bitstream", "hypercube", "n=1", "data_width=8"]
    assert {"clock_mhz=board", "icebreaker", "--json"} <= set(words)
    assert is_fresh(row, seconds=60)
    assert not is_fresh(row._replace(board="icesugar"), seconds=60)
    assert not is_fresh(row._replace(network="hypercube:n=99"), seconds=60)
    monkeypatch.setattr(builds, "fingerprint", lambda plan, board: "other")
    assert not is_fresh(row, seconds=60)


def test_a_network_that_is_too_large_or_takes_too_long_becomes_a_row(build):
    line = "knotwork: error: x: the network must fit y, but needs 6751 of 5280 ICESTORM_LC; take"
    row = build(f"sys.exit({line!r})")
    assert (row.outcome, row.lut, row.fmax_mhz) == (TOO_LARGE, 6751, None)
    row = build("time.sleep(60)", seconds=0.2)
    assert row.outcome == TOO_LATE
    assert row.seconds < 30
    assert is_fresh(row, seconds=0.1)
    assert not is_fresh(row, seconds=60)


def test_any_other_failure_is_an_error(build):
    with pytest.raises(ConfigurationError) as failed:
        build("sys.exit('knotwork: error: yosys: must succeed')")
    assert str(failed.value) == (
        f"boards: {NET} must be built for icebreaker: knotwork: error: yosys: must succeed"
    )


def test_ladders_climb_from_four_nodes_on():
    for name, nets in LADDERS.items():
        topologies = [Network.from_word(net).topology for net in nets]
        sizes = [topology.nodes for topology in topologies]
        assert sizes[0] >= 4
        assert sizes == sorted(set(sizes))
        assert {topology.name for topology in topologies} == {name}
    least = "hypercube:n=6,data_width=12,buffer_depth=2,pipeline=1"  # 10 bits needed
    assert smallest("hypercube:n=6") == least
    assert smallest("torus:x=5,y=5").endswith(",buffer_depth=2")  # two virtual channels
    assert smallest("lcan:d=2,u=1,levels=2").endswith(",data_width=8,max_packet=4")


def test_a_climb_ends_at_the_largest_that_is_placed():
    board = board_named("ice40_hx8k_b_evn")
    assert Climb(LADDERS["tcpg"], board).next() is None  # none of them can fit
    nets = {Network.from_word(net).topology.nodes: smallest(net) for net in LADDERS["mesh"]}
    cells = {nodes: estimated_cells(Network.from_word(net), "ice40") for nodes, net in nets.items()}
    hopeful = [nodes for nodes, count in cells.items() if count <= MARGIN * board.luts]
    start = max(nodes for nodes, count in cells.items() if count <= board.luts)

    def climbed(fits):
        climb, tried = Climb(LADDERS["mesh"], board), []
        while (net := climb.next()) is not None:
            tried.append(Network.from_word(net).topology.nodes)
            climb.record_outcome(PLACED if tried[-1] <= fits else TOO_LARGE)
        return tried

    assert climbed(fits=10_000) == [nodes for nodes in hopeful if nodes >= start]
    assert climbed(fits=4) == [nodes for nodes in reversed(hopeful) if nodes <= start]
    assert climbed(fits=0) == climbed(fits=4)


@pytest.fixture
def table(monkeypatch, tmp_path):
    """Table with no rows yet; networks of up to six nodes fit."""
    path, built = tmp_path / "placed.csv", []
    path.write_text(";".join(Trial._fields) + "\n")

    def measure(board, net, *, seconds):
        nodes = Network.from_word(net).topology.nodes
        if net.startswith("torus"):
            raise program.KnotworkError("boards: it must work")
        built.append((board, nodes))
        outcome = PLACED if nodes <= FITS else TOO_LARGE
        return Trial(board, net, nodes, outcome, nodes, None, None, 20.0, 12.0, seconds, "now")

    monkeypatch.setattr(program, "ROWS", path)
    monkeypatch.setattr(program, "measure", measure)
    monkeypatch.setattr(program, "is_fresh", lambda row, seconds: row.sources == "now")
    return path, built


def run(*words):
    made = CliRunner().invoke(program.main, words)
    assert not made.exception or isinstance(made.exception, SystemExit)
    return made


def test_every_board_gets_a_network_of_four_nodes_until_time_is_over(table):
    path, built = table
    assert run("icebreaker", "--minutes", "0").exit_code == 0
    assert built == []
    assert run("--ladder", "none").exit_code == 0
    assert sorted(built) == sorted((board, 4) for board in BOARDS)
    assert {row.board for row in read_rows(path)} == BOARDS.keys()
    assert run("--check").exit_code == 0


def test_a_ladder_is_climbed_once_per_die_and_rows_of_other_sources_are_measured_anew(
    table, monkeypatch
):
    path, built = table
    monkeypatch.setitem(LADDERS, "mesh", ["mesh:x=2,y=2", "mesh:x=3,y=2", "mesh:x=4,y=2"])
    words = "icebreaker", "icesugar", "--ladder", "mesh"
    assert run(*words).exit_code == 0
    sizes = {row.nodes: row.outcome for row in read_rows(path) if row.topology == "mesh"}
    assert sizes[6] == PLACED
    assert {board for board, nodes in built if nodes != 4} == {"icebreaker"}  # they have one die
    before, text = len(built), path.read_text()
    assert "icebreaker" in run(*words).stdout
    assert len(built) == before
    large = Trial("icebreaker", "mesh:x=9,y=9", 81, PLACED, 9, 9, 9, 9.0, 9.0, 9.0, "old")
    path.write_text(text.replace("now", "old") + ";".join(map(str, large)) + "\n")
    stale = run("--check")
    assert stale.exit_code == 1
    assert f"icebreaker {LEAST}: measured with other sources or tools" in stale.stdout
    assert "ulx3s_85f: no network of 4 nodes is measured" in stale.stdout
    run(*words)
    assert path.read_text() == text


def test_after_a_failure_the_rest_goes_on(table):
    path, _ = table
    made = run("icebreaker", "--ladder", "torus")
    assert made.exit_code == 1
    assert "boards: it must work" in made.stderr
    assert [row.network for row in read_rows(path)] == [LEAST]
