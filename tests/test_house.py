"""The house: imports go down, the top level is the agreed one, dependencies give their reasons.

Each rule is a function over sources, and each is shown to catch a breach of it.
"""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE_ROOTS = [ROOT / "hdl", ROOT / "sim", ROOT / "boards"]

# From the ground up; an import goes to its own floor or to a lower one. `knotwork` itself is the
# front door, on the floor of the commands; its version is known to all.
FLOORS = (
    {
        "knotwork.__version__",
        "knotwork.errors",
        "knotwork.files",
        "knotwork.parameters",
        "knotwork.tools",
    },
    {"knotwork.topology"},
    {"knotwork.routing"},
    {"knotwork.parameters", "knotwork.network", "knotwork.router_kind"},
    {"knotwork.gateware"},
    {"knotwork.emit"},
    {"knotwork.formal"},
    {
        "knotwork",
        "knotwork.cli.output",
        "knotwork.drawing.boxes",
        "knotwork.cli.catalogue",
        "knotwork.cli.collectives",
        "knotwork.commands",
        "knotwork.cli.description",
        "knotwork.drawing.curves",
        "knotwork.drawing.svg",
        "knotwork.drawing.graph_files",
        "knotwork.cli.main",
        "knotwork.cli.verify",
        "knotwork.cli.schedule",
        "knotwork.drawing.highlights",
    },
    {"knotwork_sim", "knotwork_boards"},
)
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}

# Outside packages that a room must do without, by the prefix of the module's name.
FORBIDDEN = {
    "knotwork": {"cocotb", "cocotb_tools", "cocotbext"},
    "knotwork.topology": {"amaranth", "amaranth_boards"},
    "knotwork.routing": {"amaranth", "amaranth_boards"},
    "knotwork.parameters": {"amaranth", "amaranth_boards"},
    "knotwork.network": {"amaranth", "amaranth_boards"},
    "knotwork_sim": {"amaranth", "amaranth_boards"},
}

TOP_LEVEL = {
    *{"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff"},
    *{"Makefile", "mkdocs.yml", "uv.lock", "hdl", "sim", "boards", "tests", "build"},
}

# Modules that must load without Amaranth and cocotb: the command line stays quick, and the golden
# model owes nothing to the hardware that it judges.
LIGHT = (
    "knotwork",
    "knotwork.cli.main",
    "knotwork.commands",
    "knotwork_sim.model.packet.network",
    "knotwork_sim.model.packet.state",
)


def room_of(module: str) -> str | None:
    """Longest prefix of `module` that has a floor; None for what is not of this house."""
    package, *rest = module.split(".")
    if package in {"knotwork_sim", "knotwork_boards"}:
        return package
    if package != "knotwork":
        return None
    return ".".join([package, *rest[:1]])


def imports(module: str, is_package: bool, source: str) -> list[str]:
    """Absolute names of all that a source imports, wherever in it the import stands.

    ``from x import y`` counts as ``x.y``, so that a module taken from its package is seen.
    """
    package = module.split(".") if is_package else module.split(".")[:-1]
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            prefix = [*base, *([node.module] if node.module else [])]
            names += [".".join([*prefix, alias.name]) for alias in node.names]
    return names


def breaches(module: str, source: str, *, is_package: bool = False) -> list[str]:
    """Imports of a module that the house does not allow, each with its reason."""
    found = []
    own_room = room_of(module)
    assert own_room is not None
    if own_room not in FLOOR_OF:
        return [f"{module}: {own_room} has no floor; give it one in FLOORS"]
    for name in imports(module, is_package, source):
        room = room_of(name)
        if room is None:
            found += [
                f"{module} must not import {name}"
                for prefix, outside in FORBIDDEN.items()
                if f"{module}.".startswith(f"{prefix}.") and name.split(".")[0] in outside
            ]
            continue
        if room not in FLOOR_OF:
            room = "knotwork"  # a name that the front door exports
        if FLOOR_OF[room] > FLOOR_OF[own_room]:
            found.append(f"{module} imports upwards: {name}")
        elif FLOOR_OF[room] == FLOOR_OF["knotwork_sim"] and room != own_room:
            found.append(f"{module} imports across: {name}")
    return found


def modules() -> dict[str, Path]:
    """Every module of the three roots by its dotted name."""
    found = {}
    for root in SOURCE_ROOTS:
        for path in sorted(root.rglob("*.py")):
            parts = list(path.relative_to(root).with_suffix("").parts)
            if parts[-1] == "__init__":
                parts.pop()
            found[".".join(parts)] = path
    return found


