import csv
import io
import sys

import numpy as np
import pytest
from knotwork.errors import ConfigurationError, ToolError
from knotwork_sim.columns import Table, check_table

TABLE = Table(
    {
        "number": np.array([1, 2]),
        "cycle": np.ma.array([7, -1], mask=[False, True]),
        "load": np.array([0.5, 0.25]),
        "status": np.array(["delivered", "lost"]),
    }
)


def test_an_unknown_entry_is_none_and_empty_in_csv():
    assert TABLE.rows()[1] == {"number": 2, "cycle": None, "load": 0.25, "status": "lost"}
    assert list(csv.DictReader(io.StringIO(TABLE.csv()))) == [
        {"number": "1", "cycle": "7", "load": "0.5", "status": "delivered"},
        {"number": "2", "cycle": "", "load": "0.25", "status": "lost"},
    ]
    assert len(TABLE) == 2
    assert repr(TABLE) == "<Table of 2 rows: number, cycle, load, status>"


def test_parquet_comes_back(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    TABLE.write(tmp_path / "a.parquet")
    back = parquet.read_table(tmp_path / "a.parquet")
    assert back.to_pylist() == TABLE.rows()
    assert str(back.schema.field("cycle").type) == "int64"


def test_a_data_frame_keeps_the_kinds_of_its_columns():
    pandas = pytest.importorskip("pandas")
    frame = TABLE.to_pandas()
    assert frame.cycle[0] == 7
    assert frame.cycle[1] is pandas.NA
    assert [str(kind) for kind in frame.dtypes[:3]] == ["int64", "Int64", "float64"]
    assert frame.status.tolist() == ["delivered", "lost"]
    assert len(Table({"a": np.zeros(0, np.int64)}).to_pandas()) == 0


def test_another_suffix_is_refused(tmp_path):
    line = r"a\.txt: a table must end in \.csv or \.parquet, not '\.txt'$"
    with pytest.raises(ConfigurationError, match=line):
        TABLE.write(tmp_path / "a.txt")
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_installed_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    line = "{0}: must be installed, with the extra '{1}': run `make setup`, or `pip install {0}`"
    with pytest.raises(ToolError, match=f"^{line.format('pyarrow', 'parquet')}$"):
        check_table(tmp_path / "a.parquet")
    with pytest.raises(ToolError, match=f"^{line.format('pandas', 'pandas')}$"):
        TABLE.to_pandas()


def test_notes_stand_before_the_names_and_pandas_skips_them(tmp_path):
    noted = Table(TABLE.columns, {"command": "knotwork x", "two lines": "a\nb"})
    head = "# command: knotwork x\n# two lines: a b\n"
    assert noted.csv() == head + TABLE.csv()
    assert noted.rows() == TABLE.rows()
    pandas = pytest.importorskip("pandas")
    noted.write(tmp_path / "a.csv")
    frame = pandas.read_csv(tmp_path / "a.csv", comment="#")
    assert frame.columns.tolist() == list(TABLE.columns)
    assert noted.to_pandas().attrs == noted.notes
    parquet = pytest.importorskip("pyarrow.parquet")
    noted.write(tmp_path / "a.parquet")
    told = parquet.read_schema(tmp_path / "a.parquet").metadata
    assert told[b"command"] == b"knotwork x"
