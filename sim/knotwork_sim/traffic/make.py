"""Packets of a run: drawn at random, listed, in batches, in a schedule's rounds, or hostile."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.parameters import BatchParameters, CircuitParameters
from knotwork.routing import Routing
from knotwork.routing.batch import BatchRouting, table_of
from knotwork.routing.circuits import cycle_clocks
from knotwork.routing.lcan import Scheduled
from knotwork.routing.multicast import chain_of
from knotwork.routing.scheduling.messages import named_permutation
from knotwork.routing.scheduling.rounds import Round, schedule

from .arrivals import make_arrivals
from .files import PacketList
from .jump_tables import Loading
from .keys import Traffic
from .packets import ANY_LENGTH, EVERYONE, NOWHERE, Packets, packet_lengths, packet_table
from .patterns import make_law, node_weights
from .replies import with_replies


class Requirement(NamedTuple):
    """Rule for one traffic key.

    Members
    -------
    key : str
        Key of `Traffic`.
    rule : str
        What its value must be.
    holds : bool
        Whether it is so.
    value : object
        Its value, as a user writes it.
    """

    key: str
    rule: str
    holds: bool
    value: object


def require_all(traffic: Traffic, routing: Routing, requirements: Iterable[Requirement]) -> None:
    """Refuse traffic that breaks a requirement.

    No packet may have several destinations or a reply, and none comes in bursts.

    Raises
    ------
    ConfigurationError
        With the first requirement that does not hold.
    """
    to_one_node = [
        Requirement(key, "0", share == 0, f"{share:g}")
        for key, share in (
            ("multicast_share", traffic.multicast_share),
            ("broadcast_share", traffic.broadcast_share),
        )
    ]
    at_once = [
        Requirement("burst", "left unset", traffic.burst is None, traffic.burst),
        Requirement("reply", "left unset", traffic.reply is None, traffic.spelled("reply")),
    ]
    for key, rule, holds, value in (*requirements, *to_one_node, *at_once):
        if not holds:
            raise ConfigurationError(
                f"traffic: {key} must be {rule} with routing={routing.name}, not {value}"
            )


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
            f"traffic: length must leave space for a list of destinations in max_packet={longest}, "
            f"at most {longest - 1}, not {most_data}"
        )
    least, most = traffic.members or (1, limit)
    if not least <= most <= limit:
        raise ConfigurationError(
            f"traffic: members must be at most {limit}, with length={most_data} and "
            f"max_packet={longest}, not {most}"
        )
    return least, most


def make_listed(network: Network, traffic: Traffic) -> Packets:
    """Packets of the traffic's list, sorted by source and cycle.

    Raises
    ------
    ConfigurationError
        A packet that the network does not take; names its line.
    """
    listed = PacketList.of(traffic.replay)
    _require_listed_nodes(network, listed)
    _require_listed_lengths(network, listed)
    order = np.lexsort((listed.cycle, listed.source))
    chains = {}
    for place in np.flatnonzero(np.isin(order, list(listed.members))).tolist():
        chains[place] = _listed_chain(network, listed, int(order[place]))
    destination = np.where(listed.broadcast, EVERYONE, listed.destination)
    return packet_table(
        network,
        source=listed.source[order],
        destination=destination[order],
        length=listed.length[order],
        time=listed.cycle[order],
        seed=traffic.seed,
        chains=chains,
    )


def _require_listed_nodes(network: Network, listed: PacketList) -> None:
    """Refuse the first packet from or to what is no node."""
    nodes = network.topology.nodes
    for key, column in (("source", listed.source), ("destination", listed.destination)):
        for place in np.flatnonzero(column >= nodes)[:1].tolist():
            raise ConfigurationError(
                f"{listed.where(place)}: {key} must be a node in 0..{nodes - 1}, "
                f"not {column[place]}"
            )
    to_one = listed.destination >= 0
    right = network.topology.may_send(listed.source, listed.destination)
    for place in np.flatnonzero(to_one & ~right)[:1].tolist():
        source, destination = listed.source[place], listed.destination[place]
        to = network.topology.receivers(int(source))
        raise ConfigurationError(
            f"{listed.where(place)}: destination must be a node to which source={source} may send, "
            f"in {to[0]}..{to[-1]}, not {destination}"
        )


def _require_listed_lengths(network: Network, listed: PacketList) -> None:
    """Refuse the first packet of a length that the network does not take."""
    least, most = packet_lengths(network)
    for place in np.flatnonzero(listed.broadcast)[:1].tolist():
        if not network.has_broadcast:
            raise ConfigurationError(
                f"{listed.where(place)}: a broadcast must be used with a network that has "
                f"broadcasts, not {network.name}"
            )
    limit = np.where(listed.broadcast, network.longest_copied_packet, most)
    for place in np.flatnonzero((listed.length < least) | (listed.length > limit))[:1].tolist():
        raise ConfigurationError(
            f"{listed.where(place)}: length must be in {least}..{limit[place]}, "
            f"not {listed.length[place]}"
        )


def _listed_chain(network: Network, listed: PacketList, place: int) -> list[int]:
    """Addresses of a multicast's chain."""
    where, members = listed.where(place), listed.members[place]
    limit = network.routing.chain_limit
    if limit == 0:
        raise ConfigurationError(
            f"{where}: a multicast must be used with multicast=yes, not {network.name}"
        )
    limit = min(limit, network.longest_copied_packet - int(listed.length[place]))
    if len(members) > limit:
        raise ConfigurationError(
            f"{where}: a multicast must have at most {max(limit, 0)} destinations with "
            f"length={listed.length[place]} and max_packet={network.longest_copied_packet}, "
            f"not {len(members)}"
        )
    try:
        chain = chain_of(network.routing, int(listed.source[place]), members)
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error}") from None
    return [network.topology.address(node) for node in chain]


