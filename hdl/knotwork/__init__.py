"""Knotwork: a generator of on-chip networks."""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from .network import Network
from .topology import (
    Baseline,
    Cm5,
    CubeConnectedCycles,
    FatTree,
    Hypercube,
    Lcan,
    Mesh,
    Moebius,
    Petersen,
    Rp,
    SwBanyan,
    Tcpg,
    Torus,
    Trac,
    WkRecursive,
)

if TYPE_CHECKING:
    from .gateware import Fabric

__version__ = version("knotwork")
__all__ = [
    "Baseline",
    "Cm5",
    "CubeConnectedCycles",
    "Fabric",
    "FatTree",
    "Hypercube",
    "Lcan",
    "Mesh",
    "Moebius",
    "Network",
    "Petersen",
    "Rp",
    "SwBanyan",
    "Tcpg",
    "Torus",
    "Trac",
    "WkRecursive",
    "__version__",
]


def __getattr__(name: str) -> Any:
    # Amaranth is imported only by those who build hardware.
    if name == "Fabric":
        from .gateware import Fabric

        return Fabric
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
