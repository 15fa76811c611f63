"""Deflection routers: the node test of packet routers, for packets of one beat.

A node has the same streams as one of a packet network, and its packets may overtake each other, as
they may there with escape channels. So generator, checker and fault injector are those of `packet`.
"""

from knotwork.network import Network
from knotwork.router_kind import RouterKind
from knotwork.routing.deflection import Deflection, exchanges

from .node_test import BuildHints, Store, flows
from .packet.node_test import PacketNodeTest


class DeflectionNodeTest(PacketNodeTest):
    """A generator and a checker at each node, as in a network of packet routers.

    All packets have one beat. A packet that its checker holds back circulates, so later ones may
    overtake it: see `packet.order.judge_in_window`.
    """

    @property
    def cycles_per_packet(self) -> int:
        """One beat and its pauses, through a loaded network."""
        return 4

    @property
    def pause_log2(self) -> int:
        """Outlasts two journeys of a single packet, each of as many hops as there are routers.

        A packet that its node did not take comes back within that many: at worst it goes round a
        column, and round a row at each of its routers.
        """
        routing = Deflection.of(self._network.routing)
        cycles = 2 * routing.hop_cycles * self._network.topology.routers
        return max(super().pause_log2, cycles.bit_length())

    @property
    def timer_width(self) -> int:
        """Wide enough that the timer outlasts the longest pause."""
        return max(super().timer_width, self.pause_log2 + 1)


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
