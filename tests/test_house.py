"""The house: the project keeps its rules. `tests/house` has the rules, each broken on purpose."""

import subprocess
import tomllib
from itertools import chain

import pytest
from house.compiled import wrong_digests
from house.exceptions import LARGER, STANDS_TWICE, TESTED_OTHERWISE
from house.floors import FLOORS
from house.light import HEAVY, loaded
from house.outside import outside
from house.project import (
    dead_links,
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
from house.sizes import crowded, judged, oversized
from house.sources import PACKAGES, PROJECT, Module, circles, import_graph, modules, placed_imports
from house.upward import upward, vacant
from house.wording import compared, odd_english, probed, twice
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork.routing import routings_of
from knotwork.routing.compiled.sources import transitive_imports
from knotwork.topology import TOPOLOGIES

MODULES = modules()
GRAPH = import_graph(MODULES)
PATHS = {
    path.relative_to(PROJECT).as_posix()
    for folder in ("hdl", "sim", "boards", "tests")
    for suffix in ("py", "md")
    for path in (PROJECT / folder).rglob(f"*.{suffix}")
} | {path.name for path in PROJECT.glob("*.md")}
PROGRAMS = [
    Module(path, (PROJECT / path).read_text(), path=path)
    for path in sorted(PATHS)
    if path.startswith(("tests/quality/", "tests/house/"))
    and path.endswith(".py")
    and not path.rpartition("/")[2].startswith("test_")
]
"""What checks the project keeps the rules of size, too."""
PYPROJECT = (PROJECT / "pyproject.toml").read_text()


@pytest.mark.parametrize("package", FLOORS)
def test_imports_go_down(package):
    placed = placed_imports(MODULES)
    networks = list(TOPOLOGIES)
    found = (upward(one, placed[one], FLOORS[package], package, networks) for one in placed)
    assert list(chain.from_iterable(found)) == []


def test_a_floor_has_what_it_is_for():
    assert vacant(FLOORS, MODULES) == []


def test_no_circle_of_imports():
    assert circles(GRAPH) == []


def test_rooms_do_without_what_they_should_not_know():
    assert list(chain.from_iterable(map(outside, MODULES.values()))) == []


@pytest.mark.parametrize("module", HEAVY)
def test_a_module_loads_nothing_heavy(module):
    assert loaded(f"import {module}", HEAVY[module]) == []


def test_no_folder_is_crowded():
    assert crowded([module.path for module in MODULES.values()], TOPOLOGIES) == {}


def test_nothing_is_too_large_without_a_reason():
    sizes = [oversized(module) for module in [*MODULES.values(), *PROGRAMS]]
    assert judged({name: size for found in sizes for name, size in found.items()}, LARGER) == []


def test_every_network_is_on_every_floor():
    assert without_room(TOPOLOGIES, NETWORK_FLOORS, PATHS) == []


def test_every_network_has_the_gates_that_its_routers_ask_for():
    classes = {
        name: {one.router_class for one in routings_of(name).values() if one.unbuildable is None}
        for name in TOPOLOGIES
    }
    asking = need_gates(classes, GRAPH)
    assert "mesh" in asking
    assert without_room(asking, [GATES], PATHS) == []


def test_every_router_class_is_on_every_floor():
    assert without_room(ROUTER_PARAMETERS, CLASS_FLOORS, PATHS) == []


def test_every_registry_has_all_router_classes():
    assert unequal({place: registry(place) for place in REGISTRIES}) == []


def test_no_name_of_a_router_class_is_compared():
    found = (compared(one, ROUTER_PARAMETERS) for one in MODULES.values())
    assert list(chain.from_iterable(found)) == []


def test_no_typed_object_is_probed():
    assert list(chain.from_iterable(map(probed, MODULES.values()))) == []


def test_the_english_is_the_fields():
    found = (odd_english(path, (PROJECT / path).read_text()) for path in sorted(PATHS))
    assert list(chain.from_iterable(found)) == []


def test_nothing_stands_twice():
    found = twice({name: module.source for name, module in MODULES.items()})
    assert judged(found, STANDS_TWICE) == []


def test_a_digest_is_of_all_that_a_compiled_function_depends_on():
    assert wrong_digests(MODULES, transitive_imports) == []


def test_every_module_has_a_test_of_its_name():
    assert untested(MODULES, PATHS, TESTED_OTHERWISE) == []


def test_contributing_draws_the_real_tree():
    drawn = drawn_tree((PROJECT / "CONTRIBUTING.md").read_text())
    assert sorted(drawn) == real_tree(module.path for module in MODULES.values())


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
    shipped = [module for module in MODULES.values() if module.name.split(".")[0] in PACKAGES]
    assert development_imports(PYPROJECT, shipped) == []


def test_setuptools_has_no_part():
    # It writes into build/ and would ship stale files from there.
    assert tomllib.loads(PYPROJECT)["build-system"]["build-backend"] == "hatchling.build"
    assert "setuptools" not in PYPROJECT
    for name in ("setup.py", "setup.cfg", "build.py", "build/__init__.py"):
        assert not (PROJECT / name).exists()


@pytest.mark.parametrize("page", [path for path in sorted(PATHS) if path.endswith(".md")])
def test_links_lead_somewhere(page):
    path = PROJECT / page
    assert dead_links(path.read_text(), path.parent) == []
