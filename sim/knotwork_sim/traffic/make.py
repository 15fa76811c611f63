"""Packets of a network's traffic, made as its routing takes them."""

from collections.abc import Sequence
from typing import Protocol

from knotwork.network import Network
from knotwork.routing.scheduling.rounds import Round

from .batches import make_batches
from .drawn import make_drawn
from .keys import Traffic
from .packets import Packets
from .schedules import make_scheduled


class PacketMaker(Protocol):
    """Function that makes the packets of networks with one kind of `Routing.arrivals`."""

    def __call__(self, network: Network, traffic: Traffic) -> Packets:
        """Packets of a network's traffic."""
        ...


PACKET_MAKERS: dict[str, PacketMaker] = {
    "any_time": make_drawn,
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
