"""Graphs and addresses of the networks; no routing, no hardware."""

from .base import LOCAL, Topology
from .ccc import CubeConnectedCycles
from .hypercube import Hypercube
from .moebius import Moebius

TOPOLOGIES: dict[str, type[Topology]] = {
    cls.name: cls for cls in (Hypercube, Moebius, CubeConnectedCycles)
}
"""The registry: every network by its name. `routing` and `gateware.routers` have a module of the
same name for each."""

__all__ = ["LOCAL", "TOPOLOGIES", "CubeConnectedCycles", "Hypercube", "Moebius", "Topology"]
