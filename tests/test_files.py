"""Files that are written whole, CSV columns, and kinds of failures."""

import os
import stat
import threading
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from knotwork import GraphFile, Hypercube, Network, errors, files
from knotwork.emit import write_network
from knotwork.errors import ConfigurationError
from knotwork.files import columns_text, read_columns, read_json, write_file, write_files
from knotwork.network_words import read_toml
from knotwork.routing.generated.rate_matrix import RateMatrix
from knotwork.routing.scheduling.messages import read_matrix
from knotwork.user_defined.plugins import load_plugin
from knotwork_soc import System

HYPERCUBE = Network(Hypercube(n=1))
SCHEDULED = Network.from_word("lcan:d=2,u=2,levels=2,routing=scheduled")


def test_files_and_columns_are_read_as_they_are_written(tmp_path):
    write_file(tmp_path / "a" / "b" / "text", "Möbius\n")
    write_file(tmp_path / "a" / "bytes", b"\x00\xff")
    assert (tmp_path / "a" / "b" / "text").read_bytes() == "Möbius\n".encode()
    assert (tmp_path / "a" / "bytes").read_bytes() == b"\x00\xff"
    columns = {"a": ["1", "x"], "b": ["", "y"]}
    assert columns_text(columns) == "a,b\n1,\nx,y\n"
    assert read_columns(written(tmp_path, columns_text(columns)), ("a", "b")) == ([2, 3], columns)
    path = written(tmp_path, "B, a\n\n1, 2\n3, 4\n")
    assert read_columns(path, ("a", "b"), ("c",)) == (
        [3, 4],
        {"a": ["2", "4"], "b": ["1", "3"], "c": ["", ""]},
    )


def test_files_are_replaced_with_the_permissions_of_an_ordinary_one(tmp_path):
    path = tmp_path / "file"
    write_file(path, "old")
    write_file(path, "new")
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]
    (tmp_path / "ordinary").write_text("")
    write_file(tmp_path / "whole", "")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("ordinary", "whole")]
    assert modes[0] == modes[1]


def test_folders_in_the_place_of_files_are_refused_in_one_line(tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(ConfigurationError) as refusal:
        write_file(tmp_path / "out", "x")
    assert str(refusal.value) == f"{tmp_path / 'out'}: the file must be writable: Is a directory"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]
    (tmp_path / "file").write_text("kept")
    path = tmp_path / "file" / "inner.v"
    with pytest.raises(ConfigurationError) as refusal:
        write_file(path, "x")
    assert str(refusal.value) == f"{path}: the file must be writable: {path.parent} is not a folder"
    assert (tmp_path / "file").read_text() == "kept"


