import os
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest
from knotwork.routing.compiled import kept
from knotwork.routing.compiled.kept import KeptFiles, keep
from numba import njit


def total(numbers):
    """Sum; also of what stands behind a comma, if there is any."""
    found = numbers[0] * 0
    for number in numbers:
        found += number
    return found


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """Makes dispatchers that keep their code in one folder."""
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path / "cache"))

    def make():
        dispatcher = njit(total)
        keep(dispatcher)
        return dispatcher

    return make


WHOLE, FRACTIONS = np.arange(5), np.arange(5) / 2


def files(folder):
    return sorted(folder.rglob("*.nbc"))


def test_a_function_is_compiled_once_for_each_signature(compiled, tmp_path):
    first, second = compiled(), compiled()
    assert (first(WHOLE), first(FRACTIONS)) == (10, 5.0)
    assert len(files(tmp_path)) == 2
    assert (second(WHOLE), second(FRACTIONS)) == (10, 5.0)
    assert sum(second.stats.cache_hits.values()) == 2
    assert not second.stats.cache_misses
    second._cache.flush()
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    "damage",
    [
        *(lambda _: b"", lambda content: content[:-100], lambda _: b"x" * 1000),
        lambda content: content.replace(b"\x00", b"\x01"),
    ],
    ids=["empty", "truncated", "no code", "another"],
)
def test_a_damaged_file_is_compiled_and_written_again(compiled, tmp_path, damage):
    compiled()(WHOLE)
    (path,) = files(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    again, after = compiled(), compiled()
    assert again(WHOLE) == 10
    assert not again.stats.cache_hits
    assert after(WHOLE) == 10
    assert after.stats.cache_hits


def test_another_version_of_numba_compiles_again(compiled, tmp_path, monkeypatch):
    compiled()(WHOLE)
    monkeypatch.setattr("numba.__version__", "0")
    again = compiled()
    assert again(WHOLE) == 10
    assert not again.stats.cache_hits


def test_a_code_of_another_key_is_not_taken(tmp_path, monkeypatch):
    kept_files = KeptFiles(tmp_path, "name")
    monkeypatch.setattr(KeptFiles, "_path", lambda *_: tmp_path / "one")
    kept_files.save("key", "code")
    assert (kept_files.load("key"), kept_files.load("other")) == ("code", None)


def test_without_a_folder_that_can_be_written_nothing_is_kept(compiled, tmp_path, monkeypatch):
    dispatcher = compiled()
    (tmp_path / "cache").rename(tmp_path / "away")
    (tmp_path / "cache").write_text("a file")
    assert dispatcher(WHOLE) == 10

    def find_none(_):
        raise RuntimeError("no locator available")

    monkeypatch.setattr(kept, "KeptFunction", find_none)
    assert compiled()(WHOLE) == 10


def test_compilations_are_told_as_one(compiled, monkeypatch):
    told = []

    @contextmanager
    def progress(what):
        told.append(what)
        yield
        told.append("done")

    monkeypatch.setattr(kept, "progress", progress)
    inner = njit(lambda number: number + 1)

    @njit
    def outer(number):
        return inner(number)

    assert outer(1) == 2
    compiled()(WHOLE)
    assert told == ["compiling rules and models with Numba", "done"] * 2


def test_processes_that_compile_at_once_do_not_take_each_others_code(compiled, monkeypatch):
    # Numba's index can name one code for both, and then read fractions as integers.
    first, second = compiled(), compiled()
    write, begun = kept.write_file, []

    def write_after_the_other(path, content):
        if not begun:
            begun.append(path)
            second(FRACTIONS)
        write(path, content)

    monkeypatch.setattr(kept, "write_file", write_after_the_other)
    assert first(WHOLE) == 10
    third = compiled()
    assert (third(WHOLE), third(FRACTIONS)) == (10, 5.0)
    assert sum(third.stats.cache_hits.values()) == 2


def test_what_is_kept_is_known_before_it_is_loaded(compiled):
    first, again = compiled(), compiled()
    assert not kept.is_kept(first)
    first(WHOLE)
    assert kept.is_kept(first)
    assert kept.is_kept(again)
    first._cache.flush()
    assert not kept.is_kept(again)


def test_a_rule_of_the_project_is_compiled_in_the_first_process_alone(tmp_path):
    program = (
        "from numba.core import event\n"
        "from knotwork import Network\n"
        "routing = Network.from_word('mesh:x=3,y=3').routing\n"
        "with event.install_recorder('numba:compile') as recorder:\n"
        "    routing.compiled_rule\n"
        "print(len(recorder.buffer))"
    )
    compilations = [
        int(
            subprocess.run(
                [sys.executable, "-c", program],
                env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
                capture_output=True,
                check=True,
            ).stdout
        )
        for _ in range(2)
    ]
    assert compilations[0] > 0
    assert compilations[1] == 0
