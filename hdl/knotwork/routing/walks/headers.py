"""Bits of a flit's addresses that a router knows from its own address.

In dimension order, a packet has already reached its destination in the dimensions behind it, and it
is still at its source in those ahead. There the router's own address has the same bits. A buffer or
crossbar need not carry them.
"""

from typing import NamedTuple

import numpy as np

from ..routing_rule import RoutingRule

LIMIT = 1024
"""Nodes up to which all pairs are walked; in larger networks nothing is known."""


class KnownBits(NamedTuple):
    """Bits of an address that are those of the router, or their complements, as masks.

    Members
    -------
    same, inverted : int
        Which are equal to the router's own, and which always differ.
    """

    same: int = 0
    inverted: int = 0

    @property
    def mask(self) -> int:
        """All bits that are known."""
        return self.same | self.inverted


class HeaderBits(NamedTuple):
    """What is known of the two addresses in a flit."""

    destination: KnownBits = KnownBits()
    source: KnownBits = KnownBits()

    def of(self, field: str) -> KnownBits:
        """What is known of a field of the flit; nothing but of the addresses."""
        return self._asdict().get(field, KnownBits())


class HeaderKnowledge:
    """What is known of the flits of all pairs of nodes at each port of each router.

    Parameters
    ----------
    routing : RoutingRule
        Nothing is known unless each packet has one path: not where packets can escape, branch, or
        be stored and sent on. Nothing is known beyond `LIMIT` nodes either.
    """

    def __init__(self, routing: RoutingRule) -> None:
        topology = routing.topology
        one_path = routing.has_one_path and routing.broadcast is None
        self._differences = None
        if one_path and routing.chain_limit == 0 and topology.nodes <= LIMIT:
            self._differences = _differences(routing)
        self._all = (1 << topology.address_width) - 1

    def at(self, routers: np.ndarray, port: int, *, leaving: bool) -> HeaderBits:
        """Known bits of flits that enter these routers by a port, or leave by it to another router.

        Nothing is known where no packet passes.
        """
        if self._differences is None:
            return HeaderBits()
        sometimes, always = self._differences[:, :, routers, port, int(leaving)]
        sometimes = np.bitwise_or.reduce(sometimes, axis=1)
        always = np.bitwise_and.reduce(always, axis=1)
        if np.any(always & ~sometimes):
            return HeaderBits()
        known = zip((self._all & ~sometimes).tolist(), (self._all & always).tolist(), strict=True)
        return HeaderBits(*(KnownBits(same, inverted) for same, inverted in known))


def _differences(routing: RoutingRule) -> np.ndarray:
    """Bits in which addresses differ from a router's, sometimes and always.

    int64 (2, 2, routers, ports, 2): sometimes or always; destination or source; coming in or
    leaving. Where no packet comes, never and always.
    """
    from .loops import compare_addresses

    topology = routing.topology
    found = np.zeros((2, 2, *topology.neighbours.shape, 2), np.int64)
    found[1] = -1
    compare_addresses(
        *routing.loop_rule,
        topology.neighbours,
        np.ascontiguousarray(topology.peer_ports),
        topology.node_ports_table,
        topology.local_ports,
        routing.classes,
        np.array([topology.address(node) for node in range(topology.nodes)], np.int64),
        np.array([topology.router_address(router) for router in range(topology.routers)], np.int64),
        *found,
    )
    return found
