"""Deflection in bufferless routers, which pass on all packets in step, and keep none.

A packet is one flit. A packet that does not get the port that it wants takes another one. No packet
waits in the network, so nothing can deadlock; but it must be shown that every packet arrives.

A deflection routing is derived from another routing. It calls that routing's rule as if the packet
had just been injected, so the port that a packet wants depends on router and destination alone. The
`exchanges` are rounds of two-wire blocks that lead each input of a router to each output.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple, Self

import numpy as np

from ..errors import ConfigurationError
from ..parameters import RouterParameters
from ..topology import LOCAL, Topology
from ..topology.product import ProductTopology
from .base import Routing
from .compiled.compilable import compilable
from .options import RoutingOptions
from .rules import Rule, Turn

COUNT_BITS = 4
"""Bits of the cycle count, from bit 1 on, by which blocks choose who wins."""


class Exchange(NamedTuple):
    """Block of two wires, whose packets go straight on or change wires.

    Members
    -------
    wires : tuple of int
        Its wires. Wire n leads from input n to output n.
    sides : tuple of tuple of int
        For each of them, the outputs that a packet can still reach only if it leaves by that wire.
    winner : int or None
        Which of two packets that want the same side wins, 0 or 1; None for that of `count_bit`.
    """

    wires: tuple[int, int]
    sides: tuple[tuple[int, ...], tuple[int, ...]]
    winner: int | None

    @property
    def count_bit(self) -> int:
        """Bit of the cycle count that says who wins. Bit 0 stands still for a packet in flight."""
        return 1 + self.wires[1] % COUNT_BITS


@cache
def exchanges(count: int) -> tuple[tuple[Exchange, ...], ...]:
    """Rounds of blocks of so many wires; the blocks of a round share no wire.

    A block passes on whatever comes, so no packet is ever without an output. Every output can be
    reached from every input, so a packet that wins each of its blocks gets the output it wants.

    Who wins in the first round changes with the cycle count: with fixed winners, packets of a full
    mesh go in circles that only the turns of their addresses end.

    References
    ----------
    W. Knoedel, "New gossips and telephones", Discrete Mathematics 13, 1975: the rounds of an even
    number of wires. C. Fallin, C. Craik and O. Mutlu, HPCA 2011, section 3: routers of such blocks.
    """
    reached = [{wire} for wire in range(count)]
    found = []
    for number, pairs in reversed([*enumerate(_rounds(count))]):
        blocks = []
        for place, (first, second) in enumerate(pairs):
            ways = reached[first], reached[second]
            sides = _sorted(ways[0] - ways[1]), _sorted(ways[1] - ways[0])
            winner = (number + place) % 2 if number else None
            blocks.append(Exchange((first, second), sides, winner))
            reached[first] = reached[second] = ways[0] | ways[1]
        found.append(tuple(blocks))
    return tuple(reversed(found))


def _sorted(outputs: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(outputs))


def _rounds(count: int) -> list[list[tuple[int, int]]]:
    """Pairs of wires, round by round."""
    half, odd = divmod(count, 2)
    if not odd:
        return [
            [(wire, half + (wire + (1 << number) - 1) % half) for wire in range(half)]
            for number in range((count - 1).bit_length())
        ]
    if count == 1:
        return []
    # As many wires as a power of two, and before and after it the others, each beside one of them.
    power = 1 << (count.bit_length() - 1)
    beside = [(wire, power + wire) for wire in range(count - power)]
    return [beside, *_rounds(power), beside]


WIDEST_NUMBERED = 12
"""Most bits of an address with numbered packets: each node keeps a number per destination."""


@cache
def memoryless(rule: Rule) -> Rule:
    """Rule that calls another one as if the packet had just been injected; always in class 0."""

    @compilable
    def memoryless_rule(parameters, router, port, channel_class, destination):
        return rule(parameters, router, 0, 0, destination)[0], 0

    return memoryless_rule


@dataclass(frozen=True, kw_only=True)
class DeflectionOptions(RoutingOptions):
    """No keys of its own; checks that the hardware keys fit."""

    def resolve(self, topology: Topology, hardware: RouterParameters) -> Self:
        """Refuse sequence numbers without a source, and those whose memory would be too large."""
        if hardware.sequence_bits and not hardware.has_source:
            raise ConfigurationError(
                f"{topology.name}: sequence_width must be 0 with source=no, because numbers "
                f"count a source's packets, not {hardware.sequence_bits}"
            )
        if hardware.sequence_bits and topology.address_width > WIDEST_NUMBERED:
            raise ConfigurationError(
                f"{topology.name}: sequence_width must be 0 with addresses of more than "
                f"{WIDEST_NUMBERED} bits, not {hardware.sequence_bits}"
            )
        return self


class Deflection(Routing):
    """Routing by which a packet prefers one port, and takes another one where that is taken.

    Time is divided into phases of ``2^address_width`` turns, one per address, of `turn_clocks`
    cycles each. A packet carries the number of the phase in which it was injected, modulo 2; it is
    old in the other phase. Old packets to the address whose turn it is have priority over all
    others. A router marks them for the next one, so every turn has its effect one hop later.

    All old packets arrive before the phase ends. During the turn of an address, the old packets to
    it want the same port wherever they meet, and have priority. Of those nearest to the address,
    one gets the port that it wants, or is ejected. So with every hop the nearest packet comes one
    hop nearer. A path visits no router twice. Packets that are in first stages in even cycles never
    meet those that are in odd ones, so of each of these halves at least one packet arrives every N
    hops. No packet becomes old within a phase, and a turn has the cycles of N hops for each packet
    of a half, one per link. So a packet takes at most two phases, and one bit is enough to
    distinguish old packets from new ones. All this holds where nodes accept every packet at once: a
    packet that its node does not accept circulates in the network until the node does.

    References
    ----------
    C. Fallin, C. Craik and O. Mutlu, "CHIPPER: a low-complexity bufferless deflection router", HPCA
    2011: blocks of two wires (see `exchanges`), and packets that are golden for a time. Phases and
    turns per destination are Knotwork's.
    """

    router_class: ClassVar[str] = "deflection"
    hop_cycles: ClassVar[int] = 2
    has_phases: ClassVar[bool] = True
    """Whether packets grow old, so that old ones go before all others."""
    settled: ClassVar[str | None] = (
        "a router passes on in every clock all that came in; no packet waits for a channel"
    )
    options_class: ClassVar[type[RoutingOptions]] = DeflectionOptions
    base_class: ClassVar[type[Routing]]
    """Routing whose port a packet prefers."""

    def __init__(
        self,
        topology: Topology,
        *,
        virtual_channels: int | None = None,
        options: RoutingOptions | None = None,
    ) -> None:
        self.base = self.base_class(topology)
        super().__init__(topology, virtual_channels=virtual_channels, options=options)
        self.is_trusted = self.base.is_trusted

    @property
    def in_order(self) -> bool:
        """False: later packets overtake one that is deflected."""
        return False

    @property
    def rule(self) -> Rule:
        """The base's rule; see `memoryless`."""
        return memoryless(self.base.rule)

    @property
    def parameters(self) -> np.ndarray:
        """The base's."""
        return self.base.parameters

    @property
    def module_groups(self) -> np.ndarray:
        """The base's, where they differ in more than ports and turns."""
        return self.base.module_groups if self.distinct_groups else self.router_groups

    @property
    def distinct_groups(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether the base's gates differ in more than ports and turns."""
        return self.base.distinct_groups

    def group_name(self, router: int) -> str:
        """The base's name."""
        return self.base.group_name(router)

    @property
    def router_groups(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The base's."""
        return self.base.router_groups

    def class_turns(self, router: int) -> set[Turn]:
        """The base's turns from the node: every packet is routed as if its node had injected it."""
        turns = self.base.class_turns(router)
        return {turn for turn in turns if turn.input_port == LOCAL and turn.input_vc == 0}

    @property
    def turn_clocks(self) -> int:
        """Cycles of an address's turn, a power of two: at least N hops per link."""
        links = int((self.topology.neighbours >= 0).sum())
        return 1 << (self.hop_cycles * links * self.topology.routers - 1).bit_length()

    @property
    def most_hops(self) -> int:
        """Most hops of a packet, where nodes accept every packet at once: those of two phases."""
        return (2 * self.turn_clocks << self.topology.address_width) // self.hop_cycles


class RingDeflection(Deflection):
    """Routing on rings that lead one way: along the row, then along the column.

    A packet that came along a row is never deflected: it turns into its column with priority. A
    packet that came along a column loses to it, goes once round the row, and then turns in itself.
    A packet is injected when the port that it wants is free.

    So a packet whose destination is dx columns and dy rows away takes at most
    ``dx + dy * (x + 1)`` hops: at each of dy routers of its column it can be sent once round a row,
    x hops. This holds where nodes accept every packet at once: a packet that its node does not
    accept goes round its column, at most ``y * (x + 1)`` hops, and tries again. How long a packet
    waits to be injected depends on what the other nodes send.

    References
    ----------
    N. Kapre and T. Krishna, "HopliteRT: an efficient FPGA NoC for real-time applications", FPT
    2017.
    """

    hop_cycles: ClassVar[int] = 1
    has_phases: ClassVar[bool] = False

    def class_turns(self, router: int) -> set[Turn]:
        """None: all routers are alike."""
        del router
        return set()

    @property
    def most_hops(self) -> int:
        """Most hops of a packet, where nodes accept every packet at once."""
        columns, rows = (factor.size for factor in ProductTopology.of(self.topology).factors)
        return columns - 1 + (rows - 1) * (columns + 1)


@cache
def _deflection_class(kind: type[Deflection], routing: type[Routing]) -> type[Routing]:
    members = {"name": routing.name, "base_class": routing, "__doc__": kind.__doc__}
    members["unbuildable"] = routing.unbuildable
    return type(f"{routing.__name__}{kind.__name__}", (kind,), members)


def deflection_routing(routing: type[Routing], topology: Topology) -> type[Routing]:
    """Routing whose packets prefer the path of another, in bufferless routers.

    Raises
    ------
    ConfigurationError
        Links lead one way, in another network than a torus.
    """
    is_torus = isinstance(topology, ProductTopology) and len(topology.factors) == 2
    if topology.is_one_way and not is_torus:
        raise ConfigurationError(
            f"{topology.name}: router must not be deflection, because links lead one way and the "
            f"network is no torus of two dimensions"
        )
    return _deflection_class(RingDeflection if topology.is_one_way else Deflection, routing)
