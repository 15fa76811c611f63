"""Proofs of packet routers.

The modules build on each other in this order: `rule_turns` follows the routing's rule; `observed`
and `branching` watch the module's ports and wires; `harness` puts a router into its environment;
`reachable_headers` narrows the environment; `claims` states what must hold; `properties` orders it.
Routers that count credits have their own harness and claims in `credits`, and what those with
loaded tables have beside the others in `loaded`. `stores` proves those of multicast units by
themselves.
"""

from collections.abc import Sequence

from ...emit.modules import controller_verilog
from ...gateware.packet.credits.classes import by_class
from ...network import Network, RouterKind
from ..harness import Harness
from ..property import Property
from ..router_proofs import Part, RouterProofs
from . import credits, loaded, plain
from .generated import generated_parts
from .harness import PacketHarness
from .monitor import monitor_parts
from .plain_harness import PlainHarness
from .properties import properties
from .reachable_headers import assume_reachable
from .router_harness import RouterHarness
from .stores import store_parts


class PacketProofs(RouterProofs):
    """Proofs of packet routers."""

    def divided(self, network: Network, kind: RouterKind) -> Sequence[RouterKind]:
        """A kind for each class of traffic, where there are several.

        What is claimed of loaded tables and of dead links is of all classes at once.
        """
        return [kind] if network.loads_tables else by_class(network, kind)

    def harness(self, network: Network, kind: RouterKind) -> Harness:
        if network.loads_tables:
            return loaded.LoadedHarness(network, kind)
        if network.traffic_classes > 1 and kind.traffic_class is None:
            kind = self.divided(network, kind)[0]
        if network.is_plain:
            return PlainHarness(network, kind)
        make = credits.CreditHarness if network.has_credits else PacketHarness
        return make(network, kind)

    def properties(self, network: Network, kind: RouterKind) -> Sequence[Property]:
        if network.loads_tables:
            return loaded.router_properties()
        if network.traffic_classes > 1 and kind.traffic_class is None:
            kind = self.divided(network, kind)[0]
        if network.is_plain:
            return plain.properties(network, kind)
        order = credits.properties if network.has_credits else properties
        return order(network, kind)

    def reachable_harness(self, network: Network, kind: RouterKind) -> Harness:
        """Harness that considers only headers of packets of the routing."""
        harness = self.harness(network, kind)
        # With parity other headers come too, whatever bits of them are wrong; and the copies of
        # multicasts name the first source, which no walk of a unicast knows.
        has_others = network.has_parity or network.has_multicast
        if isinstance(harness, RouterHarness) and not has_others:
            assume_reachable(harness)
        return harness

    def parts(self, network: Network) -> Sequence[Part]:
        """What is along links that take several cycles; stores; a monitor; a controller."""
        beside = (credits.link_parts, store_parts, monitor_parts, generated_parts, _controller)
        return [part for parts in beside for part in parts(network)]

    def unproven(self, network: Network) -> Sequence[str]:
        found = {
            "tables=loaded: what routers do beside swaps and dead links, once a table is loaded, "
            "and with classes or parity before": network.loads_tables,
            "multicast=yes: which multicasts a unit refuses": network.has_multicast,
        }
        return [text for text, holds in found.items() if holds]

    def lack(self, network: Network) -> str | None:
        return _lacks_credits(network)


def _controller(network: Network) -> list[Part]:
    """Controller of loaded tables, if there is one."""
    if not network.loads_tables:
        return []
    controller = Part(
        network.module_name("controller"),
        controller_verilog,
        loaded.LoadControllerHarness,
        loaded.controller_properties,
    )
    return [controller]


def _lacks_credits(network: Network) -> str | None:
    """What keeps its routers from counting credits, where only routers that do are proven."""
    escapes = network.routing.escape_class is not None
    if network.has_credits or not (escapes or network.has_parity or network.has_multicast):
        return None
    what = "escapes" if escapes else "parity" if network.has_parity else "multicast units"
    return f"pipeline=2 with {what}"


PROOFS = PacketProofs()
"""Entry of the registry `formal.proofs`."""
