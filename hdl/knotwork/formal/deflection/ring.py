"""Routers on rings that lead one way: the row's packets turn into the column before all others."""

from collections.abc import Sequence

from ...network import Network, RouterKind
from ...topology.product import ProductTopology
from ..property import Property
from ..router_proofs import RouterProofs
from .claims import INJECTION, PASSES, STREAMS
from .harness import Before, DeflectionHarness


class RingHarness(DeflectionHarness):
    """Harness of a router of rings: a packet in a column is for a node of that column.

    Members
    -------
    column_bits : int
        Bits of a column's number, the lowest of an address.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        super().__init__(network, kind)
        columns, _ = ProductTopology.of(network.topology).factors
        self.column_bits = bits = columns.width
        valid, packet = self.incoming[1]
        self.environment(~valid | (packet.destination[:bits] == self.address[:bits]))


def _claim_turning(harness: RingHarness) -> None:
    """Claim that a packet in its column turns there, and that one of the column yields to it."""
    before = Before(harness, harness.enters())
    ejects = harness.port("m_axis_tvalid") & before.has_space
    bits = harness.column_bits
    row, column = before.packets[0], before.packets[1]
    turns = harness.named(
        before.valid[0] & (row.destination[:bits] == harness.address[:bits]), "turns"
    )
    along, down = (valid for valid, _ in harness.outgoing)
    harness.claim(~turns | down | ejects)
    harness.claim(~(turns & down) | (harness.outgoing[1][1].data == row.data))
    harness.claim(~(turns & before.valid[1]) | along)
    harness.claim(~(turns & before.valid[1]) | (harness.outgoing[0][1].data == column.data))
    harness.claim(~(before.valid[1] & ~turns) | down | ejects)
    harness.cover(turns & before.valid[1])


TURNING = Property(
    name="turning",
    text="a packet of the row turns as soon as it is in its column; one of the column leaves it "
    "only where another turns in",
    claim=_claim_turning,
)


class RingProofs(RouterProofs):
    """Proofs of routers of rings. Nothing more follows from the network."""

    def harness(self, network: Network, kind: RouterKind) -> RingHarness:
        return RingHarness(network, kind)

    def properties(self, network: Network, kind: RouterKind) -> Sequence[Property]:
        return [INJECTION, PASSES, STREAMS, TURNING]