def list_packets(network: Network, packets: Packets, time: np.ndarray | None = None) -> PacketList:
    """List from which the same packets come again, by cycle and source.

    Parameters
    ----------
    time : ndarray or None
        Cycle from which each packet was offered; None for the packets' own.

    Raises
    ------
    ConfigurationError
        Packets that the network must refuse, which no list may hold, or a network that takes
        packets at certain times only.
    """
    if not network.routing.takes_packets_any_time:
        raise ConfigurationError(
            f"{network.name}: --record must be used with packets that come at any time, not with "
            f"routing={network.routing.name}"
        )
    refused = int(packets.refused.sum())
    if refused:
        raise ConfigurationError(
            f"{network.name}: --record must be used with packets that the network takes, not with "
            f"{refused} that it refuses for their length"
        )
    time = packets.time if time is None else time
    none = np.ones(len(packets), np.bool_)
    is_request = none if packets.replies is None else packets.replies.flow >= 0
    order = np.lexsort((is_request, packets.source, time))  # the order in which sources send
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    length = (packets.length - packets.chain_length)[order]
    members = {int(place[number]): tuple(to) for number, to in packets.members.items()}
    return PacketList(
        cycle=time[order],
        source=packets.source[order],
        destination=np.where(packets.destination >= 0, packets.destination, -1)[order],
        length=length,
        broadcast=packets.broadcast[order],
        members=dict(sorted(members.items())),
        name="",
        lines=np.arange(len(order)),
    )


