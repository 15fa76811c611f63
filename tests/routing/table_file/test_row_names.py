"""Fields of a routing table: indices, labels and names of ports, and what is none."""

import pytest
from knotwork import Mesh, Moebius
from knotwork.errors import ConfigurationError
from knotwork.routing.table_file import RouteFile
from knotwork.routing.table_file.row_names import ANY, row_numbers


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
def test_a_field_that_names_nothing_is_refused_with_its_row(row, words):
    with pytest.raises(ConfigurationError) as refused:
        row_numbers(RouteFile.of([(0, 1, "R", 0), row]), Mesh(x=3, y=2))
    assert str(refused.value).startswith(f"table_file: row 1: {words}")
