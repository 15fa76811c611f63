"""Packet routers: wormhole switching over virtual channels; broadcasts, multicasts, parity."""

from amaranth.lib import wiring

from ...network import Network, RouterKind
from ..layouts import link_signature
from ..router_class import RouterComponent, RouterGateware
from .credits import CreditRouter, LinkRegisters, credit_signature
from .inputs import constants
from .router import PacketRouter


def _router(network: Network, kind: RouterKind) -> RouterComponent:
    return (CreditRouter if network.has_credits else PacketRouter)(network, kind)


def _link_signature(network: Network) -> wiring.Signature:
    return (credit_signature if network.has_credits else link_signature)(network)


PACKET = RouterGateware(
    router=_router,
    node_side=lambda router, port: router.node_side(port),
    constants=constants,
    link_signature=_link_signature,
    link_registers=LinkRegisters,
)

__all__ = ["PACKET", "CreditRouter", "PacketRouter"]
