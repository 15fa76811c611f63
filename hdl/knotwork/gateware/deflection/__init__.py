"""Bufferless routers: every flit leaves in the next cycle, by another port if it must."""

from ...network import Network, RouterKind
from ...routing.deflection import Deflection
from ..router_class import RouterGateware
from .node import BufferlessRouter, constants, packet_signature
from .router import DeflectionRouter, RingDeflectionRouter


def deflection_router(network: Network, kind: RouterKind) -> BufferlessRouter:
    """Router for a network's topology: one-way rings have a simpler one."""
    has_phases = Deflection.of(network.routing).has_phases
    return (DeflectionRouter if has_phases else RingDeflectionRouter)(network, kind)


DEFLECTION = RouterGateware(
    router=deflection_router, constants=constants, link_signature=packet_signature
)

__all__ = ["DEFLECTION", "DeflectionRouter", "RingDeflectionRouter"]
