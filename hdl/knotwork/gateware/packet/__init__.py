"""Packet routers: wormhole switching over virtual channels; broadcasts, multicasts, parity."""

from dataclasses import replace

from amaranth.lib import wiring

from ...network import Network, RouterKind
from ..layouts import local_signature
from ..router_class import RouterComponent, RouterGateware
from .credit_links import credit_signature
from .inputs import constants
from .link_registers import LinkRegisters
from .loaded import LOADER, LoadedTables
from .plain import PlainRouter
from .probes import Probes
from .router import CreditRouter
from .selection import DrawnWays, OpenWays


def _router(network: Network, kind: RouterKind) -> RouterComponent:
    if not network.has_credits:
        return PlainRouter(network, kind)
    selection = network.routing.selection
    has = {
        LoadedTables: network.loads_tables,
        Probes: network.hardware.is_monitored,
        OpenWays: selection.prefers_open,
        DrawnWays: selection.is_drawn,
    }
    return CreditRouter(network, kind, [one(network, kind) for one in has if has[one]])


def _link_signature(network: Network) -> wiring.Signature:
    return (credit_signature if network.has_credits else local_signature)(network)


PACKET = RouterGateware(
    router=_router,
    node_side=lambda router, port: router.node_side(port),
    constants=constants,
    link_signature=_link_signature,
    link_registers=LinkRegisters,
    variant=lambda network: LOADED if network.loads_tables else None,
)
LOADED = replace(PACKET, controller=LOADER)
"""Those whose tables are loaded in service."""

__all__ = ["PACKET", "CreditRouter", "PlainRouter"]
