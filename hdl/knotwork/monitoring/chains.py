"""What a watchdog's bits mean: which channel waits for which, and for what the last one waits."""

from collections.abc import Sequence
from typing import NamedTuple

from ..network import Network
from .channels import Channel, monitored_channels


class WaitingChain(NamedTuple):
    """Channels that wait, each for the next one.

    Members
    -------
    channels : tuple of Channel
        The first has waited for longer than the bound.
    end : str
        For what the last one waits.
    """

    channels: tuple[Channel, ...]
    end: str

    def __str__(self) -> str:
        return "\n  waits for ".join([*(one.name for one in self.channels), self.end])


def waiting_chains(
    network: Network, *, stuck: Sequence[int], waits: Sequence[int], wants: Sequence[int]
) -> list[WaitingChain]:
    """Chains behind the channels that have waited too long, each told once.

    Parameters
    ----------
    network : Network
        Network of the monitor.
    stuck, waits, wants : sequence of int
        Words of the arrays of these names, the first lowest.
    """
    channels = monitored_channels(network)
    is_stuck, is_waiting, asks = map(_bits, (stuck, waits, wants))
    ahead = {
        one.number: _wanted(network, channels, one, asks)
        for one in channels
        if is_waiting >> one.number & 1
    }
    chains: list[WaitingChain] = []
    for one in channels:
        if is_stuck >> one.number & 1:
            chains += _chains_from(one, channels, ahead, ())
    # What is the rest of a longer chain is told with it.
    tails = {chain.channels[at:] for chain in chains for at in range(1, len(chain.channels))}
    return [chain for chain in chains if chain.channels not in tails]


def _bits(words: Sequence[int]) -> int:
    return sum(word << 32 * place for place, word in enumerate(words))


def _wanted(
    network: Network, channels: Sequence[Channel], one: Channel, asks: int
) -> list[Channel]:
    """Channels that the flit at a channel's front asks for; none at one to a node."""
    topology = network.topology
    found = []
    for place, turn in enumerate(one.turns):
        if not asks >> one.first_turn + place & 1:
            continue
        router, port, vc = one.router, turn.output_port, turn.output_vc
        if not topology.is_local(port):
            router, port = (
                int(topology.neighbours[router, port]),
                int(topology.peer_ports[router, port]),
            )
            found += [c for c in channels if c[1:4] == (router, port, vc)]
        else:
            found += [c for c in channels if c[1:4] == (router, port, None)]
    return found


def _chains_from(
    one: Channel,
    channels: Sequence[Channel],
    ahead: dict[int, list[Channel]],
    before: tuple[Channel, ...],
) -> list[WaitingChain]:
    way = (*before, one)
    if one in before:
        return [WaitingChain(way, "itself: the network is deadlocked")]
    if one.virtual_channel is None:
        return [WaitingChain(way, "the node, whose tready is low")]
    chains: list[WaitingChain] = []
    if not ahead[one.number]:
        return [WaitingChain(way, "its turn at the front of its input, after other channels")]
    for after in ahead[one.number]:
        if after.number in ahead:
            chains += _chains_from(after, channels, ahead, way)
        else:
            rivals = [
                other.name
                for other in channels
                if other.number in ahead and other != one and after in ahead[other.number]
            ]
            also = f", for which {', '.join(rivals)} waits too" if rivals else ""
            chains.append(WaitingChain(way, f"its turn to go {after.name}{also}"))
    return chains
