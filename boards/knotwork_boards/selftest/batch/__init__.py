"""Routers of batches: sources that follow permutations, and a loader of the tables for them."""

from knotwork.network import Network

from ..router_self_test import BuildHints
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
            choosers="exchanges",
            choices=lambda kind: 1,
            storage_key="words",
            has_pipeline=False,
        )
