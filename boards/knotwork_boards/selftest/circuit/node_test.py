"""Node test of the networks in which packets go by circuits."""

from knotwork.parameters import CircuitParameters
from knotwork.routing.circuits import cycle_clocks
from knotwork.topology import LeastCommonAncestor

from ..packet.node_test import PacketNodeTest


class CircuitNodeTest(PacketNodeTest):
    """A generator and a checker at each node, as in a network of packet routers.

    Only the pace differs: packets travel in network cycles, and a packet that finds its way taken,
    or its destination full, waits for the next cycle.
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
