"""Proofs of packet routers.

The modules build on each other in this order: `rule_turns` follows the routing's rule; `channels`
watches the module's ports and wires; `router_harness` puts a router into its environment;
`node_claims` and `route_claims` state what must hold of every router. Then come the two routers:
`plain`, and the one that counts credits: `ports`, `credit_channel` and `special_channels` watch it,
`credit_harness` gives it neighbours that send no flit without a credit, `queues`, `outputs` and
`options` state what must hold, and `credits` orders that. `links`, `loaded`, `stores` and `monitor`
prove what a network has beside such routers.
"""

from collections.abc import Sequence

from ...emit.modules import module_writer
from ...gateware.wiring_plan import controller_module
from ...network import Network, RouterKind
from ...router_kind import by_class
from ...routing.selection import FIRST
from ..harness import Harness
from ..property import Part, Property, RouterProofs
from . import credits, plain
from .credit_harness import CreditHarness
from .credits import generated_parts
from .links import link_parts
from .loaded import LoadControllerHarness, LoadedHarness, controller_properties
from .loaded import router_properties as loaded_properties
from .monitor import monitor_parts
from .plain import PlainHarness
from .route_claims import assume_reachable
from .router_harness import RouterHarness
from .stores import store_parts


class PacketProofs(RouterProofs):
    """Proofs of packet routers."""

    def separate_kinds(self, network: Network, kind: RouterKind) -> Sequence[RouterKind]:
        """A kind for each class of traffic, where there are several.

        What is claimed of loaded tables and of dead links is of all classes at once.
        """
        return [kind] if network.loads_tables else by_class(network.routing, kind)

    def harness(self, network: Network, kind: RouterKind) -> Harness:
        if network.loads_tables:
            return LoadedHarness(network, kind)
        if network.traffic_classes > 1 and kind.traffic_class is None:
            kind = self.separate_kinds(network, kind)[0]
        return (CreditHarness if network.has_credits else PlainHarness)(network, kind)

    def properties(self, network: Network, kind: RouterKind) -> Sequence[Property]:
        if network.loads_tables:
            return loaded_properties()
        if network.traffic_classes > 1 and kind.traffic_class is None:
            kind = self.separate_kinds(network, kind)[0]
        return (credits if network.has_credits else plain).properties(network, kind)

    def reachable_harness(self, network: Network, kind: RouterKind) -> Harness:
        """Harness that considers only headers of packets of the routing."""
        harness = self.harness(network, kind)
        # With parity other headers come too, whatever bits of them are wrong; and the copies of
        # multicasts name the first source, which no walk of a unicast knows.
        has_others = network.has_parity or network.has_multicast
        if isinstance(harness, RouterHarness) and not has_others:
            assume_reachable(harness)
        return harness

    def unmet_requirement(self, network: Network) -> str | None:
        if network.routing.selection != FIRST:
            return f"selection={FIRST.name}"
        return None

    def parts(self, network: Network) -> Sequence[Part]:
        """What is along links that take several cycles; stores; a monitor; a controller."""
        beside = (link_parts, store_parts, monitor_parts, generated_parts, _controller)
        return [part for parts in beside for part in parts(network)]

    def unproven(self, network: Network) -> Sequence[str]:
        found = {
            "tables=loaded: what routers do beside swaps and dead links, once a table is "
            "loaded": network.loads_tables,
            "multicast=yes: which multicasts a unit refuses": network.has_multicast,
        }
        return [text for text, holds in found.items() if holds]


def _controller(network: Network) -> list[Part]:
    """Controller of loaded tables, if there is one."""
    if not network.loads_tables:
        return []
    controller = Part(
        network.module_name("controller"),
        module_writer(controller_module),
        LoadControllerHarness,
        controller_properties,
    )
    return [controller]


PROOFS = PacketProofs()
"""Entry of the registry `formal.proofs`."""
