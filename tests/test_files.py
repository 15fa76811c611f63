import os
import stat

import pytest
from knotwork.errors import ConfigurationError
from knotwork.files import read_json, write_all, write_whole


def test_makes_the_folder_and_writes_text_and_bytes(tmp_path):
    write_whole(tmp_path / "a" / "b" / "text", "Möbius\n")
    write_whole(tmp_path / "a" / "bytes", b"\x00\xff")
    assert (tmp_path / "a" / "b" / "text").read_bytes() == "Möbius\n".encode()
    assert (tmp_path / "a" / "bytes").read_bytes() == b"\x00\xff"


def test_replaces_and_leaves_nothing_beside(tmp_path):
    path = tmp_path / "file"
    write_whole(path, "old")
    write_whole(path, "new")
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_file_has_the_permissions_of_an_ordinary_one(tmp_path):
    (tmp_path / "ordinary").write_text("")
    write_whole(tmp_path / "whole", "")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("ordinary", "whole")]
    assert modes[0] == modes[1]


def test_folder_that_is_a_file_is_refused_in_one_line(tmp_path):
    (tmp_path / "file").write_text("kept")
    path = tmp_path / "file" / "inner.v"
    with pytest.raises(ConfigurationError) as refusal:
        write_whole(path, "x")
    assert str(refusal.value) == f"{path}: the file must be writable: {path.parent} is not a folder"
    assert (tmp_path / "file").read_text() == "kept"


def test_name_that_is_a_folder_is_refused_and_nothing_is_left(tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(ConfigurationError) as refusal:
        write_whole(tmp_path / "out", "x")
    assert str(refusal.value) == f"{tmp_path / 'out'}: the file must be writable: Is a directory"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_failure_half_way_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_whole(path, "old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(ConfigurationError, match="must be writable: No space left on device"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("last", ["old/b", "folder"])
def test_of_several_files_none_is_written_where_one_cannot_be(tmp_path, last):
    (tmp_path / "old").write_text("old")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    names = ["a", "old", "deep/er/c", last]
    with pytest.raises(ConfigurationError, match=f"{last}: the file must be writable: "):
        write_all({tmp_path / name: "new" for name in names})
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "old").read_text() == "old"
    write_all({tmp_path / name: name for name in names[:3]})
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
