"""Memory-mapped buses over a network: bridges between them, and the ports of nodes."""

from .decoder import RegionOfNode
from .initiator_bridges import ApbToAxi4, AxiLiteToAxi4, WishboneToAxi4
from .initiator_port import InitiatorPort
from .target_bridges import Axi4ToApb, Axi4ToAxiLite, Axi4ToWishbone
from .target_port import TargetPort

__all__ = [
    "ApbToAxi4",
    "Axi4ToApb",
    "Axi4ToAxiLite",
    "Axi4ToWishbone",
    "AxiLiteToAxi4",
    "InitiatorPort",
    "RegionOfNode",
    "TargetPort",
    "WishboneToAxi4",
]
