"""CSV files of users: columns by name, and errors that name the line."""

import pytest
from knotwork.csv_columns import columns_text, read_columns
from knotwork.errors import ConfigurationError


def written(folder, text):
    path = folder / "given.csv"
    path.write_text(text, encoding="utf-8-sig")
    return path


def test_columns_come_in_any_order_and_those_that_are_missing_are_empty(tmp_path):
    path = written(tmp_path, "B, a\n\n1, 2\n3, 4\n")
    assert read_columns(path, ("a", "b"), ("c",)) == (
        [3, 4],
        {"a": ["2", "4"], "b": ["1", "3"], "c": ["", ""]},
    )


def test_what_is_written_is_what_is_read(tmp_path):
    columns = {"a": ["1", "x"], "b": ["", "y"]}
    assert columns_text(columns) == "a,b\n1,\nx,y\n"
    assert read_columns(written(tmp_path, columns_text(columns)), ("a", "b")) == ([2, 3], columns)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "given.csv: line 1 must name the columns a,b, not be missing"),
        ("a,c\n", "given.csv: line 1 must name the columns a,b, and may name c, not 'a,c'"),
        ("a,b,d\n", "given.csv: line 1 must name the columns a,b, and may name c, not 'a,b,d'"),
        ("a,b,b\n", "given.csv: line 1 must name the columns a,b, and may name c, not 'a,b,b'"),
        ("a,b\n1\n", "given.csv: line 2 must have 2 fields, not 1"),
        ('a,b\n1,"2\n', None),
    ],
)
def test_what_is_no_such_file_is_refused(tmp_path, text, words):
    path = written(tmp_path, text)
    if words is None:  # a quoted field that the file's end closes
        assert read_columns(path, ("a", "b"))[1]["b"] == ["2"]
        return
    with pytest.raises(ConfigurationError) as refused:
        read_columns(path, ("a", "b"), ("c",))
    assert str(refused.value) == words


def test_fields_that_csv_does_not_read_are_refused(tmp_path):
    path = written(tmp_path, "a,b\n1," + "2" * 200_000 + "\n")
    with pytest.raises(ConfigurationError) as refused:
        read_columns(path, ("a", "b"))
    assert str(refused.value).startswith(
        "given.csv: line 2 must be fields separated by commas: field larger than field limit"
    )


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match=r"no\.csv: must be a readable CSV file: "):
        read_columns(tmp_path / "no.csv", ("a",))
