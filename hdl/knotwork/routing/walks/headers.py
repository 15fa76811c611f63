# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""What a router knows of a flit's addresses without being told: bits that follow from its own.

In dimension order, a packet has its destination's bits in the dimensions behind it already, and its
source's in those before it still: they are the router's own, and a buffer or crossbar that carries
them carries nothing.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..base import Routing
from ..compiled_rules import call_rule, kept_on_disk, rule_address

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


class KnownHeader(NamedTuple):
    """What is known of the two addresses in a flit."""

    destination: KnownBits = KnownBits()
    source: KnownBits = KnownBits()


class HeaderKnowledge:
    """What the flits of all pairs of nodes have in common at each port of each router.

    Parameters
    ----------
    routing : Routing
        Of packets that have one path each. Nothing is known where they can escape, branch or be
        stored and sent on, nor beyond `LIMIT` nodes.
    """

    def __init__(self, routing: Routing) -> None:
        topology = routing.topology
        one_path = routing.escape_class is None and routing.broadcast is None
        relayed = getattr(routing.options, "multicast", "no") == "yes"
        self._differences = None
        if one_path and not relayed and topology.nodes <= LIMIT:
            self._differences = _differences(routing)
        self._all = (1 << topology.address_width) - 1

    def at(self, routers: np.ndarray, port: int, *, leaving: bool) -> KnownHeader:
        """Known of what comes in by a port of any of these routers, or leaves by it to another.

        Nothing where no packet passes.
        """
        if self._differences is None:
            return KnownHeader()
        sometimes, always = self._differences[:, :, routers, port, int(leaving)]
        sometimes = np.bitwise_or.reduce(sometimes, axis=1)
        always = np.bitwise_and.reduce(always, axis=1)
        if np.any(always & ~sometimes):
            return KnownHeader()
        known = zip((self._all & ~sometimes).tolist(), (self._all & always).tolist(), strict=True)
        return KnownHeader(*(KnownBits(same, inverted) for same, inverted in known))


def _differences(routing: Routing) -> np.ndarray:
    """Bits in which addresses differ from a router's, sometimes and always.

    int64 (2, 2, routers, ports, 2): sometimes or always; destination or source; coming in or
    leaving. Where no packet comes, never and always.
    """
    topology = routing.topology
    found = np.zeros((2, 2, *topology.neighbours.shape, 2), np.int64)
    found[1] = -1
    _walk(
        rule_address(routing.rule),
        np.ascontiguousarray(routing.parameters, np.int64),
        topology.neighbours,
        np.ascontiguousarray(topology.peer_ports),
        routing.classes,
        np.array([topology.address(node) for node in range(topology.nodes)], np.int64),
        *found,
    )
    return found


@kept_on_disk(Path(__file__))
def _walk(rule, parameters, neighbours, peer_ports, classes, addresses, sometimes, always):
    for source in range(len(addresses)):
        for destination in range(len(addresses)):
            router, port, vc_class, hops = source, 0, 0, 0
            while True:
                here = addresses[router]
                differs = addresses[destination] ^ here, addresses[source] ^ here
                for address in range(2):
                    sometimes[address, router, port, 0] |= differs[address]
                    always[address, router, port, 0] &= differs[address]
                output, vc_class = call_rule(
                    rule, parameters.ctypes.data, router, port, vc_class, destination
                )
                if output == 0 or hops > len(neighbours) * classes:
                    break
                for address in range(2):
                    sometimes[address, router, output, 1] |= differs[address]
                    always[address, router, output, 1] &= differs[address]
                port = peer_ports[router, output]
                router = neighbours[router, output]
                hops += 1
