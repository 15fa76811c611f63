"""The mark of a function that Numba may compile."""

from knotwork.routing.compiled import compilable as marks
from knotwork.routing.compiled.compilable import compilable, register_marked


def test_functions_are_registered_whether_marked_before_or_after(monkeypatch):
    monkeypatch.setattr(marks, "_marked", [])
    monkeypatch.setattr(marks, "_registrars", [])

    @compilable
    def before(number):
        return number + 1

    registered = []
    register_marked(registered.append)
    assert registered == [before]

    @compilable
    def after(number):
        return number + 2

    assert registered == [before, after]
    assert (before(1), after(1)) == (2, 3)
