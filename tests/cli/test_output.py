"""Tables for people and JSON for programs, from plain data and from records."""

import json
from dataclasses import dataclass

import numpy as np
import pytest
from helpers.tables import rows_of
from knotwork.cli import output


@dataclass
class Inner:
    low: int
    places: np.ndarray


@dataclass
class Record:
    name: str
    inner: Inner


def test_json_of_records_and_arrays(capsys):
    output.print_json([Record("a", Inner(1, np.arange(3))), np.int64(4)])
    assert json.loads(capsys.readouterr().out) == [
        {"name": "a", "inner": {"low": 1, "places": [0, 1, 2]}},
        4,
    ]


@pytest.mark.parametrize("value", [{1, 2}, Record, object()])
def test_what_is_no_plain_data_is_refused(value):
    with pytest.raises(TypeError, match="an answer must be plain data, not "):
        output.print_json(value)


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, "-"),
        (True, "yes"),
        (False, "no"),
        (3, "3"),
        (2 / 3, "0.66667"),
        ({"a": 1, "b": "x"}, "a=1 b=x"),
        (6.0, "6"),
        (100.0, "100"),
        (0.0, "0"),
        (-2.5, "-2.5"),
        (0.00012345, "0.00012"),
        (123456.789, "123456.789"),
        ([1, 0.5, None], "1, 0.5, -"),
        ([{"a": 1}, {"a": 2}], "a=1\na=2"),
    ],
)
def test_cell_of_a_value(value, cell):
    assert output.text(value) == cell


def test_a_table_takes_text_as_it_is(capsys):
    output.table("T", ("one", "two"), [("[bold]", ":smile:")])
    assert rows_of(capsys.readouterr().out) == [["[bold]", ":smile:"]]
    output.facts("T", {"size": 3, "regular": True})
    assert rows_of(capsys.readouterr().out) == [["size", "3"], ["regular", "yes"]]


def test_large_answers_are_written_in_pieces_and_read_as_one(capsys):
    output.print_json_rows("next", np.array([[-1, 1], [0, -1]]), {"network": "x"})
    assert json.loads(capsys.readouterr().out) == {"network": "x", "next": [[-1, 1], [0, -1]]}
    output.print_json_lists("rounds", [[{"a": 1}, 2], [], [3]], {"steps": 3})
    assert json.loads(capsys.readouterr().out) == {"steps": 3, "rounds": [[{"a": 1}, 2], [], [3]]}


def test_a_matrix_has_its_indices_around_it(capsys):
    output.print_matrix(np.array([[-1, 1], [0, -1]]))
    assert capsys.readouterr().out == "   |  0  1\n---+------\n 0 | -1  1\n 1 |  0 -1\n"
