"""Graphs and addresses of the networks; no routing, no hardware."""

from .base import LOCAL, Topology
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

TOPOLOGIES: dict[str, type[Topology]] = {
    cls.name: cls
    for cls in (
        *(Hypercube, Moebius, CubeConnectedCycles),
        *(Lcan, FatTree, Cm5, Baseline, SwBanyan, Trac),
        *(WkRecursive, Tcpg),
        *(Petersen, Rp, Torus, Mesh),
    )
}
"""The registry: every network by its name. `routing` and `gateware.networks` have a module of the
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
    "Mesh",
    "Moebius",
    "Petersen",
    "Rp",
    "SwBanyan",
    "Tcpg",
    "Topology",
    "Torus",
    "Trac",
    "WkRecursive",
]
