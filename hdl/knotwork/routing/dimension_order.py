"""Highest differing dimension first: e-cube on the hypercube, dfr on the Möbius cubes."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from ..errors import ConfigurationError
from ..parameters import YES_NO, Integer, RouterParameters, parameter
from ..topology import LOCAL, Topology
from .base import Routing
from .compiled.compilable import compilable
from .options import RoutingOptions
from .rules import Rule, Turn

MOST_ROUNDS = 8
"""Most rounds of a multicast: as many as there can be virtual channels."""


@compilable
def highest_difference(parameters, router, port, channel_class, destination):
    """Port of the highest bit in which the router and the destination differ; the same class."""
    difference = router ^ destination
    output = 0
    while difference:
        difference >>= 1
        output += 1
    return output, channel_class


@dataclass(frozen=True, kw_only=True)
class MulticastOptions(RoutingOptions):
    """Keys of a routing over which nodes can multicast.

    Parameters
    ----------
    multicast : bool
        Give every node a multicast unit.
    max_packet : int or None
        Flits of the longest multicast, 2..1024, the chain's included; `buffer_depth` if unnamed.
        Other packets may have any length.
    """

    multicast: bool = parameter(YES_NO, help="a multicast unit at every node", default=False)
    max_packet: int | None = parameter(
        Integer(2, 1024),
        help="flits of the longest multicast (default: buffer_depth)",
        default=None,
    )

    @property
    def has_multicast(self) -> bool:
        """Value of `multicast`."""
        return self.multicast

    @property
    def longest_copied_packet(self) -> int:
        """Value of `max_packet`, once resolved."""
        return self.max_packet or 0

    def fit_defaults(
        self,
        topology: Topology,
        hardware: RouterParameters,
        *,
        named: Collection[str],
        channels: int,
        reach: int,
    ) -> Self:
        """Multicasts short enough that the rounds of their chains have a channel each in a lane.

        Where the user named the channels, they are complete lanes of as many rounds as fit, if
        these are more than one.
        """
        if not self.multicast or "max_packet" in named:
            return self
        wanted = (min(reach, hardware.input_buffer) - 1).bit_length()
        rounds = min(wanted, channels)
        if "virtual_channels" in named:
            divisor = max(number for number in range(1, rounds + 1) if channels % number == 0)
            rounds = divisor if divisor > 1 else rounds
        if rounds == wanted:
            return self
        return replace(self, max_packet=min(hardware.input_buffer, 1 << rounds))

    def resolve(self, topology: Topology, hardware: RouterParameters) -> Self:
        """Fill in `max_packet`; refuse what no multicast unit could be built for."""
        if not self.multicast:
            if self.max_packet is not None:
                raise ConfigurationError(
                    f"{topology.name}: max_packet must be used with multicast=yes, because other "
                    f"packets have any length, not {self.max_packet} with multicast=no"
                )
            return self
        if hardware.data_width < topology.address_width:
            raise ConfigurationError(
                f"{topology.name}: data_width must hold an address with multicast=yes, at least "
                f"{topology.address_width}, not {hardware.data_width}"
            )
        return replace(self, max_packet=self.max_packet or hardware.input_buffer)


class HighestDimensionFirst(Routing):
    """Leave by the highest dimension in which the address differs from the destination.

    A dimension-i link changes no bit above i, so the dimensions of a path fall: one virtual channel
    is free of deadlock, and a packet that came in by dimension i leaves by a lower one.

    With multicasts, a packet's class is the number of rounds that its destination still has to send
    (see `routing.multicast`). The class falls with every relay, so no packets of stores and
    channels can wait for each other in a ring. Class 0 is for the last round and for all other
    packets.

    With lanes too: a relay is a packet from the relaying node, in the lane of that flow, which may
    be another than the one it came by. Order the channels of all lanes, and the stores, by falling
    class, and within a class by falling dimension, each store behind the channels of its class. A
    packet in a channel waits for a channel of the same lane and class and a lower dimension, or for
    its class's store; a packet in a store waits for channels of lower classes, whatever their lane.
    So every wait goes up in this order, and none closes a ring.

    Parameters
    ----------
    topology, virtual_channels, options
        As for `RoutingRule`.
    reach : int or None
        Nodes of which a multicast may go to all but its source, where they are more than those of
        the topology.
    """

    options_class: ClassVar[type[RoutingOptions]] = MulticastOptions
    multicasts: ClassVar[bool] = True
    options: MulticastOptions

    def __init__(
        self,
        topology: Topology,
        *,
        virtual_channels: int | None = None,
        options: RoutingOptions | None = None,
        reach: int | None = None,
    ) -> None:
        self._reach = topology.nodes if reach is None else reach
        super().__init__(topology, virtual_channels=virtual_channels, options=options)

    @property
    def chain_limit(self) -> int:
        """Most destinations of a multicast: all other nodes, or what leaves room for data; or 0."""
        if self.options.max_packet is None:
            return 0
        return min(self._reach, self.options.max_packet) - 1

    def needed_virtual_channels(self) -> int:
        """One, or with multicasts one per round of the longest chain."""
        rounds = self.chain_limit.bit_length()
        if rounds > MOST_ROUNDS:
            raise ConfigurationError(
                f"{self.topology.name}: max_packet must be at most {1 << MOST_ROUNDS} with "
                f"multicast=yes, one virtual channel per round, not {self.options.max_packet}"
            )
        return max(rounds, 1)

    @property
    def injection_classes(self) -> tuple[int, ...]:
        """Every class, with multicasts."""
        return tuple(range(self.classes))

    @property
    def relays(self) -> tuple[tuple[int, int], ...]:
        """From every class above 0 to every lower one."""
        last = self.classes - 1
        rounds = range(1, self.chain_limit.bit_length())
        return tuple(sorted({(min(a, last), min(b, last)) for a in rounds for b in range(a)}))

    @property
    def rule(self) -> Rule:
        """See `highest_difference`."""
        return highest_difference

    def class_turns(self, router: int) -> set[Turn]:
        """From a dimension to the lower ones; from and to the node."""
        ports = self.topology.connected_ports(router)
        return {
            Turn(i, c, o, c)
            for c in range(self.classes)
            for i in ports
            for o in ports
            if o < i or i == LOCAL != o or (i == o == LOCAL and c == 0)
        }

    def rank(self) -> np.ndarray:
        """Lower dimensions have higher ranks, and all of a lower class above all of a higher."""
        ports = len(self.topology.ports)
        port, vc_class = np.arange(ports)[:, None], np.arange(self.classes)
        return -(vc_class * ports + port)[None].astype(np.int64)
