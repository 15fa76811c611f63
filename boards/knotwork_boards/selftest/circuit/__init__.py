"""Circuit switches: the node test of packet routers at another pace.

A node of a circuit-switched network has the same streams as a node of a packet network: packets to
any node, in order from each source. So this room takes generator, checker and fault injector from
`packet`, and adds only what the network cycle changes. A third room for what the two share would
hold all of `packet` and leave that room empty.
"""

from functools import partial

from knotwork.network import Network
from knotwork.router_kind import RouterKind
from knotwork.topology import LeastCommonAncestor

from ..router_self_test import BuildHints, Store, flows
from .node_test import CircuitNodeTest


class CircuitSelfTest:
    """Self-test of networks in which packets go by circuits."""

    def node_test(self, network: Network) -> CircuitNodeTest:
        """Generator and checker at each node, with the patience that network cycles ask for."""
        return CircuitNodeTest(network)

    def build_hints(self, network: Network) -> BuildHints:
        """Switches choose; each node's interface stores the longest packet."""
        return BuildHints(
            choices=partial(merging_links, LeastCommonAncestor.of(network.topology)),
            stores=packet_memories,
            counters=flows,
            storage_key="max_packet",
            has_pipeline=False,
        )


def merging_links(topology: LeastCommonAncestor, kind: RouterKind) -> int:
    """Outputs of a circuit switch to which several inputs can lead.

    An upper takes from all downers. A downer takes from all uppers and from the downers of the
    other children; on level 0, from its own as well.
    """
    level = topology.level_of(kind.router)
    downers, own = topology.downers[level], topology.wires[level] if level else 0
    uppers = len(kind.ports) - 1 - downers
    return uppers * (downers > 1) + downers * (uppers + downers - own > 1)


def packet_memories(network: Network) -> list[Store]:
    """Memories of the nodes' interfaces: room for two packets each way."""
    hardware = network.hardware
    room = 2 * (hardware.longest_packet or 1)
    return [Store(2 * network.topology.nodes, hardware.data_width + 1, room)]
