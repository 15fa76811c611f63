"""Traffic: who sends what to whom and when, all from one seed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.parameters import (
    Choice,
    Integer,
    Parameters,
    Real,
    Span,
    Text,
    parameter,
    parse_words,
)
from knotwork.routing.batch import BatchRouting
from knotwork.routing.lcan import Scheduled
from knotwork.routing.multicast import chain_of
from knotwork.routing.scheduling.permutations import named_permutation
from knotwork.routing.scheduling.rounds import Round
from knotwork.topology import Topology

from .packets import Packets, packet_lengths, packet_table

PATTERNS = (
    "uniform",
    "complement",
    "transpose",
    "reversal",
    "shuffle",
    "neighbour",
    "hotspot",
    "permutation",
)

PAUSES = ("steady", "changing")

DRAWN = ("uniform", "neighbour", "hotspot")
"""Patterns in which each packet's destination is drawn; the others fix it by the source."""

HOTSPOT_SHARE = 0.25
"""Share of `hotspot` packets that go to node 0; the others are uniform."""


@dataclass(frozen=True, kw_only=True)
class Traffic(Parameters):
    """Traffic of a simulation.

    Parameters
    ----------
    traffic : str
        Pattern. ``uniform``: any other node. ``complement``: i to N-1-i. ``transpose``,
        ``reversal``, ``shuffle``: the index's b bits rotated by floor(b/2), reversed, rotated by
        one (N = 2^b only). ``neighbour``: any router next door. ``hotspot``: a quarter to node 0,
        the rest uniform. ``permutation``: see there.
    permutation : str or None
        Destinations separated by commas, or the name of a fixed pattern, ``identity`` or
        ``random``.
    rate : float or None
        Flits of data that a node offers a clock, on average; 0.1 if unnamed (1 for
        ``permutation``).
    packets : int or None
        Packets of the whole network; 1000 if unnamed (N for ``permutation``).
    length : (int, int) or None
        Flits of data a packet, drawn evenly from this range; 1 if unnamed, or as many as the
        network's packets must have.
    multicast_share : float
        Probability that a packet is a multicast, to random nodes.
    broadcast_share : float
        Probability that a packet is a broadcast.
    members : (int, int) or None
        Destinations of a multicast, drawn evenly from this range; 1 to as many as a chain can have
        if unnamed.
    bubble : float
        Probability that a node with a beat to send pauses for a clock.
    stall : float
        Probability that a node does not take a beat in a clock.
    pauses : str
        ``changing``: the probabilities `bubble` and `stall`, where they are not 0, are drawn anew
        from 0..1 for every node every 64 clocks.
    seed : int
        Decides every number drawn.
    """

    name: ClassVar[str] = "traffic"

    traffic: str = parameter(Choice(PATTERNS), help="pattern", default="uniform")
    permutation: str | None = parameter(
        Text("a name or destinations a,b,..."), help="for traffic=permutation", default=None
    )
    rate: float | None = parameter(
        Real(0.0001, 1.0), help="flits a node a clock (default 0.1)", default=None
    )
    packets: int | None = parameter(
        Integer(1, 100_000_000), help="of the whole network (default 1000)", default=None
    )
    length: tuple[int, int] | None = parameter(
        Span(1, 4096), help="flits a packet, 4 or 1-8 (default 1)", default=None
    )
    multicast_share: float = parameter(
        Real(0.0, 1.0), help="of the packets, where nodes can multicast", default=0.0
    )
    broadcast_share: float = parameter(
        Real(0.0, 1.0), help="of the packets, where nodes can broadcast", default=0.0
    )
    members: tuple[int, int] | None = parameter(
        Span(1, 255), help="destinations of a multicast (default: 1 to all)", default=None
    )
    bubble: float = parameter(Real(0.0, 0.99), help="pause before a beat", default=0.0)
    stall: float = parameter(Real(0.0, 0.99), help="a beat not taken", default=0.0)
    pauses: str = parameter(
        Choice(PAUSES), help="bubble, stall drawn anew or not", default="steady", silent=True
    )
    seed: int = parameter(Integer(0, 2**63 - 1), help="of every number drawn", default=1)

    @classmethod
    def from_words(cls, words: list[str]) -> "Traffic":
        """Traffic from ``key=value`` words."""
        return cls.from_texts(parse_words(words, owner=cls.name))

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.traffic == "permutation") != (self.permutation is not None):
            raise ConfigurationError(
                "traffic: permutation must be given with traffic=permutation and only with it, "
                f"not {self.permutation!r} with traffic={self.traffic}"
            )