def test_imports_go_down():
    found = []
    known = modules()
    assert {"knotwork", "knotwork.network", "knotwork_sim", "knotwork_boards"} <= known.keys()
    for module, path in known.items():
        is_package = path.name == "__init__.py"
        found += breaches(module, path.read_text(), is_package=is_package)
    assert found == []


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        ("knotwork.topology.ring", "from ..routing import Rule", "upwards: knotwork.routing.Rule"),
        ("knotwork.topology.ring", "from .. import network", "upwards: knotwork.network"),
        ("knotwork.routing.ring", "def f():\n    import knotwork.emit", "upwards: knotwork.emit"),
        (
            "knotwork.gateware.packet.router",
            "from knotwork import Network",
            "upwards: knotwork.Network",
        ),
        ("knotwork.emit.verilog", "import knotwork", "upwards: knotwork"),
        (
            "knotwork.commands",
            "from knotwork_sim import model",
            "upwards: knotwork_sim.model.packet.network",
        ),
        (
            "knotwork_boards.demo",
            "import knotwork_sim.model.packet.network",
            "across: knotwork_sim.model.packet.network",
        ),
        ("knotwork_sim.x", "from knotwork_boards.y import z", "across: knotwork_boards.y.z"),
        ("knotwork.topology.ring", "import amaranth.hdl", "not import amaranth.hdl"),
        ("knotwork.network", "from amaranth import Module", "not import amaranth.Module"),
        (
            "knotwork_sim.model.packet.network",
            "from amaranth.lib import data",
            "not import amaranth.lib.data",
        ),
        ("knotwork.emit.verilog", "import cocotb_tools", "not import cocotb_tools"),
        ("knotwork.attic.ring", "", "knotwork.attic has no floor"),
    ],
)
def test_a_breach_is_caught(module, source, complaint):
    (found,) = breaches(module, source)
    assert complaint in found


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("knotwork.topology.ring", "import numpy\nfrom .base import Topology"),
        ("knotwork.emit.verilog", "import amaranth\nfrom .. import __version__"),
        ("knotwork.emit.verilog", "from ..gateware.router import Router\nimport os"),
        ("knotwork_sim.commands", "import cocotb\nfrom knotwork import Network, answers"),
        ("knotwork_boards.commands", "import amaranth\nfrom .table import BOARDS"),
    ],
)
def test_what_is_allowed_passes(module, source):
    assert breaches(module, source) == []


def test_relative_imports_of_a_package_start_at_itself():
    assert imports("knotwork.emit", True, "from .names import x") == ["knotwork.emit.ports.x"]
    assert imports("knotwork.emit.a", False, "from .names import x") == ["knotwork.emit.ports.x"]


@pytest.mark.parametrize("module", LIGHT)
def test_loads_neither_amaranth_nor_cocotb(module):
    script = (
        f"import sys, {module}\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'amaranth', 'cocotb'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_top_level_is_the_agreed_one():
    if not (ROOT / ".git").exists():
        pytest.skip("not a git working tree")
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    tops = {name.split("/")[0] for name in listed}
    assert {name for name in tops if not name.startswith(".")} <= TOP_LEVEL
    assert {name for name in listed if name.startswith("build/")} == {"build/README.md"}


def unexplained(pyproject: str) -> list[str]:
    """Dependencies of a pyproject.toml whose line has no comment."""
    project = tomllib.loads(pyproject)
    extras = project["project"].get("optional-dependencies", {})
    wanted = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    wanted += [requirement for extra in extras.values() for requirement in extra]
    return [
        requirement
        for requirement in wanted
        if not re.search(rf'"{re.escape(requirement)}"\]?,? *# *\w', pyproject)
    ]


def test_every_dependency_has_its_reason():
    assert unexplained((ROOT / "pyproject.toml").read_text()) == []


def test_a_dependency_without_a_reason_is_caught():
    text = """
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
    "ruff", # lint
]
"""
    assert unexplained(text) == ["hatchling>=1.27", "rich>=13", "pytest>=8"]


def test_setuptools_has_no_part():
    # It writes into build/ and would ship stale files from there.
    text = (ROOT / "pyproject.toml").read_text()
    assert tomllib.loads(text)["build-system"]["build-backend"] == "hatchling.build"
    assert "setuptools" not in text
    for name in ("setup.py", "setup.cfg", "build.py", "build/__init__.py"):
        assert not (ROOT / name).exists()


def dead_links(text: str, folder: Path) -> list[str]:
    """Relative targets of Markdown links, images and HTML `src` that are not there."""
    targets = re.findall(r"\]\(([^)\s]+)[^)]*\)", text)
    targets += re.findall(r'(?:src|href)="([^"]+)"', text)
    relative = [target for target in targets if not re.match(r"[a-z]+:|#", target)]
    return [target for target in relative if not (folder / target.partition("#")[0]).exists()]


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "build/README.md"]
)
def test_links_lead_somewhere(page):
    path = ROOT / page
    assert dead_links(path.read_text(), path.parent) == []


def test_a_dead_link_is_caught(tmp_path):
    (tmp_path / "there.md").touch()
    text = '[a](there.md#part) [b](gone.md) ![c](gone.svg "c") <img src="lost.svg"> [d](https://x)'
    assert dead_links(text, tmp_path) == ["gone.md", "gone.svg", "lost.svg"]
