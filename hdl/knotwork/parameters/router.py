"""Hardware parameters of any router class: the questions that every class answers."""

from dataclasses import dataclass
from typing import Any, Self

from .base import Parameters, parameter
from .kinds import Choice, Integer
from .limits import Limit


@dataclass(frozen=True, kw_only=True)
class RouterParameters(Parameters):
    """Hardware parameters of the routers of a network.

    A router class has a subclass with its own keys. This class answers what other code needs to
    know about any network, so that callers need not know the router class.

    Parameters
    ----------
    data_width : int
        Payload bits per flit, 8..512.
    ports : str
        What names the ports of a node: ``"numbers"``, its index; ``"names"``, its label.
    """

    data_width: int = parameter(Integer(8, 512), help="payload bits per flit", default=32)

    ports: str = parameter(
        Choice(("numbers", "names")), help="what names nodes' ports", default="numbers", silent=True
    )

    def resolve(self, virtual_channels: int) -> Self:
        """Same parameters with what the routing decides filled in."""
        del virtual_channels
        return self

    @property
    def requested_virtual_channels(self) -> int | None:
        """Virtual channels per link that the user asked for; None for what the routing needs."""
        return None

    @property
    def has_named_ports(self) -> bool:
        """Whether the ports of a node bear its label."""
        return self.ports == "names"

    @property
    def has_parity(self) -> bool:
        """Whether flits have parity bits, and broken packets are marked."""
        return False

    @property
    def loads_tables(self) -> bool:
        """Whether routing tables can be loaded while the network is in service."""
        return False

    @property
    def has_counters(self) -> bool:
        """Whether the network counts what its channels do."""
        return False

    @property
    def watchdog_bound(self) -> int:
        """Cycles that a channel may wait before a watchdog reports it; 0 without one."""
        return 0

    @property
    def is_monitored(self) -> bool:
        """Whether the network has a monitor."""
        return self.has_counters or self.watchdog_bound > 0

    @property
    def has_source(self) -> bool:
        """Whether a node gets the source's address with a packet."""
        return True

    @property
    def allows_deadlock(self) -> bool:
        """Whether the network may be built though it failed its deadlock check."""
        return False

    @property
    def sequence_bits(self) -> int:
        """Bits of a packet's number in its flow; 0 where packets have none."""
        return 0

    @property
    def ends_early(self) -> bool:
        """Whether a network cycle ends when what it carries has arrived; where there are any."""
        return False

    @property
    def input_buffer(self) -> int:
        """Flits that an input's buffer holds per virtual channel; 0 where there is none."""
        return 0

    @property
    def shortest_packet(self) -> int:
        """Flits of the shortest packet to one node."""
        return 1

    @property
    def longest_packet(self) -> int | None:
        """Flits of the longest packet to one node; None for any number."""
        return None

    def injection_limits(self, classes: int, *, owner: str) -> tuple[Limit | None, ...]:
        """Limits of what a node sends of each class of traffic; None for none.

        Raises
        ------
        ConfigurationError
            Another number of limits than of classes.
        """
        del owner
        return (None,) * classes

    def class_weights_of(self, classes: int, *, owner: str) -> tuple[int, ...]:
        """Weights of each class of traffic at a link; empty for strict priority.

        Raises
        ------
        ConfigurationError
            Another number of weights than of classes, or weights of strict priority.
        """
        del classes, owner
        return ()

    @property
    def has_credits(self) -> bool:
        """Whether the links of packet routers may carry credits."""
        return False

    def credit_round(self, latency: Any) -> Any:
        """Cycles from a flit's grant until its credit can grant the next, a round of credits.

        Flits and credits are `latency` cycles on the link each way: the next router grants the flit
        `cycles_per_hop - 1 + latency` cycles later, and its credit counts `latency + 1` after that.
        Arrays give an array.
        """
        return self.cycles_per_hop + 2 * latency

    @property
    def cycles_per_hop(self) -> int:
        """Cycles that a head flit takes from link to link when nothing is in its way."""
        return 1
