"""The files that decide what a compiled function does."""

import ast
from importlib.util import find_spec
from pathlib import Path

import knotwork_sim.model.deflection.network
import knotwork_sim.model.packet.network
import knotwork_sim.sweep.channel_load
import knotwork_sim.traffic.endpoints
import pytest
from knotwork.routing.compiled import sources
from knotwork.routing.compiled.sources import digest, transitive_imports
from knotwork.routing.walks import loops

KEPT = (
    loops,
    knotwork_sim.model.deflection.network,
    knotwork_sim.model.packet.network,
    knotwork_sim.sweep.channel_load,
    knotwork_sim.traffic.endpoints,
)
"""Modules with functions that Numba keeps on disk."""


def origin(name):
    """File of a module by Python's own import machinery; None for what is no module."""
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:  # a part of it is no package
        return None
    return None if spec is None or spec.origin is None else Path(spec.origin)


def expected(module):
    """Files of a module and its transitive imports, by its syntax tree and its own package."""
    found, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        path = origin(name)
        if path is None or path in found:
            continue
        found.add(path)
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                parts = package.split(".")
                above = parts[: len(parts) - node.level + 1] if node.level else []
                base = ".".join([*above, *filter(None, [node.module])])
                names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
            waiting += [name for name in names if name.startswith("knotwork")]
    return found


@pytest.mark.parametrize("module", KEPT, ids=lambda module: module.__name__)
def test_sources_are_the_transitive_imports(module):
    assert transitive_imports(Path(module.__file__)) == expected(module.__name__)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Package of the project's name, with a module that imports in all forms."""
    folder = tmp_path / "knotwork_toy"
    (folder / "inner").mkdir(parents=True)
    modules = {
        "__init__": "",
        "inner/__init__": "",
        "inner/loop": "from .. import near\nfrom ..far import (\n    A,  # why\n    B,\n)\n",
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
        *(sources.transitive_imports, sources._imported),
        *(sources._file_of, sources._content_digest),
    ):
        cached.cache_clear()


def test_all_forms_of_imports_are_followed(package):
    found = {str(p.relative_to(package)) for p in transitive_imports(package / "inner/loop.py")}
    own = {"inner/loop.py", "near.py", "far.py", "late.py"}
    assert found == own | {"__init__.py", "inner/__init__.py"}


def test_a_digest_changes_with_an_import(package):
    before = digest(package / "inner/loop.py")
    sources._content_digest.cache_clear()
    (package / "apart.py").write_text("A = 1\n")
    assert digest(package / "inner/loop.py") == before
    (package / "late.py").write_text("A = 1\n")
    sources._content_digest.cache_clear()
    assert digest(package / "inner/loop.py") != before
