import subprocess
import sys
from pathlib import Path

import numba
from helpers.run_times import (
    COMPILING,
    LIMIT,
    SHOWN,
    WITH_CHILDREN,
    Case,
    Seconds,
    cpu_seconds,
    slowness,
    summary,
    too_long,
)


def case(name, own, children=0.0, *, long=False):
    return Case(name, Seconds(own, children), long)


QUICK, SLOW = case("quick", LIMIT / 2, LIMIT), case("slow", 9 * LIMIT, long=True)
LONG, COMPILING_TOO = case("long", LIMIT + 1), case("compiling", 1.2, WITH_CHILDREN)


def test_long_cases_must_be_marked():
    assert too_long([QUICK, SLOW, LONG, COMPILING_TOO]) == [COMPILING_TOO, LONG]
    assert too_long([QUICK, SLOW]) == []
    assert too_long([QUICK, SLOW, LONG, COMPILING_TOO], 1.07) == [LONG]  # on a slower machine
    assert too_long([LONG, COMPILING_TOO], 1.2) == []


def test_a_machine_is_at_least_as_slow_as_the_reference():
    assert 1 <= slowness() < 20


def test_a_summary_names_the_longest_cases_and_those_that_are_too_long():
    many = [case(f"case_{n}", n / 10) for n in range(50)]
    lines = summary([*many, LONG, COMPILING_TOO], 12.4)
    assert lines[0] == "52 cases, 12 s, 155 s of processor; the longest:"
    assert [line.split()[-1] for line in lines[1:4]] == ["compiling", "long", "case_49"]
    assert lines[1 + SHOWN :] == [
        "compiling takes 21.2 s of processor: it must take at most 20 s, or be marked slow",
        "long takes 11.0 s of its own processor: it must take at most 10 s, or be marked slow",
    ]


def test_children_count():
    before = cpu_seconds()
    subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True)
    assert cpu_seconds().since(before).children > 0.02


def test_what_numba_compiles_does_not_count():
    @numba.njit
    def doubled(numbers):
        return [number * 2 for number in numbers]

    compiled, before = COMPILING.seconds, cpu_seconds()
    assert doubled(numba.typed.List([1, 2])) == [2, 4]
    spent = COMPILING.seconds - compiled
    assert spent > 0.05
    assert cpu_seconds().since(before).own < spent / 2 + 0.1


RUN = """
import resource, sys, pytest
from helpers import run_times
run_times.LIMIT = 0.2
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-c", sys.argv[1], sys.argv[2]]))
"""

CASES = """
import time, pytest
def work():
    began = time.process_time()
    while time.process_time() - began < 0.6: pass
def test_short(): pass
def test_long(): work()
@pytest.mark.slow
def test_slow(): work()
"""


def test_a_run_with_a_case_that_is_too_long_fails(tmp_path):
    tests = Path(__file__).parents[1]
    (tmp_path / "conftest.py").write_text((tests / "conftest.py").read_text())
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nmarkers = slow: long\npythonpath = {tests}\n")
    (tmp_path / "test_cases.py").write_text(CASES)
    words = [sys.executable, "-c", RUN, str(tmp_path / "pytest.ini"), str(tmp_path)]
    done = subprocess.run(words, cwd=tests, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "3 passed" in done.stdout
    (line,) = [line for line in done.stdout.splitlines() if line.endswith("or be marked slow")]
    assert line.startswith("test_cases.py::test_long takes ")