def make_batches(network: Network, traffic: Traffic) -> Packets:
    """Packets of a permutation, batch after batch, and the jump table that they need.

    A permutation that is not linear-complement gets the table that exchanges nothing at first; the
    flags then say, for nearly every such permutation, that it was not routed.

    Raises
    ------
    ConfigurationError
        Traffic that is not a permutation, or is not made of whole batches of whole packets.
    """
    nodes, words = network.topology.nodes, BatchParameters.of(network.hardware).words
    count = traffic.packets or nodes
    lengths = traffic.length or (words, words)
    spelled = "-".join(map(str, dict.fromkeys(lengths)))
    require_all(
        traffic,
        network.routing,
        [
            Requirement("traffic", "permutation", traffic.is_permutation, traffic.traffic),
            Requirement("packets", f"a multiple of its {nodes} nodes", count % nodes == 0, count),
            Requirement("rate", "1 or unnamed", traffic.rate in (None, 1.0), traffic.rate),
            Requirement("length", f"words={words}", lengths == (words, words), spelled),
        ],
    )
    destinations = _batch_destinations(network, traffic)
    source, number = np.divmod(np.arange(count), count // nodes)
    return packet_table(
        network,
        source=source,
        destination=destinations[source],
        length=np.full(count, words),
        time=number * words,
        seed=traffic.seed,
        loadings=[Loading.of(table_of(destinations))],
    )


def _batch_destinations(network: Network, traffic: Traffic) -> np.ndarray:
    """Destination of each node; ``random`` draws one of the permutations that are routed."""
    rng = np.random.default_rng([traffic.seed, 1])
    if traffic.permutation == "random":
        return BatchRouting.of(network.routing).random_permutation(rng)
    name = str(traffic.permutation)
    return named_permutation(network.topology.nodes, name, rng, owner=traffic.name)


def make_scheduled(
    network: Network, traffic: Traffic, rounds: Sequence[Round] | None = None
) -> Packets:
    """Packets of a schedule; each round is offered one network cycle after the last one.

    Parameters
    ----------
    rounds : sequence of Round or None
        The schedule; None for one of the traffic's permutation.

    Raises
    ------
    ConfigurationError
        Traffic that is neither a permutation nor a schedule, or has packets of several lengths.
    """
    nodes = network.topology.nodes
    shortest, longest = traffic.length or (1, 1)
    fixed = rounds is not None or traffic.is_permutation
    require_all(
        traffic,
        network.routing,
        [
            Requirement("traffic", "permutation, or --schedule", fixed, traffic.traffic),
            Requirement(
                "packets", f"{nodes} or unnamed", traffic.packets in (None, nodes), traffic.packets
            ),
            Requirement("rate", "1 or unnamed", traffic.rate in (None, 1.0), traffic.rate),
            Requirement("bubble", "0", traffic.bubble == 0, f"{traffic.bubble:g}"),
            Requirement("length", "one number", shortest == longest, f"{shortest}-{longest}"),
        ],
    )
    topology = Scheduled.of(network.routing).topology
    cycles = cycle_clocks(topology, CircuitParameters.of(network.hardware).max_packet)
    if rounds is None:
        rng = np.random.default_rng([traffic.seed, 1])
        name = str(traffic.permutation)
        destinations = named_permutation(nodes, name, rng, owner=traffic.name)
        rounds = schedule(topology, np.arange(nodes), destinations)
    number = np.repeat(np.arange(len(rounds)), [len(found.sources) for found in rounds])
    sources, destinations, words = (np.concatenate(part) for part in zip(*rounds, strict=True))
    order = np.lexsort((number, sources))
    return packet_table(
        network,
        source=sources[order],
        destination=destinations[order],
        length=np.full(len(order), longest),
        time=number[order] * cycles,
        seed=traffic.seed,
        up_words=words[order],
    )


_LONG = 64
"""Beats that a short run has room for: no packet is sent that is refused for more of them."""


def hostile_packets(network: Network, *, flits: int, seed: int) -> Packets:
    """Packets of a network that takes them at any time, all offered at once.

    Every node sends at least so many flits, to any node. First, after one packet that must arrive,
    it sends those that must be refused: to an address that no node has, with too few beats, or with
    too many.
    """
    nodes, (least, most) = network.topology.nodes, packet_lengths(network)
    rng = np.random.default_rng([seed, 5])
    first = [(0, least), *_refused_packets(network), *_odd_broadcasts(network)]
    longest = min(most, least + 3)
    count = len(first) + -(-flits // least)
    destination = np.zeros((nodes, count), np.int64)
    length = rng.integers(least, longest + 1, (nodes, count))
    for node in range(nodes):
        receivers = network.topology.receivers(node)
        destination[node] = rng.choice(receivers, count)
        for place, (special, beats) in enumerate(first):
            length[node, place] = beats
            if special < 0:
                destination[node, place] = special
    return packet_table(
        network,
        source=np.repeat(np.arange(nodes), count),
        destination=destination.ravel(),
        length=length.ravel(),
        time=np.zeros(nodes * count, np.int64),
        seed=seed,
    )


def _refused_packets(network: Network) -> list[tuple[int, int]]:
    """Destination, `NOWHERE` or any node, and beats of packets that the network must refuse."""
    least, most = packet_lengths(network)
    found = []
    if network.topology.unused_addresses or len(network.topology.sides) > 1:
        found.append((NOWHERE, least))
    if least > 1:
        found.append((0, least - 1))
    if most < min(_LONG, ANY_LENGTH):
        found.append((0, most + 1))
    return found


def _odd_broadcasts(network: Network) -> list[tuple[int, int]]:
    """The same of broadcasts: one that arrives, and one that is too long."""
    if not network.has_broadcast:
        return []
    most = network.longest_copied_packet
    return [(EVERYONE, min(most, 2)), *([(EVERYONE, most + 1)] if most < _LONG else [])]


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
            "traffic: it must be a Traffic, packets, or a function of the network that returns "
            f"them, not {given!r}"
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
    traffic.require_packets()
    if rounds is not None:
        return make_scheduled(network, traffic, rounds)
    return PACKET_MAKERS[network.routing.arrivals](network, traffic)
