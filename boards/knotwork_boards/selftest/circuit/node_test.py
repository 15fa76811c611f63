"""Bench of the networks in which packets go by circuits."""

from knotwork.routing.circuits import cycle_clocks
from knotwork.topology import LeastCommonAncestor

from ..packet.node_test import PacketBench


class CircuitBench(PacketBench):
    """A generator and a checker at each node, as for packets that go their own ways.

    Only the network's pace is another: packets come in network cycles, and one that found its way
    taken, or its destination full, waits for the next.
    """

    @property
    def clocks_a_packet(self) -> int:
        """Those of two network cycles: half of what is offered in one gets a circuit, or less."""
        return 2 * self.network_cycle

    @property
    def timer_width(self) -> int:
        """So that some network cycles do not take as long as the timer.

        In every one a packet arrives, unless those with circuits all find full destinations; in
        the meantime these give theirs away.
        """
        return max(super().timer_width, (4 * self.network_cycle).bit_length())

    @property
    def network_cycle(self) -> int:
        """Clocks of a network cycle at the most: `CircuitController.clocks`."""
        topology = self._network.topology
        assert isinstance(topology, LeastCommonAncestor)
        return cycle_clocks(topology, self._network.hardware.max_packet)
