"""Routers of networks where time is cut into phases: of old packets, one goes first."""

from collections.abc import Sequence

from amaranth.hdl import Cat

from ...network import Network, RouterKind
from ...routing.deflection import Deflection
from ...topology import LOCAL
from ..property import Property
from ..router_proofs import RouterProofs
from .claims import INJECTION, PASSES, STREAMS
from .harness import Before, DeflectionHarness
from .reachable_packets import assume_reachable

_PAIRS = 4096
"""Pairs of router and destination up to which wanted ports are compared."""


def _priority(harness: DeflectionHarness) -> None:
    """Claim that a packet gets the port that it wants if it alone goes first."""
    before = Before(harness, harness.enters())
    topology = harness.network.topology
    routing = Deflection.of(harness.network.routing)
    low = routing.turn_clocks.bit_length() - 1
    width = topology.address_width
    now = harness.inside("now", low + width + 1)
    first = [v & (p.phase != now[-1]) & (p.destination == now[low:-1]) for v, p in harness.came]
    was_first = [harness.register(1, f"first_{number}") for number in range(len(first))]
    harness.m.d.sync += [was.eq(is_first) for was, is_first in zip(was_first, first, strict=True)]
    wanted: dict[int, list[int]] = {port: [] for port in harness.kind.ports}
    chosen = _routers(harness.network, harness.kind)
    harness.environment(harness.address.matches(*(topology.address(router) for router in chosen)))
    for router in chosen:
        for node in range(topology.nodes):
            port, _ = routing.rule(routing.parameters, router, LOCAL, 0, node)
            code = topology.address(router) << width | topology.address(node)
            wanted[int(port)].append(code)
    given = harness.port("m_axis_tvalid") & before.room
    for number, (is_first, packet) in enumerate(zip(was_first, before.packets, strict=False)):
        rivals = [other for place, other in enumerate(was_first) if place != number]
        alone = harness.named(is_first & ~Cat(rivals).any(), f"alone_{number}")
        pair = harness.named(Cat(packet.destination, harness.address), f"pair_{number}")
        for port, codes in wanted.items():
            if not codes:
                continue
            asks = alone & pair.matches(*codes)
            if port == LOCAL:
                taken = given & (harness.port("m_axis_tdata") == packet.data)
                harness.claim(~(asks & before.room) | taken)
            else:
                valid, found = harness.goes[harness.kind.ports.index(port) - 1]
                harness.claim(~asks | (valid & (found.as_value() == packet.as_value())))


def _routers(network: Network, kind: RouterKind) -> list[int]:
    number = network.router_kinds.index(kind)
    found = [r for r in range(network.topology.routers) if network.router_number[r] == number]
    return found[: max(1, _PAIRS // network.topology.nodes)]


class PhaseProofs(RouterProofs):
    """Proofs of routers in networks with phases."""

    def harness(self, network: Network, kind: RouterKind) -> DeflectionHarness:
        return DeflectionHarness(network, kind)

    def properties(self, network: Network, kind: RouterKind) -> Sequence[Property]:
        count = len(_routers(network, kind))
        priority = Property(
            name="priority",
            text="of old packets to the address whose turn it is, one alone gets the port that it "
            f"wants, at {count} routers of this kind",
            claim=_priority,
        )
        return [INJECTION, PASSES, STREAMS, priority]

    def reachable_harness(self, network: Network, kind: RouterKind) -> DeflectionHarness:
        """Harness that considers only packets that some deflections can bring."""
        harness = DeflectionHarness(network, kind)
        assume_reachable(harness)
        return harness
