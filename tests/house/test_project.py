import pytest
from house.exceptions import judged
from house.project import (
    development_imports,
    drawn_tree,
    real_tree,
    strays,
    unexplained,
    untested,
)
from house.sources import Module

PYPROJECT = """
[build-system]
requires = ["hatchling>=1.27"]
[project]
dependencies = [
    "click>=8.1", # command line
    "rich>=13",
]
[project.optional-dependencies]
dev = [
    "pytest>=8", #
    "python-sat", # proofs
    "ruff", # lint
]
"""


def test_a_dependency_without_a_reason_is_found():
    assert unexplained(PYPROJECT) == ["hatchling>=1.27", "rich>=13", "pytest>=8"]


@pytest.mark.parametrize(
    "source", ["from pysat.solvers import Glucose4", "def f():\n    import pytest"]
)
def test_an_import_of_a_development_dependency_is_found(source):
    (line,) = development_imports(PYPROJECT, [Module("m", source)])
    assert line.startswith("m imports py")
    assert development_imports(PYPROJECT, [Module("m", "import click, rich.table, os")]) == []


def test_a_file_out_of_place_is_found():
    listed = ["README.md", "hdl/knotwork/a.py", ".ci/run", "build/README.md"]
    assert strays(listed) == []
    assert strays([*listed, "notes.txt", "build/x.v"]) == ["notes.txt", "build/x.v"]


def test_a_tree_is_read_from_a_page():
    page = "Text of hdl/x.\n\n```\nhdl/knotwork      all\nsim/knotwork_sim/model/  it\n```\nsim/x\n"
    assert drawn_tree(page) == ["hdl/knotwork", "sim/knotwork_sim/model"]
    assert real_tree(["hdl/knotwork/a.py", "hdl/knotwork/b.py", "sim/x/y/c.py"]) == [
        "hdl/knotwork",
        "sim/x/y",
    ]


def test_a_module_without_a_test_is_found():
    known = {
        "knotwork.a.b": Module("knotwork.a.b", "", path="hdl/knotwork/a/b.py"),
        "knotwork_sim.c": Module("knotwork_sim.c", "", path="sim/knotwork_sim/c.py"),
        "knotwork_sim": Module("knotwork_sim", "", True, path="sim/knotwork_sim/__init__.py"),
    }
    of_b = {"tests/a/test_b.py": ""}
    tests = of_b | {"tests/sim/test_c.py": ""}
    assert untested(known, tests, {}) == []
    assert untested(known, of_b, {}) == ["knotwork_sim.c has no test"]
    assert untested(known, of_b | {"tests/test_sim.py": ""}, {}) == []
    for text in ("import x\nfrom knotwork_sim.c import f", "from knotwork_sim import b, c"):
        assert untested(known, of_b | {"tests/sim/test_d.py": text}, {}) == []
    elsewhere = {"tests/sim/e/test_d.py": "from knotwork_sim.c import f"}
    elsewhere |= {"tests/sim/test_d.py": "from knotwork_sim.cd import f"}
    assert len(untested(known, of_b | elsewhere, {})) == 1
    through = {"knotwork_sim.*": "tests/a/test_b.py runs it"}
    assert untested(known, of_b, through) == []
    assert untested(known, tests, through) == ["knotwork_sim.* needs no reason"]
    gone = {"knotwork_sim.c": "tests/gone.py runs it"}
    assert untested(known, of_b, gone) == ["knotwork_sim.c: tests/gone.py must be a test"]


def test_an_exception_that_applies_no_more_is_named():
    assert judged({"a": "is wrong", "b": "is too"}, {"b": "known", "c": "was"}) == [
        "a: is wrong",
        "c is no exception any more",
    ]
