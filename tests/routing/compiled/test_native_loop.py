"""Loops that are compiled once, kept on disk, and called without Numba."""

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import pytest
from knotwork import progress
from knotwork.routing.compiled import native_code, native_loop, numba_compiler
from knotwork.routing.compiled.calls import intrinsic, kept_on_disk, part
from knotwork.routing.compiled.native_loop import NativeLoop


class Inner(NamedTuple):
    share: float
    small: np.int32
    seed: np.uint64
    is_on: bool


class Arrays(NamedTuple):
    first: np.ndarray
    second: np.ndarray


class Outer(NamedTuple):
    table: np.ndarray
    inner: Inner
    arrays: Arrays
    records: np.ndarray


RECORD = np.dtype([("a", np.int32), ("b", np.bool_), ("c", np.int64)], align=True)


def add_up(outer, factor):
    """Sums by kind of number, and what came as such."""
    rows, columns = outer.table.shape
    total = 0
    for row in range(rows):
        for column in range(columns):
            total += outer.table[row, column]
    for record in outer.records:
        total += record.a * record.c + record.b
    outer.table[0, 0] = outer.arrays.first[-1] - len(outer.arrays.second)
    again = Inner(outer.inner.share * 2, outer.inner.small, outer.inner.seed, not outer.inner.is_on)
    return again, (total * factor,), total > 10


def arguments():
    records = np.zeros(3, RECORD)
    records["a"], records["b"], records["c"] = (1, 2, 3), True, 2**40
    inner = Inner(0.25, np.int32(-7), np.uint64(2**63 + 5), True)
    arrays = Arrays(np.arange(3, dtype=np.int16), np.zeros(3))
    return Outer(np.arange(12).reshape(3, 4)[:, ::2], inner, arrays, records), 3


