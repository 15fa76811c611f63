"""Properties of a router that counts credits, each after what it rests on."""

from collections.abc import Sequence
from dataclasses import replace

from ....network import Network, RouterKind
from ...property import Property
from ..claims.injection import INJECTION, from_nodes
from ..claims.routes import assertions, branches, route
from .ejection import EJECTION, STREAMS
from .escapes import escapes
from .grants import grants, holders
from .links import link_properties
from .order import order
from .packets import packets
from .probes import probes
from .progress import progress
from .queues import CREDITS, QUEUES
from .rotation import ROTATION
from .sharing import sharing
from .votes import VOTES


def properties(network: Network, kind: RouterKind) -> Sequence[Property]:
    """Properties of a router, lemmas first."""
    ports = [port for port in kind.ports if kind.input_vcs(port)]
    whole = [packets(network.topology.ports[port], kind, port) for port in ports]
    orders = [order(network, kind, (port, vc)) for port in ports for vc in kind.input_vcs(port)]
    packed = (*from_nodes(kind), QUEUES, *whole)
    held = (*packed, holders(packed))
    granted = grants(held)
    base = (*held, granted)
    if kind.traffic_class is not None:
        base = (*base, sharing(base))
    leaves = link_properties(base)
    found = [
        route(network, kind),
        *([branches(network, kind)] if network.has_broadcast else []),
        *base,
        CREDITS,
        *orders,
        *([VOTES] if network.has_parity else []),
        *leaves,
        *([EJECTION, STREAMS] if kind.node_ports else []),
        ROTATION,
        *([escapes(base, CREDITS)] if network.routing.escape_class is not None else []),
        progress(kind, (QUEUES, granted)),
        *([probes(base)] if network.hardware.is_monitored else []),
        # What a gate to a multicast unit holds is taken at once.
        assertions((*base, CREDITS, *(leaves[:1] if network.has_multicast else ()))),
    ]
    # What one node sends into several channels at a time comes one by one.
    is_merged = network.has_broadcast or network.has_multicast
    return [_after_injection(one) for one in found] if is_merged else found


def _after_injection(one: Property) -> Property:
    """Property whose queues and fronts rest on what nodes send.

    A broadcast that is too long is dropped, and a multicast unit sends one flit at a time.
    """
    lemmas = tuple(map(_after_injection, one.lemmas))
    if one is ROTATION:
        lemmas += (INJECTION,)
    return replace(one, lemmas=(INJECTION,) if one is QUEUES else lemmas)
