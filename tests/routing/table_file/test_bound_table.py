"""Rows bound to a topology: every pair has one, each names a link, and none contradicts another."""

import numpy as np
import pytest
from helpers.routing_tables import columns_first
from knotwork import Mesh
from knotwork.errors import ConfigurationError
from knotwork.routing.table_file import RouteFile
from knotwork.routing.table_file.bound_table import bound_table

MESH = Mesh(x=3, y=2)
ROWS = list(columns_first(3, 2))


def bound(rows):
    return bound_table(RouteFile.of(rows), MESH)


def refusal(rows):
    with pytest.raises(ConfigurationError) as refused:
        bound(rows)
    return str(refused.value)


def test_each_pair_has_its_row_in_any_order():
    table = bound(ROWS[::-1])
    assert table.classes == 1
    assert not table.depends_on_input
    assert table.entries.shape == (6, 1, 1, 6)
    ports = {"L": 1, "R": 2, "U": 3, "D": 4}
    for router, destination, port, vc in ROWS:
        assert table.entries[router, 0, 0, destination] == 8 * ports[port] + vc
    assert (np.diagonal(table.entries[:, 0, 0, :]) == 0).all()  # to the node


def test_a_row_of_its_own_node_may_say_local():
    assert (bound([*ROWS, (4, 4, "local", 0)]).entries[4, 0, 0, 4]) == 0


def test_a_row_that_names_more_of_its_input_counts_there():
    # from 0 to 5: right where any packet comes, but down for one from the node, and by class 1
    # for one that comes by D in class 1; L and D of router 0 are ports 1 and 4.
    more = [(0, 5, "D", 0, "local", ""), (0, 5, "R", 1, "D", 1), (0, 5, "R", 2, "", 1)]
    rows = [row for row in ROWS if row[:2] != (0, 5)]
    table = bound([more[1], *rows, more[0], (0, 5, "R", 0), more[2]])
    assert table.classes == 3
    assert table.depends_on_input
    entries = table.entries[0, :, :, 5]
    assert entries.shape == (5, 3)
    assert entries[0].tolist() == [8 * 4] * 3
    assert entries[4].tolist() == [8 * 2, 8 * 2 + 1, 8 * 2]
    assert entries[2].tolist() == [8 * 2, 8 * 2 + 2, 8 * 2]


def test_a_pair_without_a_row_is_named():
    rows = [row for row in ROWS if row[:2] not in {(2, 4), (5, 0)}]
    assert refusal(rows) == (
        "table_file: a row must say where router 2 (@0.2) sends packets to 4 (@1.1), not be "
        "missing; 2 pairs without a row"
    )


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ((0, 5, "L", 0, "U", 0), "port must have a link at router 0, not 'L'"),
        ((0, 5, "local", 0, "U", 0), "port must lead on to router 5, not 'local'"),
        ((3, 3, "R", 0), "port must be local, to the router's own node, not 'R'"),
        ((1, 5, "D", 0), "router 1, destination 5 must be named once, not as in row 9 too"),
    ],
)
def test_a_row_that_cannot_be_is_refused_with_its_place(row, words):
    assert ROWS[9][:2] == (1, 5)
    assert refusal([*ROWS, row]) == f"table_file: row {len(ROWS)}: {words}"


def test_the_line_of_a_file_is_named(tmp_path):
    path = tmp_path / "ways.csv"
    path.write_text("port,vc,router,destination\nR,0,0,1\n\nU,0,0,2\n")
    with pytest.raises(ConfigurationError) as refused:
        bound_table(RouteFile.read(path), MESH)
    assert str(refused.value) == "ways.csv: line 4: port must have a link at router 0, not 'U'"


def test_a_table_that_is_too_large_is_refused():
    large = Mesh(x=1024, y=16)
    rows = [(0, 1, "R", 0, "local", 0), (0, 2, "R", 1, "local", 1)]
    with pytest.raises(ConfigurationError) as refused:
        bound_table(RouteFile.of(rows), large)
    assert str(refused.value) == (
        "table_file: routers x inputs x destinations must be at most 268435456 in a table, not "
        "16384 x 5 x 2 x 16384"
    )
