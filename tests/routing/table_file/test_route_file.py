"""Rows of a routing table: as text, as numbers, and bound to a topology."""

import numpy as np
import pytest
from helpers.routing_tables import columns_first
from knotwork import Mesh, Moebius
from knotwork.routing.table_file import RouteFile
from knotwork.routing.table_file.route_file import ANY, bind_table, row_numbers


def test_a_file_and_rows_of_python_are_the_same_table(tmp_path):
    path = tmp_path / "ways.csv"
    path.write_text("Router, destination, PORT, vc\n@00, 1, R, 0\n\n1,0, L,1\n")
    read = RouteFile.read(path)
    given = RouteFile.of([("@00", 1, "R", 0), (1, 0, "L", 1, None, "")])
    assert read.columns == given.columns
    assert read.digest == given.digest
    assert (read.name, list(read.lines), len(read)) == ("ways.csv", [2, 4], 2)
    assert (str(read), str(given)) == (
        f"ways.csv (sha256 {read.digest[:12]})",
        f"2 rows (sha256 {read.digest[:12]})",
    )
    assert (read.where(1), given.where(1)) == ("ways.csv: line 4", "table_file: row 1")


def test_another_row_makes_another_digest():
    digests = {RouteFile.of([(0, 1, port, 0)]).digest for port in ("L", "R", "U")}
    assert len(digests) == 3


def test_what_is_written_is_read_again(tmp_path):
    made = RouteFile.of([(0, 1, "R", 0), (1, 0, "L", 1, "local", 0)])
    assert made.text() == (
        "router,destination,port,vc,input,input_vc\n0,1,R,0,,\n1,0,L,1,local,0\n"
    )
    (tmp_path / "again.csv").write_text(made.text())
    assert RouteFile.read(tmp_path / "again.csv").columns == made.columns


@pytest.mark.parametrize("row", [(0, 1, "R"), "0123", 7, (0, 1, "R", 0, "L")])
def test_what_is_no_row_is_refused(refused, row):
    assert refused(lambda: RouteFile.of([(0, 1, "R", 0), row])) == (
        "table_file: row 1 must be (router, destination, port, vc), and may end with input, "
        f"input_vc, not {row!r}"
    )


def test_indices_labels_and_names_are_the_same_numbers():
    # 4-Moebius cube: label 0110 is node 6, and ports are local, dim0, dim1, ...
    rows = [("@0110", "@0010", "dim2", 1, "dim0", 0), (6, 2, 3, "1", 1, "")]
    numbers = row_numbers(RouteFile.of(rows), Moebius(n=4, twist=0))
    assert {name: column.tolist() for name, column in numbers.items()} == {
        "router": [6, 6],
        "destination": [2, 2],
        "port": [3, 3],
        "vc": [1, 1],
        "input": [1, 1],
        "input_vc": [0, ANY],
    }


PORTS = "one of local, L, R, U, D or an index in 0..4"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ((6, 1, "R", 0), "router must be an index in 0..5 or a label @0.0..@1.2, not '6'"),
        (("@9", 1, "R", 0), "router must be an index in 0..5 or a label @0.0..@1.2, not '@9'"),
        ((0, "", "R", 0), "destination must be an index in 0..5 or a label @0.0..@1.2, not ''"),
        ((0, "9" * 30, "R", 0), "destination must be an index"),
        ((0, 1, "east", 0), f"port must be {PORTS}, not 'east'"),
        ((0, 1, 5, 0), f"port must be {PORTS}, not '5'"),
        ((0, 1, "", 0), f"port must be {PORTS}, not ''"),
        ((0, 1, "R", 8), "vc must be an integer in 0..7, not '8'"),
        ((0, 1, "R", -1), "vc must be an integer in 0..7, not '-1'"),
        ((0, 1, "R", "\u0663"), "vc must be an integer in 0..7, not '\u0663'"),
        ((0, 1, "R", 0, "east", ""), f"input must be {PORTS}, or empty, not 'east'"),
        ((0, 1, "R", 0, "", "x"), "input_vc must be an integer in 0..7, or empty, not 'x'"),
    ],
)
def test_a_field_that_names_nothing_is_refused_with_its_row(refused, row, words):
    assert refused(
        lambda: row_numbers(RouteFile.of([(0, 1, "R", 0), row]), Mesh(x=3, y=2))
    ).startswith(f"table_file: row 1: {words}")


MESH = Mesh(x=3, y=2)
ROWS = list(columns_first(3, 2))


def bound(rows):
    return bind_table(RouteFile.of(rows), MESH)


def test_each_pair_has_its_row_in_any_order():
    table = bound(ROWS[::-1])
    assert table.classes == 1
    assert not table.depends_on_input
    assert table.entries.shape == (6, 1, 1, 6)
    ports = {"L": 1, "R": 2, "U": 3, "D": 4}
    for router, destination, port, vc in ROWS:
        assert table.entries[router, 0, 0, destination] == 8 * ports[port] + vc
    assert (np.diagonal(table.entries[:, 0, 0, :]) == 0).all()  # to the node
    assert (bound([*ROWS, (4, 4, "local", 0)]).entries == table.entries).all()


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


def test_a_pair_without_a_row_is_named(refused):
    rows = [row for row in ROWS if row[:2] not in {(2, 4), (5, 0)}]
    assert refused(lambda: bound(rows)) == (
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
def test_a_row_that_cannot_be_is_refused_with_its_place(refused, row, words):
    assert ROWS[9][:2] == (1, 5)
    assert refused(lambda: bound([*ROWS, row])) == f"table_file: row {len(ROWS)}: {words}"


def test_the_line_of_a_file_is_named(refused, tmp_path):
    path = tmp_path / "ways.csv"
    path.write_text("port,vc,router,destination\nR,0,0,1\n\nU,0,0,2\n")
    assert (
        refused(lambda: bind_table(RouteFile.read(path), MESH))
        == "ways.csv: line 4: port must have a link at router 0, not 'U'"
    )


def test_a_table_that_is_too_large_is_refused(refused):
    large = Mesh(x=1024, y=16)
    rows = [(0, 1, "R", 0, "local", 0), (0, 2, "R", 1, "local", 1)]
    assert refused(lambda: bind_table(RouteFile.of(rows), large)) == (
        "table_file: routers x inputs x destinations must be at most 268435456 in a table, not "
        "16384 x 5 x 2 x 16384"
    )
