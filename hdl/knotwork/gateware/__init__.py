"""Networks in gates, for designs in Amaranth."""

from .fabric import CONTROLLERS, INTERFACES, ROUTERS, Fabric, network_signature
from .layouts import eject_layout, flit_layout, inject_layout, link_signature
from .packet.router import PacketRouter

__all__ = [
    "CONTROLLERS",
    "INTERFACES",
    "ROUTERS",
    "Fabric",
    "PacketRouter",
    "eject_layout",
    "flit_layout",
    "inject_layout",
    "link_signature",
    "network_signature",
]
