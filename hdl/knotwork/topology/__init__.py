"""Graphs and addresses of the networks; no routing, no hardware.

A network's module is imported when the network is first asked for, so that its name costs nothing.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .addressed_graph import LOCAL
    from .base import Topology
    from .baseline import Baseline
    from .ccc import CubeConnectedCycles
    from .cm5 import Cm5
    from .fattree import FatTree
    from .hypercube import Hypercube
    from .lcan import Lcan, LeastCommonAncestor
    from .mesh import Mesh
    from .moebius import Moebius
    from .petersen import Petersen
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
    "wk": "WkRecursive",
    "tcpg": "Tcpg",
    "petersen": "Petersen",
    "rp": "Rp",
    "torus": "Torus",
    "mesh": "Mesh",
}


class Registry(Mapping[str, "type[Topology]"]):
    """Every network's class by the network's name, which is also the name of its module."""

    def __getitem__(self, name: str) -> "type[Topology]":
        class_name = _CLASSES[name]
        return getattr(import_module(f"{__name__}.{name}"), class_name)

    def __contains__(self, name: object) -> bool:
        return name in _CLASSES

    def __iter__(self) -> Iterator[str]:
        return iter(_CLASSES)

    def __len__(self) -> int:
        return len(_CLASSES)


TOPOLOGIES = Registry()
"""The registry. `routing` and `gateware.networks` have a module of the same name for each."""

_MODULES = {
    "LOCAL": "addressed_graph",
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
    "Baseline",
    "Cm5",
    "CubeConnectedCycles",
    "FatTree",
    "Hypercube",
    "Lcan",
    "LeastCommonAncestor",
    "Mesh",
    "Moebius",
    "Petersen",
    "Registry",
    "Rp",
    "SwBanyan",
    "Tcpg",
    "Topology",
    "Torus",
    "Trac",
    "WkRecursive",
]
