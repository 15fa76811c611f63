"""Proofs of bufferless routers of two variants: of networks with phases, and of rings.

Time is cut into phases: of old packets, one goes first. Rings lead one way: the packets of a row
turn into the column before all others.
"""

from collections.abc import Sequence
from itertools import combinations

from amaranth.hdl import Cat, Const, Value

from ...gateware.deflection.router import DeflectionRouter
from ...network import Network, RouterKind
from ...routing.deflection import Deflection
from ...topology import LOCAL
from ...topology.product import ProductTopology
from ..property import Property, RouterProofs
from .router import INJECTION, PASSES, STREAMS, Before, DeflectionHarness

_PAIRS = 4096
"""Pairs of router and destination up to which wanted ports are compared."""


class PhaseHarness(DeflectionHarness):
    """Harness of a router whose packets grow old: all that are first have one destination.

    Routers mark packets in step, so those that meet were marked in the same turn.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        super().__init__(network, kind)
        for one, other in combinations(self.incoming, 2):
            both = one.valid & one.packet.first & other.valid & other.packet.first
            self.environment(~both | (one.packet.destination == other.packet.destination))


def _claim_marks(harness: DeflectionHarness) -> None:
    """Claim which packets leave as first ones."""
    before = Before(harness, harness.enters())
    routing = Deflection.of(harness.network.routing)
    low = routing.turn_clocks.bit_length() - 1
    now = harness.probe(harness.component("", DeflectionRouter).now)
    phase, turn = now[-1], now[low:-1]
    old = [v & (p.phase != phase) & (p.destination == turn) for v, p in harness.incoming]
    was_old = [harness.delayed(value, f"old_{number}") for number, value in enumerate(old)]
    for valid, found in harness.outgoing:
        same = [
            v & (p.data == found.data) for v, p in zip(before.valid, before.packets, strict=True)
        ]
        for number, is_same in enumerate(same):
            others = Cat(same[:number] + same[number + 1 :]).any()
            mark = was_old[number] if number < len(was_old) else Const(0)
            harness.claim(~(valid & is_same & ~others) | (found.first == mark))
        harness.cover(valid & found.first)


def _claim_priority(harness: DeflectionHarness) -> None:
    """Claim that of the packets that go first, one gets the port that they want."""
    before = Before(harness, harness.enters())
    topology = harness.network.topology
    routing = Deflection.of(harness.network.routing)
    width = topology.address_width
    was_first = [
        harness.delayed(valid & packet.first, f"first_{number}")
        for number, (valid, packet) in enumerate(harness.incoming)
    ]
    wanted: dict[int, list[int]] = {port: [] for port in harness.kind.ports}
    chosen = _routers(harness.network, harness.kind)
    harness.environment(harness.address.matches(*(topology.address(router) for router in chosen)))
    for router in chosen:
        for node in range(topology.nodes):
            port, _ = routing.rule(routing.parameters, router, LOCAL, 0, node)
            code = topology.address(router) << width | topology.address(node)
            wanted[int(port)].append(code)
    places: dict[int, tuple[Value, Value, list[Value]]] = {
        port: (valid, found.data, [packet.data for packet in before.packets])
        for port, (valid, found) in zip(harness.kind.ports[1:], harness.outgoing, strict=True)
    }
    ejects = harness.port("m_axis_tvalid") & before.has_space
    ejected_data = harness.port("m_axis_tdata")
    places[LOCAL] = ejects, ejected_data, [packet.data for packet in before.packets]
    anybody = []
    for port, codes in wanted.items():
        if not codes:
            continue
        valid, found, packets = places[port]
        pairs = (Cat(packet.destination, harness.address) for packet in before.packets)
        requests = [was & pair.matches(*codes) for was, pair in zip(was_first, pairs, strict=False)]
        served = [was & (found == one) for was, one in zip(was_first, packets, strict=False)]
        requested = harness.named(Cat(requests).any(), f"requested_{port}")
        may = before.has_space if port == LOCAL else Const(1)
        harness.claim(~(requested & may) | (valid & Cat(served).any()))
        anybody.append(requested & may)
    harness.cover(Cat(anybody).any())


def _routers(network: Network, kind: RouterKind) -> list[int]:
    number = network.router_kinds.index(kind)
    found = [r for r in range(network.topology.routers) if network.router_number[r] == number]
    return found[: max(1, _PAIRS // network.topology.nodes)]


MARKS = Property(
    name="marks",
    text="a packet leaves as first where it was old and to the address whose turn it was",
    claim=_claim_marks,
)


class PhaseProofs(RouterProofs):
    """Proofs of routers in networks with phases."""

    def harness(self, network: Network, kind: RouterKind) -> PhaseHarness:
        return PhaseHarness(network, kind)

    def properties(self, network: Network, kind: RouterKind) -> Sequence[Property]:
        count = len(_routers(network, kind))
        priority = Property(
            name="priority",
            text="of packets that are first, all to one address, one gets the port that they want, "
            f"at {count} routers of this kind",
            claim=_claim_priority,
        )
        return [INJECTION, PASSES, STREAMS, MARKS, priority]


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
