"""Packet routers: a generator and a checker at each node, and what the flow knows of crossbars."""

from knotwork.network import Network
from knotwork.router_kind import RouterKind

from ..router_self_test import BuildHints
from .node_test import PacketNodeTest


class PacketSelfTest:
    """Self-test of networks of packet routers."""

    def node_test(self, network: Network) -> PacketNodeTest:
        """Generator and checker at each node."""
        return PacketNodeTest(network)

    def build_hints(self, network: Network) -> BuildHints:
        """Crossbars choose; input buffers store."""
        del network
        return BuildHints(
            choosers="crossbars",
            choices=merging_outputs,
            storage_key="buffer_depth",
            has_pipeline=True,
        )


def merging_outputs(kind: RouterKind) -> int:
    """Outputs of a router's crossbar to which several inputs can lead."""
    inputs: dict[int, set[int]] = {}
    for turn in kind.turns:
        inputs.setdefault(turn.output_port, set()).add(turn.input_port)
    return sum(len(ports) > 1 for ports in inputs.values())
