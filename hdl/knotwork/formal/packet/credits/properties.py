"""Properties of a router that counts credits, each after what it rests on."""

from collections.abc import Sequence

from ....network import Network, RouterKind
from ...property import Property
from ..claims.injection import from_nodes
from ..claims.routes import assertions, route
from ..observed.channel import channel_name
from .ejection import EJECTION, STREAMS
from .grants import GRANTS
from .links import link_properties
from .order import order
from .packets import packets
from .progress import progress
from .queues import CREDITS, QUEUES
from .rotation import ROTATION


def properties(network: Network, kind: RouterKind) -> Sequence[Property]:
    """Properties of a router, lemmas first."""
    ports = [port for port in kind.ports if kind.input_vcs(port)]
    whole = [packets(network.topology.ports[port], kind, port) for port in ports]
    orders = [
        order(channel_name(network, port, vc), kind, (port, vc))
        for port in ports
        for vc in kind.input_vcs(port)
    ]
    base = (*from_nodes(kind), QUEUES, GRANTS, *whole)
    return [
        route(network, kind),
        *base,
        CREDITS,
        *orders,
        *link_properties(base),
        *([EJECTION, STREAMS] if kind.node_ports else []),
        ROTATION,
        progress(kind, (QUEUES, GRANTS)),
        assertions((*base, CREDITS)),
    ]
