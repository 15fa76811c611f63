"""Graphs and addresses of the networks; no routing, no hardware."""

from .base import LOCAL, Topology
from .baseline import Baseline
from .ccc import CubeConnectedCycles
from .cm5 import Cm5
from .fattree import FatTree
from .hypercube import Hypercube
from .lcan import Lcan, LeastCommonAncestor
from .moebius import Moebius
from .sw_banyan import SwBanyan
from .trac import Trac
from .wk import WkRecursive

TOPOLOGIES: dict[str, type[Topology]] = {
    cls.name: cls
    for cls in (
        *(Hypercube, Moebius, CubeConnectedCycles),
        *(Lcan, FatTree, Cm5, Baseline, SwBanyan, Trac),
        WkRecursive,
    )
}
"""The registry: every network by its name. `routing` and `gateware.routers` have a module of the
same name for each."""

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
    "Moebius",
    "SwBanyan",
    "Topology",
    "Trac",
    "WkRecursive",
]
