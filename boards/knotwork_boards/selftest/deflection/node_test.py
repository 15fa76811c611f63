"""Node test of the networks of deflection routers."""

from knotwork.routing.deflection import Deflection

from ..packet.node_test import PacketNodeTest


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
