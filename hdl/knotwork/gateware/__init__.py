"""Networks as hardware: components for designs in Amaranth."""

from .fabric import Fabric, network_signature
from .layouts import eject_layout, flit_layout, inject_layout, link_signature
from .packet.router import PacketRouter
from .router_class import RouterGateware
from .router_classes import ROUTER_GATEWARE

__all__ = [
    "ROUTER_GATEWARE",
    "Fabric",
    "PacketRouter",
    "RouterGateware",
    "eject_layout",
    "flit_layout",
    "inject_layout",
    "link_signature",
    "network_signature",
]
