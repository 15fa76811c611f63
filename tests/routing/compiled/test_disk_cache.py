"""The files that decide what a compiled function does."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from knotwork.routing.compiled import calls, compilable, disk_cache
from knotwork.routing.compiled.disk_cache import (
    CacheFiles,
    cache_on_disk,
    digest,
    transitive_imports,
)
from knotwork_sim.model.packet import credits
from numba import njit


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Package of the project's name, with a module that imports in all forms."""
    folder = tmp_path / "knotwork_toy"
    (folder / "inner").mkdir(parents=True)
    modules = {
        "__init__": "",
        "inner/__init__": "",
        "inner/loop": "from .. import near\nfrom ..far import (\n    A,  # why\n    B,\n)\n"
        "from .beside import C\n",
        "inner/beside": "from . import last\n",
        "inner/last": "import knotwork_toy.least as it\n",
        "least": "",
        "near": "def f():\n    import knotwork_toy.late, numpy\n",
        "far": "import os\n",
        "late": "from knotwork_toy import inner as there\n",
        "apart": "",
    }
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    for cached in (
        *(disk_cache.transitive_imports, disk_cache._imported),
        *(disk_cache._file_of, disk_cache._content_digest),
    ):
        cached.cache_clear()


def test_all_forms_of_imports_are_followed(package):
    found = {str(p.relative_to(package)) for p in transitive_imports(package / "inner/loop.py")}
    own = {"inner/loop.py", "inner/beside.py", "inner/last.py"}
    own |= {"near.py", "far.py", "late.py", "least.py"}
    assert found == own | {"__init__.py", "inner/__init__.py"}


def test_imports_of_another_package_are_followed():
    reached = {Path(module.__file__) for module in (credits, calls, compilable)}
    assert reached <= transitive_imports(Path(credits.__file__))


def test_a_digest_changes_with_an_import(package):
    before = digest(package / "inner/loop.py")
    disk_cache._content_digest.cache_clear()
    (package / "apart.py").write_text("A = 1\n")
    assert digest(package / "inner/loop.py") == before
    (package / "late.py").write_text("A = 1\n")
    disk_cache._content_digest.cache_clear()
    assert digest(package / "inner/loop.py") != before


def total(numbers):
    """Sum; also of what stands behind a comma, if there is any."""
    found = numbers[0] * 0
    for number in numbers:
        found += number
    return found


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """Makes dispatchers that cache_on_disk their code in one folder."""
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path / "cache"))

    def make():
        dispatcher = njit(total)
        cache_on_disk(dispatcher)
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
    kept_files = CacheFiles(tmp_path, "name")
    monkeypatch.setattr(CacheFiles, "_path", lambda *_: tmp_path / "one")
    kept_files.save("key", "code")
    assert (kept_files.load("key"), kept_files.load("other")) == ("code", None)


def test_without_a_folder_that_can_be_written_nothing_is_kept(compiled, tmp_path, monkeypatch):
    dispatcher = compiled()
    (tmp_path / "cache").rename(tmp_path / "away")
    (tmp_path / "cache").write_text("a file")
    assert dispatcher(WHOLE) == 10

    def find_none(_):
        raise RuntimeError("no locator available")

    monkeypatch.setattr(disk_cache, "FunctionDiskCache", find_none)
    assert compiled()(WHOLE) == 10


def test_compilations_are_told_as_one(compiled, monkeypatch):
    told = []

    @contextmanager
    def progress(what):
        told.append(what)
        yield
        told.append("done")

    monkeypatch.setattr(disk_cache, "progress", progress)
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
    write, begun = disk_cache.write_file, []

    def write_after_the_other(path, content):
        if not begun:
            begun.append(path)
            second(FRACTIONS)
        write(path, content)

    monkeypatch.setattr(disk_cache, "write_file", write_after_the_other)
    assert first(WHOLE) == 10
    third = compiled()
    assert (third(WHOLE), third(FRACTIONS)) == (10, 5.0)
    assert sum(third.stats.cache_hits.values()) == 2


def test_what_is_kept_is_known_before_it_is_loaded(compiled):
    first, again = compiled(), compiled()
    assert not disk_cache.is_cached(first)
    first(WHOLE)
    assert disk_cache.is_cached(first)
    assert disk_cache.is_cached(again)
    first._cache.flush()
    assert not disk_cache.is_cached(again)


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
