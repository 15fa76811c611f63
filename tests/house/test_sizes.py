import pytest
from house.sizes import CLASS, ELABORATE, FILE, FOLDER, FUNCTION, crowded, judged, oversized
from house.sources import Module


def lines(head, count, indent=4):
    """Definition of so many lines."""
    return "\n".join([head, *[" " * indent + "pass"] * (count - 1)]) + "\n"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("pass\n" * (FILE + 1), "m"),
        (lines("class A:", CLASS + 1), "m.A"),
        (lines("def f():", FUNCTION + 1), "m.f"),
        ("class A:\n" + lines("    def elaborate(self):", ELABORATE + 1, 8), "m.A.elaborate"),
        ("def outer():\n" + lines("    def inner():", FUNCTION, 8) + "    return 1\n", "m.outer"),
        ("def f(a, b, c, d, e, *, f, g, h, i, j): pass", "m.f()"),
    ],
)
def test_what_is_too_large_is_found(source, name):
    assert list(oversized(Module("m", source))) == [name]


@pytest.mark.parametrize(
    "source",
    [
        "pass\n" * FILE,
        lines("class A:", CLASS),
        lines("def f():", FUNCTION),
        "class A:\n    def f(self, a, b, c, d, e, f, g, h, i): pass",
        "@part\ndef f(a, b, c, d, e, f, g, h, i, j): pass",
        "@kept_on_disk(nogil=True)\ndef f(a, b, c, d, e, f, g, h, i, j): pass",
    ],
)
def test_what_is_as_large_as_it_may_be_passes(source):
    assert oversized(Module("m", source)) == {}


def test_an_exception_has_a_reason_and_ends_when_it_applies_no_more():
    found = {"m.A": "160 lines, at most 150"}
    assert judged(found, {}) == ["m.A: 160 lines, at most 150"]
    assert judged(found, {"m.A": "a table"}) == []
    assert judged({}, {"m.A": "a table"}) == ["m.A is no exception any more"]


def test_a_folder_with_too_many_files_is_found():
    full = [f"hdl/knotwork/parts/a{number}.py" for number in range(FOLDER)]
    assert crowded([*full, "hdl/knotwork/parts/__init__.py"], []) == {}
    assert crowded([*full, "hdl/knotwork/parts/b.py"], []) == {
        "hdl/knotwork/parts": f"{FOLDER + 1} files, at most {FOLDER}"
    }


def test_the_files_of_networks_do_not_crowd_their_folder():
    names = [f"n{number}" for number in range(FOLDER + 5)]
    paths = [f"hdl/knotwork/topology/{name}.py" for name in names]
    assert crowded(paths, names) == {}
    assert list(crowded(paths, names[6:])) == []
    assert list(crowded(paths, [])) == ["hdl/knotwork/topology"]
