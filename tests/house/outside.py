"""Outside packages that rooms must do without."""

from collections.abc import Mapping

from .sources import Module

FORBIDDEN = {
    "knotwork": {"cocotb", "cocotb_tools", "cocotbext"},
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
