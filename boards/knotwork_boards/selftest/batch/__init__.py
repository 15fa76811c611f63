"""Routers of batches: sources that follow permutations, and a loader of the tables for them."""

from knotwork.network import Network

from ..node_test import BuildHints, Store
from .node_test import BatchNodeTest


class BatchSelfTest:
    """Self-test of networks in which packets go in batches."""

    def node_test(self, network: Network) -> BatchNodeTest:
        """Source and checker at each node, and a loader of jump tables."""
        return BatchNodeTest(network)

    def build_hints(self, network: Network) -> BuildHints:
        """Each router chooses once: its store takes a packet from its node or from a neighbour."""
        del network
        return BuildHints(
            choices=lambda kind: 1,
            stores=packet_stores,
            counters=lambda network: 0,
            storage_key="words",
            has_pipeline=False,
        )


def packet_stores(network: Network) -> list[Store]:
    """Stores of the routers: one packet each."""
    hardware = network.hardware
    return [Store(network.topology.routers, hardware.data_width, hardware.longest_packet or 1)]
