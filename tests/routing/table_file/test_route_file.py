"""Rows of a routing table as text: from a file, from Python, and written again."""

import pytest
from knotwork.errors import ConfigurationError
from knotwork.routing.table_file import RouteFile


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
def test_what_is_no_row_is_refused(row):
    with pytest.raises(ConfigurationError) as refused:
        RouteFile.of([(0, 1, "R", 0), row])
    assert str(refused.value) == (
        "table_file: row 1 must be (router, destination, port, vc), and may end with input, "
        f"input_vc, not {row!r}"
    )
