"""Packet routers: wormhole switching over virtual channels; broadcasts, multicasts, parity."""

from ..layouts import link_signature
from ..router_class import RouterGateware
from .inputs import constants
from .router import PacketRouter

PACKET = RouterGateware(router=PacketRouter, constants=constants, link_signature=link_signature)

__all__ = ["PACKET", "PacketRouter"]
