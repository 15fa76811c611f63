"""Hardware parameters of any router class: the questions that every class answers; limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Self

from ..errors import ConfigurationError
from .base import Parameters, parameter
from .collectives import CollectiveParameters
from .kinds import Choice, Integer


class Limit(NamedTuple):
    """Limit of what a node sends of a class of traffic.

    In any t cycles it sends at most ``burst + rate * t`` flits, and it starts a packet only when it
    may send `burst` flits at once.
    """

    rate: Fraction
    burst: int


def limits(
    rates: tuple[Fraction, ...] | None,
    bursts: tuple[int, ...] | None,
    *,
    classes: int,
    owner: str,
) -> tuple[Limit | None, ...]:
    """Limits of each class, None for none, of the values of ``class_limits`` and ``class_bursts``.

    Raises
    ------
    ConfigurationError
        Another number of values than of classes, or bursts without limits.
    """
    _require_one_each("class_limits", rates, classes=classes, owner=owner)
    _require_one_each("class_bursts", bursts, classes=classes, owner=owner)
    if rates is None:
        if bursts is not None:
            raise ConfigurationError(
                f"{owner}: class_bursts must be used with class_limits, not alone as "
                f"{_comma_separated(bursts)}"
            )
        return (None,) * classes
    sizes = bursts or (1,) * classes
    return tuple(
        None if rate == 1 else Limit(rate, size) for rate, size in zip(rates, sizes, strict=True)
    )


def link_weights(
    arbitration: str, weights: tuple[int, ...] | None, *, classes: int, owner: str
) -> tuple[int, ...]:
    """Weights of each class, none for strict priority, of ``arbitration`` and ``class_weights``.

    Raises
    ------
    ConfigurationError
        Another number of weights than of classes, or weights of strict priority.
    """
    _require_one_each("class_weights", weights, classes=classes, owner=owner)
    if arbitration == "strict":
        if weights is not None:
            raise ConfigurationError(
                f"{owner}: class_weights must be used with arbitration=weighted, not with strict "
                f"as {_comma_separated(weights)}"
            )
        return ()
    if classes == 1:
        raise ConfigurationError(
            f"{owner}: arbitration must be strict without classes of traffic, not {arbitration}"
        )
    return weights or (1,) * classes


def _require_one_each(
    key: str, values: Sequence[Fraction | int] | None, *, classes: int, owner: str
) -> None:
    """Refuse another number of values than of classes, or any where there is one class."""
    if values is not None and (classes == 1 or len(values) != classes):
        rule = f"{classes} numbers, one for each class" if classes > 1 else "left unset"
        where = "" if classes > 1 else " without classes of traffic"
        raise ConfigurationError(
            f"{owner}: {key} must be {rule}{where}, not {_comma_separated(values)}"
        )


def _comma_separated(values: Sequence[Fraction | int]) -> str:
    return ",".join(map(str, values))


@dataclass(frozen=True, kw_only=True)
class NodeParameters(Parameters):
    """Hardware parameters of the nodes' streams.

    Parameters
    ----------
    data_width : int
        Payload bits per flit, 8..512.
    ports : str
        What names the ports of a node: ``"numbers"``, its index; ``"names"``, its label.
    """

    data_width: int = parameter(Integer(8, 512), help="payload bits per flit", default=32)

    ports: str = parameter(
        Choice(("numbers", "names")),
        help="what the nodes' ports are named by",
        default="numbers",
        silent=True,
    )


@dataclass(frozen=True, kw_only=True)
class RouterParameters(CollectiveParameters, NodeParameters):
    """Hardware parameters of a network.

    A router class has a subclass with its own keys. This class answers what other code needs to
    know about any network, so that callers need not know the router class.
    """

    def resolve(self, virtual_channels: int) -> Self:
        """Same parameters with what the routing decides, and what follows from others, filled in.

        Raises
        ------
        ConfigurationError
            Elements of collectives that do not fill a beat.
        """
        del virtual_channels
        return self.with_collectives(self.data_width)

    @property
    def requested_virtual_channels(self) -> int | None:
        """Virtual channels per link that the user requested; None for what the routing needs."""
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
        """Cycles that a head flit takes from link to link when nothing blocks it."""
        return 1
