"""Router into which no table has been loaded: it has all properties of one with fixed tables."""

from ...emit.modules import router_verilog
from ...gateware.packet.classes import by_class
from ...network import Network, RouterKind
from ...routing import Turn
from ..router_proofs import Part
from .credits import CreditHarness, properties


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
        self.environment(~self.inside("loaded"))
        self.environment(self.inside("dead_links", len(kind.links)) == 0)
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
    return [_part(kind, one) for one in by_class(network, kind)]


def _part(kind: RouterKind, one: RouterKind) -> Part:
    """Router of a kind, of which one class is proven."""
    return Part(
        kind.name,
        lambda network, _: router_verilog(network, kind),
        lambda network, _: GeneratedHarness(network, one),
        lambda network: properties(network, one),
        one.traffic_class,
    )
