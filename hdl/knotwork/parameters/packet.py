"""Hardware parameters of the wormhole packet router."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

from .base import parameter
from .kinds import YES_NO, Choice, Fractions, Integer, Integers
from .routers import Limit, RouterParameters, limits, link_weights

MOST_CHANNELS = 8
"""Virtual channels that a link may have."""


@dataclass(frozen=True, kw_only=True)
class PacketParameters(RouterParameters):
    """Hardware parameters of the wormhole packet router.

    Parameters
    ----------
    data_width : int
        Payload bits per flit, 8..512.
    virtual_channels : int or None
        Virtual channels per link, 1..8; None, until resolved, for as many as the routing needs.
    buffer_depth : int
        Flits per input buffer, 2..1024.
    pipeline : int
        Registers per hop, 1 to 3: so many cycles a head flit takes from link to link. With 2 and 3
        links carry credits; with 3 the crossbar has a cycle of its own.
    allow_deadlock : bool
        Build a network that failed its deadlock check.
    parity : bool
        Give every flit parity bits, and `m_axis` a flag that marks broken packets.
    tables : str
        ``fixed``, or ``loaded`` for routing tables that can be changed while in service, and links
        that can be declared dead.
    counters : bool
        Count flits and waiting cycles of every channel, and refused packets of every node.
    watchdog : int
        Report a channel that is blocked for this many cycles; 0 for no watchdog.
    class_limits : tuple of Fraction or None
        Flits per cycle that a node may send of each class, class 0 first; None for no limits.
    class_bursts : tuple of int or None
        Flits that a node may send of each class at once: a packet starts when so many may go.
    arbitration : str
        ``strict``: the highest class has a link; ``weighted``: they share it by weighted rounds.
    class_weights : tuple of int or None
        Flits that each class may send over a link per round, class 0 first; None for 1 each.
    """

    name: ClassVar[str] = "packet router"
    data_width: int = parameter(Integer(8, 512), help="payload bits per flit", default=32)
    virtual_channels: int | None = parameter(
        Integer(1, MOST_CHANNELS),
        help="virtual channels per link (default: what the routing needs)",
        default=None,
    )
    buffer_depth: int = parameter(Integer(2, 1024), help="flits per VC buffer", default=16)
    pipeline: int = parameter(Integer(1, 3), help="registers per hop", default=2)
    allow_deadlock: bool = parameter(
        YES_NO, help="build the network even if it can deadlock", default=False
    )
    parity: bool = parameter(
        YES_NO, help="mark packets that an upset has corrupted", default=False, silent=True
    )
    tables: str = parameter(
        Choice(("fixed", "loaded")),
        help="routing tables: fixed when generated, or loaded in operation",
        default="fixed",
        silent=True,
    )
    counters: bool = parameter(
        YES_NO,
        help="count the flits and the blocked cycles of every channel",
        default=False,
        silent=True,
    )
    watchdog: int = parameter(
        Integer(0, 2**32 - 1),
        help="report a channel that is blocked for this many cycles; 0 for no watchdog",
        default=0,
        silent=True,
    )
    class_limits: tuple[Fraction, ...] | None = parameter(
        Fractions(256),
        help="flits per cycle that a node may inject of each class, as in 1,1/20 (default: no "
        "limit)",
        default=None,
        silent=True,
    )
    class_bursts: tuple[int, ...] | None = parameter(
        Integers(1, 64),
        help="flits of each class that a node may inject in a row (default: 1)",
        default=None,
        silent=True,
    )
    arbitration: str = parameter(
        Choice(("strict", "weighted")),
        help="how classes share a link: the highest first, or by weights",
        default="strict",
        silent=True,
    )
    class_weights: tuple[int, ...] | None = parameter(
        Integers(1, 15),
        help="flits of each class per round of the arbiter (default: 1)",
        default=None,
        silent=True,
    )

    def resolve(self, virtual_channels: int) -> Self:
        """Same parameters, resolved, with the routing's number of virtual channels."""
        return replace(super().resolve(virtual_channels), virtual_channels=virtual_channels)

    @property
    def requested_virtual_channels(self) -> int | None:
        """Value of `virtual_channels`."""
        return self.virtual_channels

    @property
    def has_parity(self) -> bool:
        """Value of `parity`."""
        return self.parity

    @property
    def loads_tables(self) -> bool:
        """Value of `tables`."""
        return self.tables == "loaded"

    @property
    def has_counters(self) -> bool:
        """Value of `counters`."""
        return self.counters

    @property
    def watchdog_bound(self) -> int:
        """Value of `watchdog`."""
        return self.watchdog

    @property
    def allows_deadlock(self) -> bool:
        """Value of `allow_deadlock`."""
        return self.allow_deadlock

    @property
    def input_buffer(self) -> int:
        """Value of `buffer_depth`."""
        return self.buffer_depth

    def injection_limits(self, classes: int, *, owner: str) -> tuple[Limit | None, ...]:
        """Limits of each class of traffic."""
        return limits(self.class_limits, self.class_bursts, classes=classes, owner=owner)

    def class_weights_of(self, classes: int, *, owner: str) -> tuple[int, ...]:
        """Weights of each class of traffic."""
        return link_weights(self.arbitration, self.class_weights, classes=classes, owner=owner)

    @property
    def has_credits(self) -> bool:
        """Whether a hop has several registers."""
        return self.pipeline > 1

    @property
    def cycles_per_hop(self) -> int:
        """Value of `pipeline`."""
        return self.pipeline
