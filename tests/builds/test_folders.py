import errno
import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from knotwork.builds.folders import (
    CONTENTS,
    WORK_PREFIX,
    is_complete,
    kept_folder,
    sweep,
    work_folder,
)
from knotwork.errors import ConfigurationError

# Builds a folder as a slow compiler does, bit by bit, and notes in the log that it did.
BUILD = """
import sys, time
from pathlib import Path
from knotwork.builds.folders import kept_folder
from knotwork.builds.compilation import run_process

folder, log, pause = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
PARTS = "for part in 1 2 3 4 5 6 7 8; do sleep $0; echo $part >> program; echo > $part; done"

def build(work):
    with log.open("a") as file:
        file.write("begun\\n")
    (work / "made").mkdir()
    run_process(["sh", "-c", PARTS, str(pause)], folder=work / "made")
    (work / "made" / "program").rename(work / "program")
    with log.open("a") as file:
        file.write("built\\n")

kept_folder(folder, build)
print((folder / "program").read_text().split())
"""
PROGRAM = "".join(f"{part}\n" for part in range(1, 9))


def start(tmp_path, pause):
    command = [sys.executable, "-c", BUILD, tmp_path / "kept" / "it", tmp_path / "log", str(pause)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def fill(work):
    (work / "a").mkdir()
    (work / "a" / "program").write_text("whole")
    (work / "log").write_text("")


@pytest.fixture
def kept(tmp_path):
    return kept_folder(tmp_path / "kept" / "it", fill)


def refuse(_):
    raise AssertionError("built again")


def test_a_folder_is_built_once_as_an_ordinary_one_and_lists_its_files(kept, tmp_path):
    assert (kept / "a" / "program").read_text() == "whole"
    assert [path.name for path in kept.parent.iterdir()] == ["it"]
    assert kept_folder(kept, refuse) == kept
    (tmp_path / "ordinary").mkdir()
    assert kept.stat().st_mode == (tmp_path / "ordinary").stat().st_mode
    assert sorted(json.loads((kept / CONTENTS).read_bytes())) == ["a/program", "log"]
    (kept / "note").write_text("mine")
    kept_folder(kept, refuse)


def truncate(path):
    path.write_bytes(path.read_bytes()[:-3])


def flip(path):
    path.write_bytes(path.read_bytes().replace(b"w", b"v"))


DAMAGE = {
    "a file is missing": lambda folder: (folder / "a" / "program").unlink(),
    "a file is truncated": lambda folder: truncate(folder / "a" / "program"),
    "a file is another": lambda folder: flip(folder / "a" / "program"),
    "the list is missing": lambda folder: (folder / CONTENTS).unlink(),
    "the list is truncated": lambda folder: truncate(folder / CONTENTS),
    "the list is empty": lambda folder: (folder / CONTENTS).write_text(""),
    "the list is no list of files": lambda folder: (folder / CONTENTS).write_text("[1]"),
    "the list is no text": lambda folder: (folder / CONTENTS).write_bytes(b"\xff"),
    "a folder is in the place of a file": lambda folder: (
        (folder / "log").unlink(),
        (folder / "log").mkdir(),
    ),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_folder_is_built_again(kept, damage):
    damage(kept)
    assert not is_complete(kept)
    kept_folder(kept, fill)
    assert (kept / "a" / "program").read_text() == "whole"
    assert [path.name for path in kept.parent.iterdir()] == ["it"]


def test_a_folder_that_does_not_work_is_built_again(kept):
    seen = []
    kept_folder(kept, fill, works=lambda folder: bool(seen.append(folder)))
    assert set(seen) == {kept}
    kept_folder(kept, refuse, works=lambda _: True)


def test_a_file_in_the_folders_place_gives_way(tmp_path):
    (tmp_path / "it").write_text("a file")
    assert is_complete(kept_folder(tmp_path / "it", fill))


def test_a_build_that_fails_leaves_nothing(tmp_path):
    def fail(work):
        fill(work)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        kept_folder(tmp_path / "kept" / "it", fail)
    assert list((tmp_path / "kept").iterdir()) == []
    assert is_complete(kept_folder(tmp_path / "kept" / "it", fill))


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "kept").write_text("")
    told = rf"/kept/{WORK_PREFIX}it.lock: the file must be writable: "
    with pytest.raises(ConfigurationError, match=told):
        kept_folder(tmp_path / "kept" / "it", fill)
    with (
        pytest.raises(ConfigurationError, match=r"/kept: the file must be writable: "),
        work_folder(tmp_path / "kept"),
    ):
        pass


def test_eight_processes_that_want_the_same_build_it_once(tmp_path):
    processes = [start(tmp_path, 0.02) for _ in range(8)]
    said = [process.communicate(timeout=60) for process in processes]
    assert said == [(f"{PROGRAM.split()}\n", "")] * 8
    assert (tmp_path / "log").read_text() == "begun\nbuilt\n"
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["it"]


def test_a_lock_that_goes_while_it_is_looked_at_is_made_again(tmp_path, monkeypatch):
    looked_at = []
    stat = os.fstat

    def goes(handle):
        looked_at.append(handle)
        if len(looked_at) == 1:
            next((tmp_path / "kept").glob(f"{WORK_PREFIX}*.lock")).unlink()
        return stat(handle)

    monkeypatch.setattr(os, "fstat", goes)
    assert is_complete(kept_folder(tmp_path / "kept" / "it", fill))
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["it"]
    assert len(looked_at) > 1


@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)],
)
def test_builders_killed_at_random_moments_hinder_nobody(tmp_path, number):
    moments = random.Random(number)
    for _ in range(4):
        pair = [start(tmp_path, 0.02) for _ in range(2)]  # one builds, the other waits
        time.sleep(0.1 + moments.uniform(0, 0.3))
        for process in pair:
            process.send_signal(number)
        for process in pair:
            process.communicate(timeout=10)
        folder = tmp_path / "kept" / "it"
        assert is_complete(folder) or not folder.exists()
    assert start(tmp_path, 0).communicate(timeout=60) == (f"{PROGRAM.split()}\n", "")
    sweep(tmp_path / "kept", older_than=0)
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["it"]


