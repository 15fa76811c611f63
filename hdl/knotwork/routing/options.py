"""Keys that a routing adds to those of its router class, and broadcasts that they choose."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from ..errors import ConfigurationError
from ..parameters import Choice, Integer, Parameters, RouterParameters, parameter
from ..topology import Topology
from .rules import BroadcastRule


@dataclass(frozen=True, kw_only=True)
class RoutingOptions(Parameters):
    """Keys that a routing adds to those of its router class; most routings add none."""

    name: ClassVar[str] = "routing"

    @property
    def broadcast_rule(self) -> str:
        """Name of the broadcast that branches in the routers; ``"no"`` for none."""
        return "no"

    @property
    def has_multicast(self) -> bool:
        """Whether every node has a multicast unit."""
        return False

    @property
    def longest_copied_packet(self) -> int:
        """Flits of the longest packet to several nodes; 0 where there are none."""
        return 0

    @property
    def least_buffer(self) -> int:
        """Flits that an input's buffer must hold at least; 0 for any number."""
        return 0

    def fit_defaults(
        self,
        topology: Topology,
        hardware: RouterParameters,
        *,
        named: Collection[str],
        channels: int,
        reach: int,
    ) -> Self:
        """Return these options with other values of unnamed keys, where the defaults do not fit.

        Parameters
        ----------
        topology, hardware
            As for `resolve`.
        named : collection of str
            Keys that the user named; they keep their values.
        channels : int
            Most virtual channels per link that the routing can have.
        reach : int
            Nodes to which a node can send, itself included.
        """
        del topology, hardware, named, channels, reach
        return self

    def resolve(self, topology: Topology, hardware: RouterParameters) -> Self:
        """Return these options with final values, which may depend on topology and hardware.

        Raises
        ------
        ConfigurationError
            A combination that cannot work.
        """
        del topology, hardware
        return self


@dataclass(frozen=True)
class Broadcast:
    """A rule of broadcasts, and what its copies carry.

    Members
    -------
    name : str
        Word by which users choose it.
    rule : BroadcastRule
        Function of the form that the module `rules` describes.
    label_width : int
        Bits of a label in a flit, in the field of the destination; 0..address_width.
    header_bits : int
        Bits that a packet carries for it, whichever field they are in.
    sources : tuple of int or None
        Nodes that it can start from; None for all.
    carried : callable or None
        Bits of a flit that encode a label; None where they are the label.
    text : callable or None
        What a paper calls a label; None where no paper has labels.
    """

    name: str
    rule: BroadcastRule
    label_width: int
    header_bits: int
    sources: tuple[int, ...] | None = None
    carried: Callable[[int], int] | None = None
    text: Callable[[int], str] | None = None

    def field(self, label: int) -> int:
        """Bits of a flit that encode a label."""
        return label if self.carried is None else self.carried(label)


@dataclass(frozen=True, kw_only=True)
class BroadcastOptions(RoutingOptions):
    """Keys of a routing with broadcasts; a subclass has its own names of rules.

    Parameters
    ----------
    broadcast : str
        Rule by which the routers branch; ``"no"`` for routers that do not.
    max_packet : int or None
        Flits of the longest broadcast, 1..1024; `buffer_depth` if unnamed, and no more. Packets to
        one node may have any length.
    """

    broadcast: str = parameter(
        Choice(("no",)), help="rule by which the routers branch", default="no"
    )
    max_packet: int | None = parameter(
        Integer(1, 1024),
        help="flits of the longest broadcast (default: buffer_depth)",
        default=None,
    )

    @property
    def broadcast_rule(self) -> str:
        """Value of `broadcast`."""
        return self.broadcast

    @property
    def longest_copied_packet(self) -> int:
        """Value of `max_packet`, once resolved."""
        return self.max_packet or 0

    @property
    def least_buffer(self) -> int:
        """Value of `max_packet`: a packet stays in its buffer until its last branch has read it."""
        return 0 if self.broadcast == "no" else self.max_packet or 0

    def resolve(self, topology: Topology, hardware: RouterParameters) -> Self:
        """Fill in `max_packet`; refuse packets that no buffer could hold."""
        if self.broadcast == "no":
            if self.max_packet is not None:
                raise ConfigurationError(
                    f"{topology.name}: max_packet must be used with a broadcast, because other "
                    f"packets have any length, not {self.max_packet} with broadcast=no"
                )
            return self
        longest = self.max_packet or hardware.input_buffer
        if longest > hardware.input_buffer:
            raise ConfigurationError(
                f"{topology.name}: buffer_depth must be at least max_packet with "
                f"broadcast={self.broadcast}, {longest}, not {hardware.input_buffer}"
            )
        return replace(self, max_packet=longest)