def make_packets(
    network: Network, traffic: Traffic, *, rounds: Sequence[Round] | None = None
) -> Packets:
    """Draw the packets of a simulation, or take those of a schedule.

    Raises
    ------
    ConfigurationError
        A pattern that is not defined for the network, or a list of destinations that does not fit.
    """
    if isinstance(network.routing, BatchRouting):
        from .batches import make_batches

        return make_batches(network, traffic)
    if isinstance(network.routing, Scheduled):
        from .schedules import make_scheduled

        return make_scheduled(network, traffic, rounds)
    topology = network.topology
    lengths = traffic.length or (1, 1)
    if packet_lengths(network) == (1, 1) != lengths:
        raise ConfigurationError(
            f"traffic: length must be 1 for {network.name}, whose packets are single flits, not "
            f"{lengths[1]}"
        )
    fixed = traffic.traffic == "permutation"
    count = traffic.packets or (topology.nodes if fixed else 1000)
    rng = np.random.default_rng([traffic.seed, 1])
    per_clock = 2 / sum(lengths)  # packets a node, at one flit a clock
    if fixed and traffic.rate is None:  # one of each node at a time, the first at once
        number, source = np.divmod(np.arange(count), topology.nodes)
        time = (number / per_clock).astype(np.int64)
    else:
        time, source = _arrivals(rng, topology.nodes, (traffic.rate or 0.1) * per_clock, count)
    order = np.lexsort((time, source))
    time, source = time[order], source[order]
    permutation = fixed_destinations(topology, traffic, rng)
    destination = draw_destinations(rng, topology, traffic, source, permutation)
    length = rng.integers(lengths[0], lengths[1] + 1, count)
    return packet_table(
        network,
        source=source,
        destination=destination,
        length=length,
        time=time,
        seed=traffic.seed,
        broadcast=_broadcasts(network, traffic, lengths[1], count),
        chains=_chains(network, traffic, source),
    )


def shares(traffic: Traffic) -> Iterator[tuple[str, str, bool, str]]:
    """Refusals of shares where all packets go to one node: key, rule, whether it holds, value."""
    for key in ("multicast_share", "broadcast_share"):
        share = getattr(traffic, key)
        yield key, "0", share == 0, f"{share:g}"


def _broadcasts(network: Network, traffic: Traffic, longest: int, count: int) -> np.ndarray:
    """Which packets are broadcasts, bool."""
    if traffic.broadcast_share == 0:
        return np.zeros(count, np.bool_)
    if network.routing.broadcast is None:
        raise ConfigurationError(
            f"traffic: broadcast_share must be 0 for a network without broadcasts, "
            f"not {traffic.broadcast_share:g}"
        )
    limit = network.routing.options.max_packet
    if longest > limit:
        raise ConfigurationError(
            f"traffic: length must be at most max_packet={limit} with broadcasts, not {longest}"
        )
    rng = np.random.default_rng([traffic.seed, 4])
    return rng.random(count) < traffic.broadcast_share


def _chains(network: Network, traffic: Traffic, source: np.ndarray) -> dict[int, list[int]]:
    """Chains of the packets that are multicasts, by index."""
    limit = getattr(network.routing, "chain_limit", 0)
    if traffic.multicast_share == 0:
        return {}
    if limit == 0:
        raise ConfigurationError(
            f"traffic: multicast_share must be 0 for a network without multicast=yes, "
            f"not {traffic.multicast_share:g}"
        )
    topology, longest = network.topology, network.routing.options.max_packet
    _, most_data = traffic.length or (1, 1)
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
    rng = np.random.default_rng([traffic.seed, 3])
    chains = {}
    for number in np.nonzero(rng.random(len(source)) < traffic.multicast_share)[0].tolist():
        node = int(source[number])
        count = rng.integers(least, most + 1)
        others = np.delete(np.arange(topology.nodes), node)
        chosen = rng.choice(others, count, replace=False).tolist()
        chains[number] = [topology.address(n) for n in chain_of(network.routing, node, chosen)]
    return chains


def _arrivals(
    rng: np.random.Generator, nodes: int, probability: float, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Clocks and nodes of the first `count` packets, each node drawing in each clock."""
    clocks, sources, first, drawn = [], [], 0, 0
    block = max(1, min(int(1.1 * count / (nodes * probability)) + 1, 4_000_000 // nodes + 1))
    while drawn < count:
        clock, node = np.nonzero(rng.random((block, nodes)) < probability)
        clocks.append(clock + first)
        sources.append(node)
        first, drawn = first + block, drawn + len(node)
    return np.concatenate(clocks)[:count], np.concatenate(sources)[:count]


def fixed_destinations(
    topology: Topology, traffic: Traffic, rng: np.random.Generator
) -> np.ndarray | None:
    """Destination of each node where the pattern fixes it, int64; None where it is drawn.

    Raises
    ------
    ConfigurationError
        A permutation that the network does not have, or neighbours where routers are no nodes.
    """
    if traffic.traffic == "neighbour" and (topology.attached >= 0).any():
        raise ConfigurationError(
            f"traffic: neighbour must go with a network whose routers are nodes, not "
            f"{topology.instance_name}"
        )
    if traffic.traffic in DRAWN:
        return None
    name = traffic.permutation if traffic.traffic == "permutation" else traffic.traffic
    return named_permutation(topology.nodes, str(name), rng, owner=traffic.name)


def draw_destinations(
    rng: np.random.Generator,
    topology: Topology,
    traffic: Traffic,
    source: np.ndarray,
    permutation: np.ndarray | None,
) -> np.ndarray:
    """Destinations of packets from these sources; `permutation` is what `fixed_destinations` says.

    Those of a broadcast or multicast count for nothing.
    """
    if permutation is not None:
        return permutation[source]
    nodes = topology.nodes
    if traffic.traffic == "neighbour":
        links = topology.neighbours >= 0
        place = (rng.random(len(source)) * links.sum(axis=1)[source]).astype(np.int64)
        ports = np.argsort(~links, axis=1, kind="stable")
        return topology.neighbours[source, ports[source, place]]
    other = (source + rng.integers(1, max(nodes, 2), len(source))) % nodes
    if traffic.traffic == "hotspot":
        return np.where(rng.random(len(source)) < HOTSPOT_SHARE, 0, other)
    return other
