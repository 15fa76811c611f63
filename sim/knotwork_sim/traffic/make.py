"""Packets of a network's traffic, made as its routing takes them."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.scheduling.rounds import Round

from .batches import make_batches
from .drawn import make_drawn
from .given import PacketList
from .keys import Traffic
from .listed import make_listed
from .packets import Packets
from .replies.table import with_replies
from .schedules import make_scheduled

AnyTraffic = Traffic | Callable[[Network], Any] | Any
"""Traffic, packets as `PacketList.of` takes them, or a function of the network that gives either.

Type checkers see any type: what a program gives is checked when it is read.
"""


def as_traffic(network: Network, traffic: AnyTraffic) -> Traffic:
    """Keys of traffic that a program gives in any form.

    Raises
    ------
    ConfigurationError
        What is neither traffic nor packets.
    """
    given = traffic(network) if callable(traffic) else traffic
    if isinstance(given, Traffic):
        return given
    if not hasattr(given, "__iter__"):
        raise ConfigurationError(
            "traffic: it must be Traffic, packets or a function of the network that gives them, "
            f"not {given!r}"
        )
    return Traffic(traffic="replay", replay=PacketList.of(given))


class PacketMaker(Protocol):
    """Function that makes the packets of networks with one kind of `Routing.arrivals`."""

    def __call__(self, network: Network, traffic: Traffic) -> Packets:
        """Packets of a network's traffic."""
        ...


def make_at_any_time(network: Network, traffic: Traffic) -> Packets:
    """Packets of a network that takes them at any time, listed or drawn, and their replies."""
    made = make_drawn if traffic.replay is None else make_listed
    return with_replies(network, traffic, made(network, traffic))


PACKET_MAKERS: dict[str, PacketMaker] = {
    "any_time": make_at_any_time,
    "batches": make_batches,
    "rounds": make_scheduled,
}
"""What makes packets, by `Routing.arrivals`."""


def make_packets(
    network: Network, traffic: Traffic, *, rounds: Sequence[Round] | None = None
) -> Packets:
    """Packets of a simulation: those of a schedule's rounds, or what the traffic says.

    Raises
    ------
    ConfigurationError
        Traffic that the network cannot have.
    """
    if rounds is not None:
        return make_scheduled(network, traffic, rounds)
    return PACKET_MAKERS[network.routing.arrivals](network, traffic)
