"""Imports that go up, by the floors of a package; those of outside packages; what is loaded."""

import subprocess
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache

from .sources import Module

SIDES = " | "
"""Parts rooms of one floor that do not import each other."""


def upward(
    module: str,
    imported: Iterable[str],
    floors: Sequence[str],
    package: str,
    networks: Sequence[str],
) -> list[str]:
    """Imports of a module that go up within a package, or across to another side of its floor.

    The package is empty for all roots; a package among the modules ends in ``.__init__``.
    """
    inside = f"{package}." if package else ""
    if not module.startswith(inside):
        return []
    places = _places(tuple(floors), tuple(networks))
    own, place = _place(module.removeprefix(inside), places)
    if place is None:
        return [f"{module}: {own} must have a floor in {package}"]
    found = []
    for name in imported:
        if not name.startswith(inside):
            continue
        other, there = _place(name.removeprefix(inside), places)
        if there is None or other == own:
            continue  # a module without a floor is told of by itself
        if there[0] > place[0]:
            found.append(f"{module} imports upwards: {name}")
        elif there[0] == place[0] and there[1] != place[1]:
            found.append(f"{module} imports across: {name}")
    return found


def _place(name: str, places: Mapping[str, tuple[int, int]]) -> tuple[str, tuple[int, int] | None]:
    """Unit of a package that has a module, and its floor and side; None if it has none."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        unit = ".".join(parts[:count])
        if unit in places:
            return unit, places[unit]
    return parts[0], None


@cache
def _places(floors: tuple[str, ...], networks: tuple[str, ...]) -> dict[str, tuple[int, int]]:
    """Floor and side of each unit of a package."""
    found: dict[str, tuple[int, int]] = {}
    for floor, line in enumerate(floors):
        for side, units in enumerate(line.split(SIDES)):
            for unit in units.split():
                names = networks if unit == "NETWORKS" else [unit]
                found |= {name: (floor, side) for name in names if name not in found}
    return {"__init__": (len(floors), 0)} | found


def vacant(packages: Mapping[str, Sequence[str]], modules: Collection[str]) -> list[str]:
    """Units in a law that are no modules any more."""
    found = []
    for package, floors in packages.items():
        for unit in " ".join(floors).replace("|", " ").split():
            name = f"{package}.{unit}".removeprefix(".").removesuffix(".__init__")
            if unit != "NETWORKS" and name not in modules:
                found.append(f"{name} has a floor and is not there")
    return found


FORBIDDEN = {
    "knotwork": {"cocotb", "cocotb_tools", "cocotbext", "knotwork_soc"},
    "knotwork_soc": {"cocotb", "cocotb_tools", "cocotbext"},
    "knotwork.topology": {"amaranth", "amaranth_boards"},
    "knotwork.routing": {"amaranth", "amaranth_boards"},
    "knotwork.parameters": {"amaranth", "amaranth_boards"},
    "knotwork.network": {"amaranth", "amaranth_boards"},
    "knotwork_sim": {"amaranth", "amaranth_boards"},
}
"""Outside packages that a room must do without, by the beginning of the module's name."""


def outside(module: Module, forbidden: Mapping[str, set[str]] = FORBIDDEN) -> list[str]:
    """Imports of packages that a module's room must do without."""
    return [
        f"{module.name} must not import {name}"
        for name in module.imported_names
        for prefix, packages in forbidden.items()
        if f"{module.name}.".startswith(f"{prefix}.") and name.split(".")[0] in packages
    ]


HEAVY = {
    "amaranth cocotb numba": (
        "knotwork, knotwork.network, knotwork_sim.verbs.simulate, knotwork_sim.verbs.sweep"
    ),
    "amaranth cocotb numba numpy": (
        "knotwork.cli.main, knotwork_sim.traffic.keys, knotwork_sim.verbs.survive, "
        "knotwork_sim.verbs.search"
    ),
    "amaranth cocotb": "knotwork_sim.model.packet.model",
}
"""Packages that must not be loaded by modules: the command line answers at once, and the golden
model owes nothing to the hardware that it judges."""


def loaded(statement: str, packages: str) -> list[str]:
    """Which of these packages a fresh interpreter has loaded after a statement."""
    names = set(packages.split())
    script = f"import sys\n{statement}\nprint(*sorted({names!r} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout.split()