def test_compiled_code_gives_what_python_gives(folder):
    given, again = arguments(), arguments()
    again = again[0]._replace(records=again[0].records.view(np.recarray)), *again[1:]
    result = NativeLoop(add_up, {"_nrt": False})(*given)
    assert result == add_up(*again)
    assert type(result[0]) is Inner
    assert [type(value) for value in result[0]] == [float, int, int, bool]
    np.testing.assert_array_equal(given[0].table, again[0].table)
    assert given[0].table[0, 0] == -1
    del folder


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Empty folder of compiled loops; `compilations` counts what is compiled."""
    monkeypatch.setenv("KNOTWORK_CACHE", str(tmp_path))
    monkeypatch.setattr(progress, "_unkept", [])
    return tmp_path / "loops"


@pytest.fixture
def compiled(monkeypatch):
    """Names of the loops that Numba compiles."""
    names, compile_entry = [], numba_compiler.compile_entry

    def count(loop, *rest):
        names.append(loop.__name__)
        return compile_entry(loop, *rest)

    monkeypatch.setattr(numba_compiler, "compile_entry", count)
    return names


def total(numbers):
    """Sum of numbers."""
    found = numbers[0] * 0
    for number in numbers:
        found += number
    return found


def make():
    return NativeLoop(total, {"_nrt": False})


INTEGERS, FRACTIONS = np.arange(5), np.arange(5) / 2


def test_a_loop_is_compiled_once_for_each_combination_of_types(folder, compiled):
    first, second = make(), make()
    assert not first.is_compiled
    assert (first(INTEGERS), first(FRACTIONS), first(INTEGERS[::2])) == (10, 5.0, 6)
    assert len(list(folder.iterdir())) == len(compiled) == 3
    assert (first(INTEGERS), second(INTEGERS), second(FRACTIONS)) == (10, 10, 5.0)
    assert len(compiled) == 3
    assert first.is_compiled
    assert make().is_compiled


def test_a_bound_loop_has_its_first_arguments(folder, compiled):
    @kept_on_disk(_nrt=False)
    def scale(numbers, seed, factor):
        numbers[0] += 1
        return numbers.sum() * factor, seed

    given = np.zeros(3, np.int64)
    call = scale.bind(given, np.uint64(2**64 - 1))
    assert [call(2), call(2), call(0.5)] == [(2, 2**64 - 1), (4, 2**64 - 1), (1.5, 2**64 - 1)]
    assert scale(given, np.uint64(0), 1) == (4, 0)
    assert compiled == ["scale", "scale"]
    del folder


@pytest.mark.parametrize(
    "damage",
    [
        *(lambda _: b"", lambda content: content[:-100], lambda _: b"x" * 1000),
        lambda content: content.replace(b"\x00", b"\x01"),
    ],
    ids=["empty", "truncated", "no code", "another"],
)
def test_a_damaged_file_is_compiled_and_written_again(folder, compiled, damage):
    make()(INTEGERS)
    (path,) = folder.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    assert make()(INTEGERS) == 10
    assert make()(INTEGERS) == 10
    assert compiled == ["total", "total"]


def test_another_version_of_compiler_or_processor_compiles_again(folder, compiled, monkeypatch):
    make()(INTEGERS)
    monkeypatch.setattr(native_code, "compiler_version", lambda: "another")
    assert make()(INTEGERS) == 10
    assert compiled == ["total", "total"]
    assert len(list(folder.iterdir())) == 2


def test_code_for_other_types_is_not_taken(folder, monkeypatch):
    files = make().files
    monkeypatch.setattr(native_code.CodeFiles, "_path", lambda *_: folder / "one")
    code = native_code.NativeCode("symbol", [], "i", b"code\n\n")
    files.save("one", code)
    assert (files.load("one"), files.load("other")) == (code, None)


def _full(path, content):
    raise native_code.ConfigurationError(f"{path}: no space left on device")


@pytest.mark.parametrize("fault", ["full", "no folder", "no user", "another user's"])
def test_what_cannot_be_kept_is_reported_once_and_done(folder, compiled, monkeypatch, capfd, fault):
    monkeypatch.setattr(progress, "report", lambda line: print(line, file=sys.stderr))
    if fault == "full":
        monkeypatch.setattr(native_code, "write_file", _full)
    elif fault == "no folder":
        folder.write_text("a file")
    elif fault == "no user":
        monkeypatch.setattr(native_code, "cache_folder", lambda: None)
    else:
        make()(INTEGERS)
        make()(FRACTIONS)
        compiled.clear()
        monkeypatch.setattr(native_code, "ADMINISTRATOR", -1)
        monkeypatch.setattr(native_code.os, "geteuid", lambda: -2)
    for _ in range(2):
        loop = make()
        assert (loop(INTEGERS), loop(FRACTIONS)) == (10, 5.0)
    assert len(compiled) == 4
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == (fault != "no user")
    assert all("is not kept" in line for line in lines)


def test_the_folder_does_not_grow_without_bounds(folder, monkeypatch):
    monkeypatch.setattr(native_code, "KEPT_BYTES", 10)
    make()(INTEGERS)
    (old,) = folder.iterdir()
    make()(FRACTIONS)
    assert old.exists()  # used a moment ago: by another process, perhaps
    os.utime(old, (0, 0))
    make()(INTEGERS[::2])
    assert not old.exists()
    assert len(list(folder.iterdir())) == 2


def test_compiling_is_shown_from_the_import_of_numba_on(folder, monkeypatch):
    shown = []

    @contextmanager
    def progress(what):
        shown.append(what)
        yield
        shown.append("done")

    monkeypatch.setattr(native_loop, "progress", progress)
    for _ in range(2):
        make()(INTEGERS)
    assert shown == ["compiling rules and models with Numba", "done"]
    del folder


def test_a_loop_may_make_arrays(folder):
    @kept_on_disk()
    def squares(number):
        made = np.arange(number)
        return (made * made).sum()

    assert squares(4) == 14
    (path,) = folder.iterdir()
    assert b"NRT_" in path.read_bytes()


def test_a_loop_returns_no_array(folder):
    with pytest.raises(Exception, match="a compiled loop must return numbers, not array"):
        kept_on_disk(_nrt=False)(lambda numbers: numbers)(INTEGERS)
    with pytest.raises(TypeError, match="must be given arrays and numbers, not 'text'"):
        make()("text")
    del folder


def test_an_exception_in_a_loop_is_one_of_python(folder):
    @kept_on_disk()
    def divide(one, other):
        return one // other

    assert divide(7, 2) == 3
    with pytest.raises(ArithmeticError, match="the compiled loop divide failed"):
        divide(1, 0)
    del folder


def test_parts_and_written_code_are_inlined(folder):
    @intrinsic
    def twice(typing, number):
        del typing
        return number(number), lambda context, builder, signature, values: builder.add(
            values[0], values[0]
        )

    @part(_nrt=False, forceinline=True)
    def plus(number, other):
        return twice(number) + other

    @kept_on_disk(_nrt=False)
    def run(number):
        return plus(number, 1)

    assert run(20) == 41
    del folder


PROGRAM = """
import sys
from knotwork import Network
from knotwork.routing.compiled import rule_loop
rule_loop.PYTHON_STEPS = 0
network = Network.from_word("mesh:x=3,y=3")
network.require_deadlock_free()
print("numba" in sys.modules)
"""


def test_only_the_first_process_imports_numba(tmp_path):
    environment = os.environ | {"KNOTWORK_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", PROGRAM]
    imported = [
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert imported == ["True\n", "False\n"]


def test_processes_that_compile_at_once_leave_a_complete_file(tmp_path):
    environment = os.environ | {"KNOTWORK_CACHE": str(tmp_path)}
    running = [subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment) for _ in range(2)]
    assert [process.wait() for process in running] == [0, 0]
    last = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    assert last.stdout == "False\n"
