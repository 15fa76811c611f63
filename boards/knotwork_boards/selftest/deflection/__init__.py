"""Deflection routers: the node test of packet routers, for packets of one beat.

A node has the same streams as one of a packet network, and its packets may overtake each other, as
they may there with escape channels. So this room takes generator, checker and fault injector from
`packet`.
"""

from knotwork.network import Network
from knotwork.router_kind import RouterKind
from knotwork.routing.deflection import Deflection
from knotwork.routing.exchanges import exchanges

from ..router_self_test import BuildHints, Store, flows
from .node_test import DeflectionNodeTest


class DeflectionSelfTest:
    """Self-test of networks of deflection routers."""

    def node_test(self, network: Network) -> DeflectionNodeTest:
        """Generator and checker at each node."""
        return DeflectionNodeTest(network)

    def build_hints(self, network: Network) -> BuildHints:
        """Blocks of two wires choose, or the two outputs of a ring's router; nothing is stored."""
        has_phases = Deflection.of(network.routing).has_phases
        return BuildHints(
            choices=choices_of_blocks if has_phases else choices_of_rings,
            stores=packet_numbers,
            counters=flows,
            storage_key="sequence_width",
            has_pipeline=False,
        )


def choices_of_blocks(kind: RouterKind) -> int:
    """Choices in a router of blocks: at each input, at each wire of a block, before the node."""
    links = len(kind.ports) - 1
    blocks = sum(map(len, exchanges(links)))
    return links + 2 * blocks + (links > 1)


def choices_of_rings(kind: RouterKind) -> int:
    """Choices in a router of one-way rings: its two outputs."""
    return len(kind.ports) - 1


def packet_numbers(network: Network) -> list[Store]:
    """Numbers of the next packet to each address, where packets are numbered."""
    depth = 1 << network.topology.address_width
    width = network.sequence_width
    return [Store(network.topology.nodes, width, depth)] if width else []
