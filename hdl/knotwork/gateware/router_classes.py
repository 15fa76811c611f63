"""Registry of the router classes' gateware: one line per class."""

from amaranth.lib.wiring import Member

from ..network import Network
from .batch import BATCH
from .circuit import CIRCUIT
from .deflection import DEFLECTION
from .monitor import monitor_members
from .packet import PACKET
from .router_class import RouterGateware

ROUTER_GATEWARE: dict[str, RouterGateware] = {
    "packet": PACKET,
    "circuit": CIRCUIT,
    "batch": BATCH,
    "deflection": DEFLECTION,
}
"""Components by router class."""


def gateware_of(network: Network) -> RouterGateware:
    """Components of the network's router class."""
    found = ROUTER_GATEWARE[network.router_class]
    return found.variant(network) or found


def outside_ports(network: Network) -> dict[str, Member]:
    """Ports that the network's controller, or its monitor, adds to those of the nodes."""
    controller = gateware_of(network).controller
    ports = {} if controller is None else controller.outside_ports(network)
    return ports | (monitor_members(network) if network.hardware.is_monitored else {})
