"""The cache: what it keeps, how long, and that work is done where it cannot be used."""

import json
import os
import shutil
from pathlib import Path

import pytest
from helpers.refusals import refuses
from knotwork import progress
from knotwork.builds import cache, folders
from knotwork.builds.cache import (
    cached_folder,
    expected_seconds,
    note_seconds,
    place,
    remove_oldest,
)
from knotwork.errors import ConfigurationError, ToolError
from knotwork.files import cache_folder


@pytest.fixture(autouse=True)
def root(monkeypatch, tmp_path):
    """Empty cache, and what is reported of it."""
    monkeypatch.setenv("KNOTWORK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_temporary", {})
    monkeypatch.setattr(progress, "_unkept", [])
    return tmp_path / "cache"


@pytest.fixture
def lines(monkeypatch):
    """Lines that are reported."""
    reported = []
    monkeypatch.setattr(progress, "report", reported.append)
    return reported


def fill(folder):
    (folder / "it").write_text("built")


def refuse(folder):
    raise AssertionError(f"{folder} must not be built")


def test_a_users_cache_is_where_the_system_or_a_variable_says(monkeypatch, tmp_path):
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("KNOTWORK_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "knotwork"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert cache_folder() == tmp_path / ".cache" / "knotwork"


def test_what_was_built_is_found_from_every_folder(monkeypatch, tmp_path, lines):
    folder = cached_folder("kind", "it", fill)
    assert folder == place("kind") / "it"
    monkeypatch.chdir(tmp_path)
    assert cached_folder("kind", "it", refuse) == folder
    assert lines == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "it").write_text("other"),
        lambda folder: (folder / folders.CONTENTS).write_text("[]"),
        lambda folder: (shutil.rmtree(folder), folder.write_text("a file")),
        lambda folder: (folder / folders.CONTENTS).unlink(),
    ],
    ids=["changed", "of another version", "a file", "incomplete"],
)
def test_what_is_damaged_is_built_again_without_a_word(lines, damage):
    damage(cached_folder("kind", "it", fill))
    assert (cached_folder("kind", "it", fill) / "it").read_text() == "built"
    assert cached_folder("kind", "it", refuse)
    assert lines == []


def occupied(root, monkeypatch):
    root.write_text("a file")


def full(root, monkeypatch):
    def write_file(path, content):
        if root in path.parents:
            raise ConfigurationError(f"{path}: the file must be writable: No space left on device")
        path.write_text(content)

    monkeypatch.setattr(folders, "write_file", write_file)


def foreign(root, monkeypatch):
    place("kind").mkdir(parents=True)
    if os.geteuid() == 0:
        os.chown(place("kind"), 12345, 12345)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 54321)


def read_only(root, monkeypatch):
    place("kind").mkdir(parents=True)

    def mkdtemp(*args, dir=None, made=folders.tempfile.mkdtemp, **keys):
        if dir == place("kind"):
            raise PermissionError(13, "Permission denied")
        return made(*args, dir=dir, **keys)

    monkeypatch.setattr(folders.tempfile, "mkdtemp", mkdtemp)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (occupied, "Not a directory"),
        (full, "No space left on device"),
        (foreign, "must belong to this user"),
        (read_only, "Permission denied"),
    ],
)
def test_the_work_is_done_without_a_cache_and_one_line_says_so(
    root, monkeypatch, lines, spoil, reason
):
    spoil(root, monkeypatch)
    folder = cached_folder("kind", "it", fill)
    assert (folder / "it").read_text() == "built"
    assert root not in folder.parents
    assert cached_folder("kind", "it", refuse) == folder  # for as long as this process runs
    assert cached_folder("kind", "other", fill) != folder
    (line,) = lines
    assert line.startswith("what is compiled is not kept, and compiled again each time: ")
    assert reason in line and "\n" not in line


def test_a_build_that_fails_is_tried_once_unless_the_disk_is_full(monkeypatch, lines):
    tried = []

    def fail(folder):
        tried.append(folder)
        raise ToolError("the compiler must finish")

    with refuses("the compiler must finish", ToolError):
        cached_folder("kind", "it", fail)
    assert (len(tried), lines) == (1, [])
    monkeypatch.setattr(cache, "_NEEDED_BYTES", 1 << 62)
    with refuses("the compiler must finish", ToolError):
        cached_folder("kind", "it", fail)
    assert len(tried) == 3
    assert "must have space" in lines[0]


def test_what_was_used_longest_ago_goes_first():
    kept = {name: cached_folder("kind", name, fill) for name in "abcd"}
    (place("kind") / f"{folders.WORK_PREFIX}other").mkdir()  # another process's
    size = cache._size(kept["a"])
    for age, name in enumerate("dbca"):
        used = kept[name] / folders.CONTENTS
        os.utime(used, (1e9 - age, 1e9 - age))
    cached_folder("kind", "a", refuse)  # is used now
    remove_oldest(place("kind"), limit=2 * size)
    assert {path.name for path in place("kind").iterdir()} == {"a", "d", ".knotwork-other"}
    remove_oldest(place("kind"), limit=0)
    assert (kept["a"] / "it").exists()  # may be in use


def test_a_cache_is_bounded_with_each_build(monkeypatch):
    old = cached_folder("kind", "old", fill)
    os.utime(old / folders.CONTENTS, (1e9, 1e9))
    monkeypatch.setattr(cache, "KEPT_BYTES", 1)
    cached_folder("kind", "new", fill)
    assert not old.exists()


def test_durations_are_those_of_this_machine_and_damage_is_forgotten(root):
    assert expected_seconds("work") is None
    note_seconds("work", 10.0, 5.0)
    assert expected_seconds("work", 3.0) == 6.0
    note_seconds("work", 20.0, 5.0)
    assert expected_seconds("work") == 3.0
    for text in ("{", "[]", '{"work": "long"}', '{"work": null}', '{"work": NaN}'):
        (root / cache.DURATIONS).write_text(text)
        assert expected_seconds("work") is None
    note_seconds("work", 1.0)
    assert json.loads((root / cache.DURATIONS).read_text()) == {"work": 1.0}
    shutil.rmtree(root)
    root.write_text("a file")
    note_seconds("work", 1.0)  # nobody is told
    assert expected_seconds("work") is None
