"""Graphs and addresses of the networks; no routing, no hardware.

A network's module is imported when the network is first used, so that its name costs nothing.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .banyan import Banyan
    from .base import LOCAL, Topology
    from .baseline import Baseline
    from .ccc import CubeConnectedCycles
    from .cm5 import Cm5
    from .fattree import FatTree
    from .graph import Graph
    from .graph_file import GraphFile
    from .hypercube import Hypercube
    from .kyklos import Kyklos
    from .lcan import Lcan, LeastCommonAncestor
    from .mesh import Mesh
    from .moebius import Moebius
    from .petersen import Petersen
    from .ring import Ring
    from .rp import Rp
    from .sw_banyan import SwBanyan
    from .tcpg import Tcpg
    from .torus import Torus
    from .trac import Trac
    from .wk import WkRecursive

_CLASSES = {
    "hypercube": "Hypercube",
    "moebius": "Moebius",
    "ccc": "CubeConnectedCycles",
    "lcan": "Lcan",
    "fattree": "FatTree",
    "cm5": "Cm5",
    "baseline": "Baseline",
    "sw_banyan": "SwBanyan",
    "trac": "Trac",
    "kyklos": "Kyklos",
    "banyan": "Banyan",
    "wk": "WkRecursive",
    "tcpg": "Tcpg",
    "petersen": "Petersen",
    "rp": "Rp",
    "torus": "Torus",
    "mesh": "Mesh",
    "ring": "Ring",
    "graph": "Graph",
}


Find = Callable[[], Mapping[str, Callable[[], "type[Topology]"]]]
"""Function that finds networks of other packages: a loader for each, by name."""


class Registry(Mapping[str, "type[Topology]"]):
    """Every network's class by the network's name.

    Knotwork's own come first; their names are also those of their modules. Then those that a plugin
    registered, and those of installed packages, which are looked for when a name is not known yet.
    """

    shipped: Mapping[str, str] = _CLASSES
    """Names of Knotwork's own networks."""

    def __init__(self) -> None:
        self._added: dict[str, type[Topology]] = {}
        self._find: Find = dict
        self._installed: Mapping[str, Callable[[], type[Topology]]] | None = None

    def add(self, kind: "type[Topology]") -> None:
        """Register a user's network; its name must be free."""
        self._added[kind.name] = kind

    def find_by(self, find: Find) -> None:
        """Find the networks of installed packages by this function."""
        self._find, self._installed = find, None

    @property
    def installed(self) -> Mapping[str, Callable[[], "type[Topology]"]]:
        """Loader of each network of the installed packages."""
        if self._installed is None:
            self._installed = self._find()
        return self._installed

    def __getitem__(self, name: str) -> "type[Topology]":
        if name in _CLASSES:
            return getattr(import_module(f"{__name__}.{name}"), _CLASSES[name])
        if name not in self._added:
            self._added[name] = self.installed[name]()
        return self._added[name]

    def __contains__(self, name: object) -> bool:
        return name in _CLASSES or name in self._added or name in self.installed

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*_CLASSES, *self._added, *self.installed]))

    def __len__(self) -> int:
        return len(list(iter(self)))


TOPOLOGIES = Registry()
"""The registry. For each network of Knotwork's own, `routing` and `gateware.networks` have a module
of the same name."""

_MODULES = {
    "LOCAL": "base",
    "GraphFile": "graph_file",
    "Topology": "base",
    "LeastCommonAncestor": "lcan",
    **{class_name: name for name, class_name in _CLASSES.items()},
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


__all__ = [
    "LOCAL",
    "TOPOLOGIES",
    "Banyan",
    "Baseline",
    "Cm5",
    "CubeConnectedCycles",
    "FatTree",
    "Graph",
    "GraphFile",
    "Hypercube",
    "Kyklos",
    "Lcan",
    "LeastCommonAncestor",
    "Mesh",
    "Moebius",
    "Petersen",
    "Registry",
    "Ring",
    "Rp",
    "SwBanyan",
    "Tcpg",
    "Topology",
    "Torus",
    "Trac",
    "WkRecursive",
]
