"""Traffic that mutants must survive: busy and idle, with pauses, copies and bad packets."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from knotwork.network import Network
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.packets import EVERYONE, NOWHERE, Packets, packet_lengths, packet_table


class Load(NamedTuple):
    """Traffic of one run."""

    # As in `Traffic`.
    rate: float
    bubble: float
    stall: float
    length: tuple[int, int]  # flits per packet, limited to what the network takes
    spoiled: float  # share of packets that the network must refuse, if it refuses any
    packets: int  # packets per node; 0: as many as the target asks for
    traffic: str = "uniform"  # pattern
    copied: float = 0.15  # share of multicasts and of broadcasts, if the network has them
    pauses: str = "steady"  # As in `Traffic`
    own: float = 0.1  # share of the packets to one node that go to their own
    long_chains: bool = False  # whether a multicast names more than half as many nodes as it can


LOADS = (
    Load(1.0, 0.2, 0.3, (1, 6), 0.0, 30),
    Load(1.0, 0.0, 0.0, (1, 1), 0.1, 0),
    Load(0.2, 0.0, 0.0, (1, 4), 0.0, 20),
    Load(1.0, 0.0, 0.85, (1, 3), 0.1, 30),
    Load(1.0, 0.6, 0.0, (2, 9), 0.1, 30),
    Load(0.7, 0.1, 0.1, (4, 12), 0.0, 30, own=0.2),
    Load(1.0, 0.0, 0.5, (1, 2), 0.2, 80),
    Load(1.0, 0.0, 0.8, (1, 4), 0.05, 0, "hotspot"),
    Load(1.0, 0.2, 0.5, (1, 3), 0.05, 60, copied=0.7),
    Load(1.0, 0.5, 0.5, (1, 6), 0.1, 60, pauses="changing"),
    Load(1.0, 0.0, 0.5, (2, 9), 0.05, 0, copied=0.75, pauses="changing"),
    Load(1.0, 0.0, 0.9, (1, 2), 0.0, 300, copied=0.8, long_chains=True),
)
"""Busy and nearly idle loads; pauses at the sources, at the sinks, at both, at neither, or at
changing nodes; two crowded loads, and three of mostly copies, the last of long chains into full
stores."""


def traffic_of(network: Network, load: Load, seed: int) -> Traffic:
    """Traffic of a load, with broadcasts and multicasts if the network has them."""
    least, most = packet_lengths(network)
    shares = {}
    if network.routing.broadcast is not None:
        shares["broadcast_share"] = load.copied
        most = network.longest_copied_packet
    if network.routing.chain_limit:
        shares["multicast_share"] = load.copied
        most = network.longest_copied_packet - 1
    low, high = (min(max(flits, least), most) for flits in load.length)
    if network.routing.chain_limit and load.long_chains:
        named = min(network.routing.chain_limit, network.longest_copied_packet - high)
        shares["members"] = (named // 2 + 1, named)
    return Traffic(
        traffic=load.traffic,
        rate=load.rate,
        bubble=load.bubble,
        stall=load.stall,
        pauses=load.pauses,
        length=(low, high),
        packets=load.packets * network.topology.nodes,
        seed=seed,
        **shares,
    )


def vary(network: Network, packets: Packets, load: Load, seed: int) -> Packets:
    """Send some packets to their own node, and make some that the network must refuse.

    The refused ones have an address that belongs to no node, or to none of their class, or are too
    long, if the network limits the length; multicasts have a wrong chain or are too long. If the
    network limits the length of broadcasts only, as many unicasts exceed the limit, which the
    network must deliver.
    """
    rng = np.random.default_rng([seed, 7])
    length = packets.length - packets.chain_length
    destination = packets.destination.copy()
    plain = ~(packets.multicast | packets.broadcast)
    alone = plain & (rng.random(len(packets)) < load.own)
    destination[alone] = packets.source[alone]
    chosen = rng.random(len(packets)) < load.spoiled
    limit = packet_lengths(network)[1]
    if packets.broadcast.any():
        limit = network.longest_copied_packet
        too_long = chosen & packets.broadcast | plain & (rng.random(len(packets)) < load.spoiled)
    elif limit < 2**31 and not packets.chains:
        too_long = chosen & (rng.random(len(packets)) < 0.5)
    else:
        too_long = np.zeros(len(packets), np.bool_)
    length[too_long] = limit + rng.integers(1, 3, len(packets))[too_long]
    chains = dict(packets.chains)
    for number in np.flatnonzero(chosen & packets.multicast).tolist():
        own = network.topology.address(int(packets.source[number]))
        chains[number] = _wrong_chain(chains[number], own)
        if number % 3 == 0:
            chains[number], length[number] = packets.chains[number], network.longest_copied_packet
    if network.topology.unused_addresses or len(network.topology.sides) > 1:
        destination[chosen & plain] = NOWHERE
    return packet_table(
        network,
        source=packets.source,
        destination=np.where(packets.broadcast, EVERYONE, destination),
        length=length,
        time=packets.time,
        seed=packets.seed,
        chains=chains,
    )


def _wrong_chain(chain: Sequence[int], own: int) -> list[int]:
    """Chain as long that the network refuses: with its last address twice, or its sender in it."""
    if len(chain) > 1 and len(chain) % 2:
        return [*chain[:-2], chain[-1], chain[-1]]
    return [own, *chain[1:]]
