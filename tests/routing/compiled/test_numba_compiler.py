"""What Numba shows while it compiles."""

from contextlib import contextmanager

from knotwork.routing.compiled import numba_compiler
from numba import njit


def test_compilations_are_shown_as_one(monkeypatch):
    shown = []

    @contextmanager
    def progress(what):
        shown.append(what)
        yield
        shown.append("done")

    monkeypatch.setattr(numba_compiler, "progress", progress)
    inner = njit(lambda number: number + 1)

    @njit
    def outer(number):
        return inner(number)

    assert outer(1) == 2
    assert shown == ["compiling rules and models with Numba", "done"]