def test_who_waits_goes_on_when_the_builder_is_killed(tmp_path):
    first = start(tmp_path, 5)
    while not (tmp_path / "log").exists():
        time.sleep(0.01)
    second = start(tmp_path, 0)
    time.sleep(0.3)
    first.kill()
    first.communicate()
    assert second.communicate(timeout=30) == (f"{PROGRAM.split()}\n", "")
    assert (tmp_path / "log").read_text() == "begun\nbegun\nbuilt\n"


def test_work_folders_of_killed_processes_are_swept_when_they_are_old(tmp_path):
    left = tmp_path / f"{WORK_PREFIX}left"
    left.mkdir()
    (left / "file").touch()
    (tmp_path / "mine").mkdir()
    with work_folder(tmp_path) as owned:
        assert left.exists(), "it is not old"
        os.utime(left, (0, 0))
        os.utime(owned, (0, 0))
        sweep(tmp_path)
        assert {path.name for path in tmp_path.iterdir()} == {owned.name, "mine"}
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_lock_goes_with_the_process_that_had_it(tmp_path):
    kept = tmp_path / "kept"

    def build(work):
        (lock,) = kept.glob(f"{WORK_PREFIX}*.lock")
        sweep(kept, older_than=-1)
        assert lock.exists(), "it is held"
        locks.append(lock)
        fill(work)

    locks = []
    kept_folder(kept / "it", build)
    locks[0].touch()  # as a process leaves it that is killed just before it ends
    sweep(kept)
    assert locks[0].exists(), "it is not old"
    sweep(kept, older_than=-1)
    assert [path.name for path in kept.iterdir()] == ["it"]


def test_a_lock_that_another_process_has_just_made_is_not_swept(tmp_path, monkeypatch):
    lock = tmp_path / f"{WORK_PREFIX}it.lock"
    lock.touch()
    flock = fcntl.flock

    def changes(handle, how):
        lock.unlink()
        lock.with_suffix(".new").touch()
        lock.with_suffix(".new").rename(lock)
        return flock(handle, how)

    monkeypatch.setattr(fcntl, "flock", changes)
    sweep(tmp_path, older_than=-1)
    assert lock.exists()


def test_sweeping_follows_no_links(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / f"{WORK_PREFIX}link").symlink_to(tmp_path / "mine")
    sweep(tmp_path, older_than=-1)
    assert (tmp_path / "mine").exists()


def test_without_locks_the_later_build_of_two_is_dropped(tmp_path, monkeypatch):
    def no_locks(*_):
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    folder = tmp_path / "it"

    def build(work):
        (kept_folder(folder, fill) / "note").write_text("another process was faster")
        fill(work)

    kept_folder(folder, build)
    assert is_complete(folder)
    assert (folder / "note").exists()
    left = tmp_path / f"{WORK_PREFIX}left"
    left.mkdir()
    sweep(tmp_path, older_than=0)
    assert left.exists(), "nobody knows whose it is"
