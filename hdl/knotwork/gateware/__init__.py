"""Networks as hardware: components for designs in Amaranth."""

from .fabric import Fabric, network_signature
from .layouts import eject_layout, flit_layout, inject_layout, local_signature
from .packet import CreditRouter, PlainRouter
from .router_class import RouterGateware
from .router_classes import ROUTER_GATEWARE

__all__ = [
    "ROUTER_GATEWARE",
    "CreditRouter",
    "Fabric",
    "PlainRouter",
    "RouterGateware",
    "eject_layout",
    "flit_layout",
    "inject_layout",
    "local_signature",
    "network_signature",
]
