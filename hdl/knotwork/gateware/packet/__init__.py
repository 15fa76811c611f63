"""Packet routers: wormhole switching over virtual channels; broadcasts, multicasts, parity."""

from ..layouts import link_signature
from ..router_class import RouterGateware, own_address
from .router import PacketRouter

PACKET = RouterGateware(router=PacketRouter, constants=own_address, link_signature=link_signature)

__all__ = ["PACKET", "PacketRouter"]
