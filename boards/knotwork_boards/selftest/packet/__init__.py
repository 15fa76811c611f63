"""Packet routers: a generator and a checker at each node, and what the flow knows of crossbars."""

from collections import Counter

from knotwork.network import Network
from knotwork.router_kind import RouterKind

from ..node_test import BuildHints, Store, flows
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
            choices=merging_outputs,
            stores=input_buffers,
            counters=flows,
            storage_key="buffer_depth",
            has_pipeline=True,
        )


def merging_outputs(kind: RouterKind) -> int:
    """Outputs of a router's crossbar to which several inputs can lead."""
    inputs: dict[int, set[int]] = {}
    for turn in kind.turns:
        inputs.setdefault(turn.output_port, set()).add(turn.input_port)
    return sum(len(ports) > 1 for ports in inputs.values())


def input_buffers(network: Network) -> list[Store]:
    """Buffers of the routers: one per input and virtual channel that its turns begin at."""
    width, numbers = network.hardware.data_width + _HEAD_BITS, network.router_number.tolist()
    of_kind = [
        Counter(
            network.depth_at(kind.router, port)
            for port, _ in {(turn.input_port, turn.input_vc) for turn in kind.turns}
        )
        for kind in network.router_kinds
    ]
    counts: Counter[int] = Counter()
    for number, routers in Counter(numbers).items():
        counts.update({depth: count * routers for depth, count in of_kind[number].items()})
    return [Store(count, width, depth) for depth, count in sorted(counts.items())]


_HEAD_BITS = 2
"""Bits of a buffer's entry beside the payload, about."""
