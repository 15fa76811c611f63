"""Deflection: a router keeps nothing, and passes on in every clock all that came in.

A packet is one flit. One that cannot have the port that it wants takes another, so nothing waits in
the network, nothing can deadlock, and what has to be shown instead is that every packet arrives.

Both rules ask the routing that they are made from as if the packet had just been injected, so its
way from a router depends on router and destination alone.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import ConfigurationError
from ..parameters import RouterParameters
from ..topology import LOCAL, Topology
from .base import Routing
from .compiled.compilable import compilable
from .options import RoutingOptions
from .rules import Rule, Turn

WIDEST_NUMBERED = 12
"""Bits of an address, at most, where packets are numbered: every node has a number for each."""


@cache
def memoryless(rule: Rule) -> Rule:
    """Rule that asks another as of a packet just injected; its class is always 0."""

    @compilable
    def ask(parameters, router, port, channel_class, destination):
        return rule(parameters, router, 0, 0, destination)[0], 0

    return ask


@dataclass(frozen=True, kw_only=True)
class DeflectionOptions(RoutingOptions):
    """No keys: what deflection needs of the hardware's."""

    def resolved(self, topology: Topology, hardware: RouterParameters) -> Self:
        """Refuse numbers where no one could use them, or their memory would be too large."""
        if hardware.sequence_bits and not hardware.has_source:
            raise ConfigurationError(
                f"{topology.name}: sequence_width must be 0 with source=no, for numbers are of a "
                f"source's packets, not {hardware.sequence_bits}"
            )
        if hardware.sequence_bits and topology.address_width > WIDEST_NUMBERED:
            raise ConfigurationError(
                f"{topology.name}: sequence_width must be 0 with addresses of more than "
                f"{WIDEST_NUMBERED} bits, not {hardware.sequence_bits}"
            )
        return self


class Deflection(Routing):
    """Routing by which a packet prefers its way, and takes another where that is taken.

    Time is cut into phases of ``2^address_width`` turns of `turn_clocks` each, a turn an address. A
    packet carries the number of the phase in which it was injected, modulo 2; it is old in the
    other one. Old packets to the address whose turn it is go before all others.

    All old packets arrive before the phase ends. In its turn, the old packets to an address want
    the same port wherever they meet, and go before all others: of those nearest to it, one gets the
    port that it wants, or is ejected. So every clock brings the nearest a hop nearer, one arrives
    at least every N clocks, for a way visits no router twice, and no packet becomes old within a
    phase. A turn is N clocks for each flit that the links hold. So a packet takes two phases at
    most, which also shows that one bit tells old from new. Both hold where nodes take what comes:
    a packet to a node that does not goes on through the network until it does.

    References
    ----------
    C. Fallin, C. Craik and O. Mutlu, "CHIPPER: a low-complexity bufferless deflection router", HPCA
    2011: a packet that is golden for a time. Phases, and turns of destinations, are Knotwork's own.
    """

    router_class: ClassVar[str] = "deflection"
    has_phases: ClassVar[bool] = True
    """Whether packets grow old, so that old ones go before all others."""
    settled: ClassVar[str | None] = (
        "a router passes on in every clock all that came in; no packet waits for a channel"
    )
    options_class: ClassVar[type[RoutingOptions]] = DeflectionOptions
    base_class: ClassVar[type[Routing]]
    """Routing whose way a packet prefers."""

    def __init__(
        self,
        topology: Topology,
        *,
        virtual_channels: int | None = None,
        options: RoutingOptions | None = None,
    ) -> None:
        self.base = self.base_class(topology)
        super().__init__(topology, virtual_channels=virtual_channels, options=options)

    @property
    def in_order(self) -> bool:
        """False: a packet that is deflected is overtaken."""
        return False

    @property
    def rule(self) -> Rule:
        """The base's, asked as of a packet just injected."""
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

    def place(self, router: int) -> str:
        """The base's word."""
        return self.base.place(router)

    @property
    def router_groups(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The base's."""
        return self.base.router_groups

    def class_turns(self, router: int) -> set[Turn]:
        """The base's from the node: every packet is asked about as if it came from there."""
        turns = self.base.class_turns(router)
        return {turn for turn in turns if turn.input_port == LOCAL and turn.input_vc == 0}

    @property
    def turn_clocks(self) -> int:
        """Clocks of an address's turn, a power of two: N for each flit that the links hold."""
        links = int((self.topology.neighbours >= 0).sum())
        return 1 << (links * self.topology.routers - 1).bit_length()

    @property
    def most_hops(self) -> int:
        """Hops that no packet exceeds, where nodes take what comes: the clocks of two phases."""
        return 2 * self.turn_clocks << self.topology.address_width


class RingDeflection(Deflection):
    """Routing on rings that lead one way: along the row, then along the column.

    A packet that came by a row is never deflected: it turns into its column before all others. One
    that came by a column goes round the row once where another turns in, and then turns in itself.
    A packet enters where the port that it wants is free.

    So a packet from (a, b) to (c, d) that is dx columns and dy rows away takes at most
    ``dx + dy * (x + 1)`` hops, for at each of dy routers of its column it can be sent once round a
    row, x hops. That holds where nodes take what comes: a packet to a node that does not goes round
    its column, at most ``y * (x + 1)`` hops, and tries again. How long a packet waits to enter
    depends on what the others send.

    References
    ----------
    N. Kapre and T. Krishna, "HopliteRT: an efficient FPGA NoC for real-time applications", FPT
    2017.
    """

    has_phases: ClassVar[bool] = False

    def class_turns(self, router: int) -> set[Turn]:
        """None: all routers are alike."""
        del router
        return set()

    @property
    def most_hops(self) -> int:
        """Hops that no packet exceeds, where nodes take what comes."""
        topology: Any = self.topology
        columns, rows = (factor.size for factor in topology.factors)
        return columns - 1 + (rows - 1) * (columns + 1)


@cache
def _made(kind: type[Deflection], routing: type[Routing]) -> type[Routing]:
    members = {"name": routing.name, "base_class": routing, "__doc__": kind.__doc__}
    members["unbuildable"] = routing.unbuildable
    return type(f"{routing.__name__}{kind.__name__}", (kind,), members)


def deflected(routing: type[Routing], topology: Topology) -> type[Routing]:
    """Routing whose packets prefer the way of another, in bufferless routers."""
    return _made(RingDeflection if topology.is_one_way else Deflection, routing)
