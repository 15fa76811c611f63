"""Packets drawn at random: each node may create one in each cycle."""

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.multicast import chain_of

from .arrivals import make_arrivals
from .keys import Traffic
from .packet_table import packet_table
from .packets import EVERYONE, Packets, packet_lengths
from .patterns.registry import make_law, node_weights


def make_drawn(network: Network, traffic: Traffic) -> Packets:
    """Draw the packets of a network that takes them at any time.

    Raises
    ------
    ConfigurationError
        A pattern that the network does not have, packets longer than it takes, or multicasts or
        broadcasts that it does not have.
    """
    topology, lengths = network.topology, traffic.length or (1, 1)
    if packet_lengths(network) == (1, 1) != lengths:
        raise ConfigurationError(
            f"traffic: length must be 1 for {network.name}, whose packets are single flits, not "
            f"{lengths[1]}"
        )
    count = traffic.packet_count(topology.nodes)
    rng = np.random.default_rng([traffic.seed, 1])
    if traffic.is_permutation and not traffic.is_timed:
        # One packet of each node at a time, the first at once.
        number, source = np.divmod(np.arange(count), topology.nodes)
        time = (number / (2 / sum(lengths))).astype(np.int64)  # a flit per cycle
    else:
        weights = node_weights(topology, traffic)
        arrivals = make_arrivals(traffic, topology.nodes, traffic.mean_rate, weights)
        time, source = arrivals.first(rng, count)
    order = np.lexsort((time, source))
    time, source = time[order], source[order]
    destination = make_law(topology, traffic, rng).draw(rng, source)
    length = rng.integers(lengths[0], lengths[1] + 1, count)
    broadcast = _broadcasts(network, traffic, lengths[1], count)
    return packet_table(
        network,
        source=source,
        destination=np.where(broadcast, EVERYONE, destination),
        length=length,
        time=time,
        seed=traffic.seed,
        chains=_chains(network, traffic, source),
    )


def _broadcasts(network: Network, traffic: Traffic, longest: int, count: int) -> np.ndarray:
    """Which packets are broadcasts, bool."""
    if traffic.broadcast_share == 0:
        return np.zeros(count, np.bool_)
    if not network.has_broadcast:
        raise ConfigurationError(
            f"traffic: broadcast_share must be 0 for a network without broadcasts, "
            f"not {traffic.broadcast_share:g}"
        )
    limit = network.longest_copied_packet
    if longest > limit:
        raise ConfigurationError(
            f"traffic: length must be at most max_packet={limit} with broadcasts, not {longest}"
        )
    rng = np.random.default_rng([traffic.seed, 4])
    return rng.random(count) < traffic.broadcast_share


def _chains(network: Network, traffic: Traffic, source: np.ndarray) -> dict[int, list[int]]:
    """Chains of the packets that are multicasts, by index."""
    if traffic.multicast_share == 0:
        return {}
    least, most = _members(network, traffic)
    topology, chains = network.topology, {}
    rng = np.random.default_rng([traffic.seed, 3])
    for number in np.nonzero(rng.random(len(source)) < traffic.multicast_share)[0].tolist():
        node = int(source[number])
        count = rng.integers(least, most + 1)
        receivers = np.array(topology.receivers(node))
        others = receivers[receivers != node]
        chosen = rng.choice(others, count, replace=False).tolist()
        chains[number] = [topology.address(n) for n in chain_of(network.routing, node, chosen)]
    return chains


def _members(network: Network, traffic: Traffic) -> tuple[int, int]:
    """Fewest and most destinations of a multicast."""
    limit = network.routing.chain_limit
    if limit == 0:
        raise ConfigurationError(
            f"traffic: multicast_share must be 0 for a network without multicast=yes, "
            f"not {traffic.multicast_share:g}"
        )
    longest, (_, most_data) = network.longest_copied_packet, traffic.length or (1, 1)
    limit = min(limit, longest - most_data)
    if limit < 1:
        raise ConfigurationError(
            f"traffic: length must leave room for a chain in max_packet={longest}, at most "
            f"{longest - 1}, not {most_data}"
        )
    least, most = traffic.members or (1, limit)
    if not least <= most <= limit:
        raise ConfigurationError(
            f"traffic: members must be at most {limit}, with length={most_data} and "
            f"max_packet={longest}, not {most}"
        )
    return least, most
