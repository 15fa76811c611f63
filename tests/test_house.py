"""The house: the project keeps its rules. `tests/house` has the rules, each broken on purpose."""

import re
import subprocess
import tomllib
from itertools import chain

import pytest
from house.compiled import wrong_digests
from house.exceptions import STANDS_TWICE, TESTED_OTHERWISE, judged
from house.floors import FLOORS
from house.imports import HEAVY, loaded, outside, upward, vacant
from house.project import (
    development_imports,
    drawn_tree,
    real_tree,
    strays,
    unexplained,
    untested,
)
from house.rooms import (
    CLASS_FLOORS,
    GATES,
    NETWORK_FLOORS,
    REGISTRIES,
    need_gates,
    registry,
    unequal,
    without_room,
)
from house.sources import PACKAGES, PROJECT, circles, import_graph, modules, placed_imports
from house.wording import compared, guessed_names, odd_english, probed, twice
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork.routing import routings_of
from knotwork.routing.compiled.source_digest import transitive_imports
from knotwork.topology import TOPOLOGIES

MODULES = modules()
TEXTS = {
    path.relative_to(PROJECT).as_posix(): path.read_text()
    for folder in ("hdl", "sim", "boards", "tests")
    for suffix in ("py", "md")
    for path in sorted((PROJECT / folder).rglob(f"*.{suffix}"))
} | {path.name: path.read_text() for path in PROJECT.glob("*.md")}
PYPROJECT = (PROJECT / "pyproject.toml").read_text()


@pytest.fixture(scope="module")
def graph():
    """Modules that each module imports."""
    return import_graph(MODULES)


def of_all(rule):
    """What a rule finds in every module."""
    return list(chain.from_iterable(map(rule, MODULES.values())))


def test_imports_go_down():
    networks = list(TOPOLOGIES)
    found = [
        line
        for one, imported in placed_imports(MODULES).items()
        for package, floors in FLOORS.items()
        for line in upward(one, imported, floors, package, networks)
    ]
    assert found == []
    assert vacant(FLOORS, MODULES) == []


def test_no_circle_of_imports(graph):
    assert circles(graph) == []


def test_rooms_do_without_what_they_should_not_know():
    assert of_all(outside) == []


@pytest.mark.parametrize("packages", HEAVY)
def test_modules_load_nothing_heavy(packages):
    assert loaded(f"import {HEAVY[packages]}", packages) == []


def test_every_network_and_every_router_class_is_on_every_floor():
    assert without_room(TOPOLOGIES, NETWORK_FLOORS, TEXTS) == []
    assert without_room(ROUTER_PARAMETERS, CLASS_FLOORS, TEXTS) == []


def test_every_network_has_the_gates_that_its_routers_ask_for(graph):
    classes = {
        name: {one.router_class for one in routings_of(name).values() if one.unbuildable is None}
        for name in TOPOLOGIES
    }
    asking = need_gates(classes, graph)
    assert "mesh" in asking
    assert without_room(asking, [GATES], TEXTS) == []


def test_every_registry_has_all_router_classes():
    assert unequal({place: registry(place) for place in REGISTRIES}) == []


def test_no_name_of_a_router_class_is_compared():
    assert of_all(lambda module: compared(module, ROUTER_PARAMETERS)) == []


def test_no_typed_object_is_probed():
    assert of_all(probed) == []


def test_proofs_of_packet_routers_and_systems_name_signals_by_attributes():
    """So a renamed signal is an error of types, not a wire that a proof does not find.

    What Amaranth's library keeps to itself has no attributes.
    """
    folders = ("hdl/knotwork/formal/packet/", "hdl/knotwork_soc/formal/")
    by_paths = [
        file for file, text in TEXTS.items() if file.startswith(folders) and ".inside(" in text
    ]
    assert by_paths == ["hdl/knotwork_soc/formal/library.py"]


def test_the_english_is_the_fields():
    assert list(chain.from_iterable(odd_english(*page) for page in TEXTS.items())) == []


def test_no_name_must_be_guessed():
    assert of_all(guessed_names) == []


def test_nothing_stands_twice():
    assert judged(twice(MODULES.values()), STANDS_TWICE) == []


def test_a_digest_is_of_all_that_a_compiled_function_depends_on():
    assert wrong_digests(MODULES, transitive_imports) == []


def test_every_module_has_a_test():
    tests = {path: text for path, text in TEXTS.items() if path.startswith("tests/")}
    assert untested(MODULES, tests, TESTED_OTHERWISE) == []


def test_contributing_draws_the_real_tree():
    drawn = drawn_tree(TEXTS["CONTRIBUTING.md"])
    assert sorted(drawn) == real_tree(module.path for module in MODULES.values())


def test_the_walks_of_the_reading_guide_are_short():
    """At most 14 files and 2,000 lines each; a file's first sentence says what it is."""
    guide = TEXTS["CONTRIBUTING.md"].partition("## Reading guide")[2].partition("\n## ")[0]
    walks = guide.split("\n### ")[1:]
    assert len(walks) == 3
    for walk in walks:
        steps = re.findall(r"^\d+\. \[([\w./]+)\]\(([\w./]+)\): ", walk, re.MULTILINE)
        assert 8 <= len(steps) <= 14
        assert sum(len(TEXTS[file].splitlines()) for _, file in steps) <= 2000
        assert all(file.endswith(name) for name, file in steps)
        assert all(re.match(r'(?:#.*\n)*"""[^"]', TEXTS[file]) for _, file in steps)


def test_the_top_level_is_the_agreed_one():
    if not (PROJECT / ".git").exists():
        pytest.skip("not a git working tree")
    listed = subprocess.run(
        ["git", "ls-files"], cwd=PROJECT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert strays(listed) == []
    assert "build/README.md" in listed


def test_every_dependency_has_its_reason():
    assert unexplained(PYPROJECT) == []


def test_shipped_code_imports_no_development_dependency():
    shipped = [module for module in MODULES.values() if module.name.split(".")[0] in PACKAGES]
    assert development_imports(PYPROJECT, shipped) == []


def test_setuptools_has_no_part():
    # It writes into build/ and would ship stale files from there.
    assert tomllib.loads(PYPROJECT)["build-system"]["build-backend"] == "hatchling.build"
    assert "setuptools" not in PYPROJECT
    for name in ("setup.py", "setup.cfg", "build.py", "build/__init__.py"):
        assert not (PROJECT / name).exists()
