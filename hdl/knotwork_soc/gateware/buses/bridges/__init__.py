"""Bridges between AXI4 and other buses, for their managers and for their peripherals."""

from .apb_to_axi4 import ApbToAxi4
from .axi4_to_apb import Axi4ToApb
from .axi4_to_axi_lite import Axi4ToAxiLite
from .axi4_to_wishbone import Axi4ToWishbone
from .axi_lite_to_axi4 import AxiLiteToAxi4
from .wishbone_to_axi4 import WishboneToAxi4

INITIATOR_BRIDGES = {"axi_lite": AxiLiteToAxi4, "wishbone": WishboneToAxi4, "apb": ApbToAxi4}
"""Bridges from a manager's bus to AXI4, by the kind of the bus, which also names its member."""

TARGET_BRIDGES = {"axi_lite": Axi4ToAxiLite, "wishbone": Axi4ToWishbone, "apb": Axi4ToApb}
"""Bridges from AXI4 to a peripheral's bus, by the kind of the bus."""

__all__ = [
    "INITIATOR_BRIDGES",
    "TARGET_BRIDGES",
    "ApbToAxi4",
    "Axi4ToApb",
    "Axi4ToAxiLite",
    "Axi4ToWishbone",
    "AxiLiteToAxi4",
    "WishboneToAxi4",
]
