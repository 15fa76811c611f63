import pytest
from click.testing import CliRunner
from knotwork import Network
from knotwork_boards.capacity.placed import PLACED, TOO_LARGE, Trial, read_rows
from knotwork_boards.table import BOARDS
from quality.boards import __main__ as program
from quality.boards.ladders import EVERY_BOARD, smallest

FITS = 6
LEAST = smallest(EVERY_BOARD)


@pytest.fixture
def table(monkeypatch, tmp_path):
    """Table with no rows yet; networks of up to six nodes fit."""
    path = tmp_path / "placed.csv"
    path.write_text(";".join(Trial._fields) + "\n")
    built = []

    def measure(board, net, *, seconds):
        nodes = Network.from_word(net).topology.nodes
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


def test_every_board_gets_a_network_of_four_nodes(table):
    path, built = table
    assert run("--ladder", "none").exit_code == 0
    assert sorted(built) == sorted((board, 4) for board in BOARDS)
    assert {row.board for row in read_rows(path)} == BOARDS.keys()
    assert run("--check").exit_code == 0


def test_a_ladder_is_climbed_and_what_is_known_is_not_built_again(table):
    path, built = table
    assert run("icebreaker", "icesugar", "--ladder", "mesh").exit_code == 0
    sizes = {row.nodes: row.outcome for row in read_rows(path) if row.topology == "mesh"}
    assert sizes[6] == PLACED
    climbed = [board for board, nodes in built if nodes != 4]
    assert set(climbed) == {"icebreaker"}  # both boards have one die
    assert sum(nodes == 6 for _, nodes in built) == 1
    before = len(built)
    assert "icebreaker" in run("icebreaker", "icesugar", "--ladder", "mesh").stdout
    assert len(built) == before


def test_rows_of_other_sources_are_told_measured_again_or_removed(table):
    path, _built = table
    run("icebreaker", "--ladder", "mesh")
    text = path.read_text()
    path.write_text(text.replace("now", "old"))
    told = run("--check")
    assert told.exit_code == 1
    assert f"icebreaker {LEAST}: measured with other sources or tools" in told.stdout
    assert "icesugar: no network of 4 nodes is measured" in told.stdout
    large = Trial("icebreaker", "mesh:x=9,y=9", 81, PLACED, 9, 9, 9, 9.0, 9.0, 9.0, "old")
    line = ";".join(map(str, large))
    path.write_text(text.replace("now", "old") + line + "\n")
    run("icebreaker", "--ladder", "mesh")
    assert path.read_text() == text


def test_no_build_begins_after_the_time(table):
    _path, built = table
    assert run("icebreaker", "--minutes", "0").exit_code == 0
    assert built == []


def test_a_failure_is_told_and_the_rest_goes_on(table, monkeypatch):
    path, _built = table
    measure = program.measure

    def fails(board, net, *, seconds):
        if board == "icebreaker":
            raise program.KnotworkError("boards: it must work")
        return measure(board, net, seconds=seconds)

    monkeypatch.setattr(program, "measure", fails)
    made = run("icebreaker", "icesugar", "--ladder", "none")
    assert made.exit_code == 1
    assert "boards: it must work" in made.stderr
    assert [row.board for row in read_rows(path)] == ["icesugar"]