def test_failure_half_way_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_file(path, "old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(ConfigurationError, match="must be writable: No space left on device"):
        write_file(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("last", ["old/b", "folder"])
def test_of_several_files_none_is_written_where_one_cannot_be(tmp_path, last):
    (tmp_path / "old").write_text("old")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    names = ["a", "old", "deep/er/c", last]
    with pytest.raises(ConfigurationError, match=f"{last}: the file must be writable: "):
        write_files({tmp_path / name: "new" for name in names})
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "old").read_text() == "old"
    write_files({tmp_path / name: name for name in names[:3]})
    assert [(tmp_path / name).read_text() for name in names[:3]] == names[:3]


@pytest.mark.parametrize("content", [None, b"[1,", b"\xff", b"[" * 100_000])
def test_what_is_no_json_file_is_refused(tmp_path, content):
    path = tmp_path / "given.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"given\.json: must be a readable JSON file: "):
        read_json(path)
    path.write_text("[1, null]", encoding="utf-8")
    assert read_json(path) == [1, None]


@pytest.mark.parametrize(
    ("kind", "builtin", "status"),
    [
        (errors.ConfigurationError, ValueError, 2),
        (errors.DeadlockError, ValueError, 2),
        (errors.ToolError, RuntimeError, 2),
        (errors.CheckFailedError, Exception, 1),
    ],
)
def test_an_expected_failure_is_known_by_kind_and_has_a_status(kind, builtin, status):
    failure = kind("what went wrong")
    assert isinstance(failure, errors.KnotworkError)
    assert isinstance(failure, builtin)
    assert failure.status == status


def written(folder, text):
    path = folder / "given.csv"
    path.write_text(text, encoding="utf-8-sig")
    return path


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


def test_columns_that_cannot_be_read_are_refused(tmp_path):
    path = written(tmp_path, "a,b\n1," + "2" * 200_000 + "\n")
    with pytest.raises(ConfigurationError) as refused:
        read_columns(path, ("a", "b"))
    assert str(refused.value).startswith(
        "given.csv: line 2 must be the fields of a table: field larger than field limit"
    )
    with pytest.raises(ConfigurationError, match=r"no\.csv: must be a readable CSV file: "):
        read_columns(tmp_path / "no.csv", ("a",))


@pytest.mark.parametrize(
    ("read", "what"),
    [
        (read_json, "JSON file"),
        (read_toml, "TOML file"),
        (lambda path: read_columns(path, ("a",)), "CSV file"),
        (lambda path: read_matrix(path, 3), "matrix"),
        (RateMatrix.read, "matrix"),
        (load_plugin, "Python file"),
    ],
)
def test_a_file_without_end_is_refused_at_the_limit(read, what):
    with pytest.raises(ConfigurationError) as refused:
        read(Path("/dev/zero"))
    assert str(refused.value) == f"/dev/zero: must be a {what} of at most 64 MiB, not of more"


def test_a_file_may_have_as_much_as_the_limit_and_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(files, "MOST_LINES", 1 << 18)
    path = tmp_path / "lines"
    path.write_text("abc\n" * (1 << 18))
    assert len(files.read_lines(path, "list")) == 1 << 18
    path.write_text("abc\n" * (1 << 18) + "a")
    with pytest.raises(ConfigurationError, match="lines: must be a list of at most 1 MiB, not of"):
        files.read_lines(path, "list")
    path.write_text("\n" * (1 + (1 << 18)))
    with pytest.raises(
        ConfigurationError, match="lines: must be a list of at most 262144 lines, not of 262145"
    ):
        files.read_lines(path, "list")


@pytest.mark.parametrize("sign", [",", ";", "\t", "  ", " , "])
def test_fields_are_separated_as_in_the_first_line(tmp_path, sign):
    rows = [["a", "b"], ["1", "2"], ["3", "4"]]
    path = written(tmp_path, "".join(f" {sign.join(row)} \n" for row in rows))
    lines, found = read_columns(path, ("a", "b"))
    assert (lines, [field.strip() for field in found["b"]]) == ([2, 3], ["2", "4"])


def test_output_goes_through_links_and_into_what_is_no_file(tmp_path):
    real, link, pipe = tmp_path / "real", tmp_path / "link", tmp_path / "pipe"
    real.write_text("old")
    link.symlink_to("real")
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_files({link: "new", pipe: "said"})
    reader.join()
    assert (real.read_text(), link.is_symlink(), pipe.is_fifo()) == ("new", True, True)
    assert read == ["said"]
    (tmp_path / "ahead").symlink_to("none_yet")
    write_files({tmp_path / "ahead": "made"})
    assert (tmp_path / "none_yet").read_text() == "made"


def test_a_device_that_takes_nothing_leaves_all_as_it_was(tmp_path):
    other = tmp_path / "other"
    with pytest.raises(ConfigurationError) as refused:
        write_files({other: "new", Path("/dev/full"): "said"})
    assert str(refused.value) == ("/dev/full: the file must be writable: No space left on device")
    assert not other.exists()
    assert not Path("/dev/full").is_file()


def test_a_name_that_no_file_can_have_is_refused_in_one_line(tmp_path):
    with pytest.raises(ConfigurationError, match=r"n: the file must be writable: File name too lo"):
        write_file(tmp_path / ("n" * 300), "")
    assert list(tmp_path.iterdir()) == []


PUBLIC = {
    "a folder": [
        ("knotwork.emit.package", lambda m, path: m.write_network(HYPERCUBE, path)),
        ("knotwork_soc.emit", lambda m, path: m.write_system(System(HYPERCUBE), path)),
    ],
    "a graph file": [("knotwork", lambda m, path: m.GraphFile.read(path))],
    "a CSV file": [
        ("knotwork.routing.table_file", lambda m, path: m.RouteFile.read(path)),
        ("knotwork_sim.traffic.files", lambda m, path: m.PacketList.read(path)),
    ],
    "a matrix": [
        ("knotwork.routing.generated.rate_matrix", lambda m, path: m.RateMatrix.read(path)),
        ("knotwork.routing.scheduling.messages", lambda m, path: m.read_matrix(path, 2)),
    ],
    "a JSON file": [
        ("knotwork.routing.scheduling.messages", lambda m, path: m.read_permutation(path, 2)),
        ("knotwork_sim.check.simulate", lambda m, path: m.read_schedule(SCHEDULED, path)),
    ],
    "a file of messages": [
        ("knotwork.routing.scheduling.messages", lambda m, path: m.read_messages(path, 2))
    ],
    "a Python file": [("knotwork.user_defined.plugins", lambda m, path: m.load_plugin(path))],
    "a table": [("knotwork_sim.columns", lambda m, path: m.Table({}).write(path))],
    "a figure": [
        (
            "knotwork_sim.sweep.plots.growth_plots",
            lambda m, path: m.write_figure(path, [], title="", notes={}),
        )
    ],
    "a figure or a table": [
        ("knotwork_sim.sweep.plots.load_plots", lambda m, path: m.write_sweep(path, None))
    ],
    "a trace": [
        ("knotwork_sim", lambda m, path: m.simulate("hypercube:n=20", trace_file=path)),
        (
            "knotwork_sim.trace.document",
            lambda m, path: m.write_trace(path, None, None, command=""),
        ),
    ],
    "a sweep's results": [
        ("knotwork_sim", lambda m, path: m.sweep("hypercube:n=20", results_file=path))
    ],
    "a bitstream's folder": [
        ("knotwork_boards.flow", lambda m, path: m.build_bitstream(HYPERCUBE, None, path))
    ],
    "a report's folder": [
        ("knotwork_boards.flow", lambda m, path: m.build_bitstream(HYPERCUBE, None, report=path))
    ],
    "a bitstream": [("knotwork_boards.flash", lambda m, path: m.write_flash(None, path))],
    "a file": [("knotwork.files", lambda m, path: m.write_file(path, ""))],
}
"""Public functions that take the path of a thing, by the thing: what calls each with a path."""
CALLS = [(what, *call) for what, calls in PUBLIC.items() for call in calls]


@pytest.mark.parametrize(("what", "module", "call"), CALLS)
@pytest.mark.parametrize("path", [3, b"name.svg", None])
def test_what_is_no_path_is_refused_before_any_work(what, module, call, path):
    if path is None and module in {"knotwork_sim", "knotwork_boards.flow"}:
        return  # what need not be named
    with pytest.raises(ConfigurationError) as refusal:
        call(import_module(module), path)
    assert str(refusal.value) == (f"the path of {what} must be a str or a PathLike, not {path!r}")


def test_paths_may_be_texts(tmp_path):
    columns = import_module("knotwork_sim.columns")
    table = columns.Table({"a": np.array([1, 2])})
    for path in (tmp_path / "a.csv", f"{tmp_path}/b.csv"):
        table.write(path)
        assert Path(path).read_text() == "a\n1\n2\n"
    (tmp_path / "a.edges").write_text("0 1\n")
    graph = GraphFile.read(tmp_path / "a.edges")
    assert GraphFile.read(f"{tmp_path}/a.edges") == graph
    assert write_network(HYPERCUBE, f"{tmp_path}/noc")[0].parent == tmp_path / "noc"
