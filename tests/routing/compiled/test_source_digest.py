"""The files that decide what a compiled function does."""

from pathlib import Path
from typing import Any

import pytest
from knotwork import Network
from knotwork.routing.adaptive import adaptive_rule
from knotwork.routing.compiled import calls, compilable, source_digest
from knotwork.routing.compiled.source_digest import digest, function_digest, transitive_imports
from knotwork_sim.model.packet import credits


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
        *(source_digest.transitive_imports, source_digest._imported),
        *(source_digest._file_of, source_digest._content_digest),
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
    source_digest._content_digest.cache_clear()
    (package / "apart.py").write_text("A = 1\n")
    assert digest(package / "inner/loop.py") == before
    (package / "late.py").write_text("A = 1\n")
    source_digest._content_digest.cache_clear()
    assert digest(package / "inner/loop.py") != before


RULE = """
import math
import numpy as np
from numba import njit
from random import Random
STEP, TABLE, ROOM = 2, np.arange(4), []

@njit
def compiled(number):
    return number + 1

def called(number, *, more=5):
    return number * STEP + more

def rule(parameters, router, port, channel_class, destination):
    return called(router) + TABLE[0] + compiled(port), math.gcd(router, 2)

def open_ended(parameters, router, port, channel_class, destination):
    return len(ROOM), 0

def maker(add):
    return lambda number: number + add
"""


def defined(text=RULE, name="rule"):
    """A user's function, defined anew."""
    names: dict[str, Any] = {"__name__": "mine"}
    exec(text, names)
    return names[name]


def test_the_digest_of_a_function_is_of_all_that_it_reads_and_calls():
    first = function_digest(defined())
    assert first is not None
    assert function_digest(defined("\n\n" + RULE)) == first
    for old, new in (
        ("STEP, TABLE, ROOM = 2", "STEP, TABLE, ROOM = 3"),
        ("np.arange(4)", "np.arange(1, 5)"),
        ("np.arange(4)", "np.arange(4.0)"),
        ("number + 1", "number + 2"),
        ("@njit\n", "@njit(fastmath=True)\n"),
        ("number * STEP", "number + STEP"),
        ("more=5", "more=6"),
        ("math.gcd", "math.lcm"),
        ("(router, 2)", "(router, 4)"),
    ):
        assert old in RULE
        assert function_digest(defined(RULE.replace(old, new))) not in (None, first)


def test_a_function_is_known_by_the_values_around_it():
    maker = defined(name="maker")
    assert function_digest(maker(1)) == function_digest(maker(1)) != function_digest(maker(2))


def test_a_function_of_the_project_is_known_by_the_values_around_it():
    escapes = [Network.from_word(word).routing.rule for word in ("mesh:x=2,y=2", "wk:w=4,levels=1")]
    rules = [
        adaptive_rule.__wrapped__(escape, classes=2, ways=ways, nodes=4, local_ports=1, start=0)
        for escape in (*escapes, escapes[0])
        for ways in (2, 3)
    ]
    digests = [function_digest(rule) for rule in rules]
    assert digests[:2] == digests[4:]
    assert None not in digests
    assert len(set(digests)) == 4


def test_a_function_whose_values_may_change_has_no_digest():
    assert function_digest(defined(name="open_ended")) is None
