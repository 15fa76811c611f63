"""Circuit switches: the node test of packet routers at another pace.

A node of a circuit-switched network has the same streams as a node of a packet network: packets to
any node, in order from each source. So generator, checker and fault injector are those of `packet`,
and only what the network cycle changes is here.
"""

from functools import partial

from knotwork.network import Network
from knotwork.parameters import CircuitParameters
from knotwork.router_kind import RouterKind
from knotwork.routing.circuits import cycle_clocks
from knotwork.topology import LeastCommonAncestor

from .node_test import BuildHints, Store, flows
from .packet.node_test import PacketNodeTest


class CircuitNodeTest(PacketNodeTest):
    """A generator and a checker at each node, as in a network of packet routers.

    Only the pace differs: packets travel in network cycles, and a packet whose circuit is
    refused, or whose destination is full, waits for the next cycle.
    """

    @property
    def cycles_per_packet(self) -> int:
        """Two network cycles: at most half of the packets offered in one get a circuit."""
        return 2 * self.network_cycle

    @property
    def timer_width(self) -> int:
        """Wide enough that the timer outlasts several network cycles.

        A packet arrives in every network cycle, unless all that have circuits find full
        destinations; meanwhile those destinations hand packets to their nodes.
        """
        return max(super().timer_width, (4 * self.network_cycle).bit_length())

    @property
    def network_cycle(self) -> int:
        """Longest network cycle, in clock cycles: `CircuitController.clocks`."""
        topology = LeastCommonAncestor.of(self._network.topology)
        return cycle_clocks(topology, CircuitParameters.of(self._network.hardware).max_packet)


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
    """Memories of the nodes' interfaces: space for two packets in each direction."""
    hardware = network.hardware
    depth = 2 * (hardware.longest_packet or 1)
    return [Store(2 * network.topology.nodes, hardware.data_width + 1, depth)]
