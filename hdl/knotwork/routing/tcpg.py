# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Routing and broadcasts of the torus-connected Petersen graph."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from ..parameters import Choice, parameter
from ..topology import LOCAL, Tcpg
from ..topology.factors import Factor
from ..topology.petersen import DISTANCES, MINUS, PLUS, SPOKE
from ..topology.tcpg import LEFT
from .compiled.compilable import compilable
from .options import Broadcast, BroadcastOptions, RoutingOptions
from .product import AT, Crossings, Ends, FactorByFactor, Throughs, composed
from .rules import Turn

_DISTANCES: Any = DISTANCES


@compilable
def ring_position(parameters, router, axis):
    """Size of the ring of columns (axis 0) or rows (1), and a router's position on it."""
    columns, ring = parameters[AT.columns], router // parameters[AT.block]
    if axis == 0:
        return columns, ring % columns
    return parameters[AT.rows], ring // columns


@compilable
def by_ttl(parameters, router, port, channel_class, label, source, output):
    """Broadcast by hops to live: through the Petersen graph, then round the rows, the columns.

    A ring of 2 n is left in both directions, n hops back and n - 1 on.
    """
    if output < LEFT:
        if port == LOCAL:
            return 1, 0
        if port < LEFT and output != port and label == 1:
            return 0, parameters[AT.last_petersen_class]
        return -1, 0
    axis, forward = (output - LEFT) // 2, (output - LEFT) % 2
    size, here = ring_position(parameters, router, axis)
    if port < LEFT + 2 * axis:  # from an earlier factor
        return max(size // 2 - 1 - forward, -1), 0
    if port != output ^ 1 or label == 0:
        return -1, 0
    over_dateline = here == (0 if forward else size - 1)
    last_class = parameters[AT.last_row_class]
    return label - 1, last_class if over_dateline else min(channel_class, last_class)


@compilable
def hops_to_live(parameters, router, port, source):
    """Label that a copy has in `by_ttl`, from where it came and how far its source is."""
    block = parameters[AT.block]
    if port == LOCAL:
        return 0
    if port < LEFT:
        return 2 - _DISTANCES[source % block, router % block]
    axis, forward = (port - LEFT) // 2, (port - LEFT) % 2 == 0  # by the left port, going right
    size, here = ring_position(parameters, router, axis)
    start = ring_position(parameters, source, axis)[1]
    if forward:
        return size // 2 - 1 - (here - start) % size
    return size // 2 - (start - here) % size


@compilable
def by_address(parameters, router, port, channel_class, label, source, output):
    """Broadcast as `by_ttl`, with the label computed from the source's address."""
    label = hops_to_live(parameters, router, port, source)
    sent, out_class = by_ttl(parameters, router, port, channel_class, label, source, output)
    return min(sent, 0), out_class


@dataclass(frozen=True, kw_only=True)
class TcpgBroadcastOptions(BroadcastOptions):
    """Keys of a routing with broadcasts; `by_ttl` if unnamed."""

    broadcast: str = parameter(
        Choice(("ttl", "address", "no")),
        help="rule by which the routers branch",
        default="ttl",
    )


def broadcast_crossings(factor: Factor, first: int, last_class: int) -> Crossings:
    """Crossings of the copies of broadcasts; every one that comes also enters later factors."""
    if factor.is_row:
        return _ring_crossings(factor, first, last_class)
    ports = (SPOKE, PLUS, MINUS)
    starts: Ends = {(port, 0) for port in ports}
    ends: Ends = {(port, vc_class) for port in ports for vc_class in (0, last_class)}
    on: Throughs = {(i, 0, o, last_class) for i in ports for o in ports if i != o}
    return Crossings([starts], [ends], [on])


def _ring_crossings(factor: Factor, first: int, last_class: int) -> Crossings:
    """Crossings on a ring, which a copy goes half way round, forward one hop less."""
    group = factor.position_groups
    groups = range(int(group.max()) + 1)
    size, half = factor.size, factor.size // 2
    starts: list[Ends] = [set() for _ in groups]
    ends: list[Ends] = [set() for _ in groups]
    throughs: list[Throughs] = [set() for _ in groups]
    for forward, run in enumerate((half, half - 1)):
        into, out = first + 1 - forward, first + forward
        for start in range(size if run else 0):
            starts[group[start]].add((out, 0))
            vc_class = 0
            for hop in range(1, run + 1):
                here = (start + hop if forward else start - hop) % size
                ends[group[here]].add((into, vc_class))
                after = last_class if here == (0 if forward else size - 1) else vc_class
                if hop < run:
                    throughs[group[here]].add((into, vc_class, out, after))
                vc_class = after
    return Crossings(starts, ends, throughs)


class PetersenFirst(FactorByFactor):
    """Within the Petersen graph first, then along the row, then along the column.

    Packets are also broadcast along the same paths, in the same two classes: in the Petersen
    graph hop 1 in class 0 and hop 2 in class 1, on a ring class 1 after the dateline.

    References
    ----------
    See `Tcpg`. The broadcast is its recursive doubling, extended to Johnson codes of more than two
    bits.
    """

    name: ClassVar[str] = "petersen_first"
    options_class: ClassVar[type[RoutingOptions]] = TcpgBroadcastOptions

    @property
    def ttl_bits(self) -> int:
        """Bits of a count of hops to live: at most k - 1 or m - 1, and 1 in a Petersen graph."""
        assert isinstance(self.topology, Tcpg)
        return (max(self.topology.k, self.topology.m, 2) - 1).bit_length()

    @property
    def broadcasts(self) -> dict[str, Broadcast]:
        """Rules `by_ttl` and `by_address`; they make one tree."""
        bits = self.ttl_bits
        return {
            "ttl": Broadcast("ttl", by_ttl, bits, bits),
            "address": Broadcast("address", by_address, 0, 0),
        }

    @cached_property
    def _broadcast_crossings(self) -> list[Crossings]:
        first, found = 1, []
        for factor in self.topology.factors:
            found.append(broadcast_crossings(factor, first, self.numbers.last_class(factor)))
            first += len(factor.ports)
        return found

    def broadcast_class_turns(self, router: int) -> set[Turn]:
        """See `composed`."""
        if self.broadcast is None:
            return set()
        return composed(self._broadcast_crossings, self._groups[router].tolist(), copies=True)


ROUTINGS = (PetersenFirst,)
