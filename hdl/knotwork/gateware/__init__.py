"""Networks in gates, for designs in Amaranth."""

from .fabric import Fabric, network_signature
from .layouts import eject_signature, flit_layout, inject_signature, link_signature
from .router import PacketRouter

__all__ = [
    "Fabric",
    "PacketRouter",
    "eject_signature",
    "flit_layout",
    "inject_signature",
    "link_signature",
    "network_signature",
]
