"""Properties of a router that counts credits, each after what it rests on."""

from collections.abc import Sequence
from dataclasses import replace

from ...emit.modules import router_verilog
from ...gateware.packet.loaded import LoadedTables
from ...gateware.packet.router import CreditRouter
from ...network import Network, RouterKind
from ...router_kind import by_class
from ...routing import Turn
from ..property import Part, Property
from .credit_harness import CreditHarness
from .node_claims import INJECTION, injection_properties
from .options import VOTES, escapes_property, probes_property, sharing_property
from .outputs import (
    EJECTION,
    ROTATION,
    STREAMS,
    grants_property,
    holders_property,
    link_properties,
    progress_property,
)
from .queues import CREDITS, QUEUES, order_property, packets_property
from .route_claims import assertions_property, branches_property, route_property


def properties(network: Network, kind: RouterKind) -> Sequence[Property]:
    """Properties of a router, lemmas first."""
    ports = [port for port in kind.ports if kind.input_vcs(port)]
    whole = [packets_property(network.topology.ports[port], kind, port) for port in ports]
    orders = [
        order_property(network, kind, (port, vc)) for port in ports for vc in kind.input_vcs(port)
    ]
    packed = (*injection_properties(kind), QUEUES, *whole)
    held = (*packed, holders_property(packed))
    granted = grants_property(held)
    base = (*held, granted)
    if kind.traffic_class is not None:
        base = (*base, sharing_property(base))
    leaves = link_properties(base)
    found = [
        route_property(network, kind),
        *([branches_property(network, kind)] if network.has_broadcast else []),
        *base,
        CREDITS,
        *orders,
        *([VOTES] if network.has_parity else []),
        *leaves,
        *([EJECTION, STREAMS] if kind.node_ports else []),
        ROTATION,
        *([escapes_property(base, CREDITS)] if network.routing.escape_class is not None else []),
        progress_property(kind, (QUEUES, granted)),
        *([probes_property(base)] if network.hardware.is_monitored else []),
        # What a gate to a multicast unit holds is taken at once.
        assertions_property((*base, CREDITS, *(leaves[:1] if network.has_multicast else ()))),
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


class GeneratedHarness(CreditHarness):
    """Harness of a router that goes by the tables that were generated, and whose links are alive.

    Its controller is silent. As `swap` shows, no table is in force then, and no link dead.

    Parameters
    ----------
    network, kind : Network, RouterKind
        Router with loaded tables.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        super().__init__(network, kind)
        self.environment(self.port("control") == 0)
        tables = LoadedTables.among(self.component("", CreditRouter).options)
        self.environment(~self.probe(tables.loaded))
        self.environment(self.probe(tables.dead_links) == 0)
        for port in kind.sending:
            self.environment(self.link(port, "o_up"))

    def can_happen(self, *turns: Turn) -> bool:
        """Whether flits take all of these turns by the network's own routing."""
        return super().can_happen(*turns) and all(turn in self._taken for turn in turns)


def generated_parts(network: Network) -> list[Part]:
    """Router with most turns, as long as no table is loaded; each class of traffic by itself."""
    if not network.loads_tables:
        return []
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    return [_part(kind, one) for one in by_class(network.routing, kind)]


def _part(kind: RouterKind, one: RouterKind) -> Part:
    """Router of a kind, of which one class is proven."""
    return Part(
        kind.name,
        lambda network, _: router_verilog(network, kind),
        lambda network, _: GeneratedHarness(network, one),
        lambda network: properties(network, one),
        one.traffic_class,
    )
