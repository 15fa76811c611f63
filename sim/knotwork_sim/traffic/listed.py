"""Packets that users list one by one, and the list of the packets of a run."""

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.multicast import chain_of

from .given import PacketList
from .keys import Traffic
from .packet_table import packet_table
from .packets import EVERYONE, Packets, packet_lengths


def make_listed(network: Network, traffic: Traffic) -> Packets:
    """Packets of the traffic's list, sorted by source and cycle.

    Raises
    ------
    ConfigurationError
        A packet that the network does not take; names its line.
    """
    listed = PacketList.of(traffic.replay)
    _require_nodes(network, listed)
    _require_lengths(network, listed)
    order = np.lexsort((listed.cycle, listed.source))
    chains = {}
    for place in np.flatnonzero(np.isin(order, list(listed.members))).tolist():
        chains[place] = _chain(network, listed, int(order[place]))
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


def _require_nodes(network: Network, listed: PacketList) -> None:
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


def _require_lengths(network: Network, listed: PacketList) -> None:
    """Refuse the first packet of a length that the network does not take."""
    least, most = packet_lengths(network)
    for place in np.flatnonzero(listed.broadcast)[:1].tolist():
        if not network.has_broadcast:
            raise ConfigurationError(
                f"{listed.where(place)}: a broadcast must go with a network that has broadcasts, "
                f"not {network.name}"
            )
    limit = np.where(listed.broadcast, network.longest_copied_packet, most)
    for place in np.flatnonzero((listed.length < least) | (listed.length > limit))[:1].tolist():
        raise ConfigurationError(
            f"{listed.where(place)}: length must be in {least}..{limit[place]}, "
            f"not {listed.length[place]}"
        )


def _chain(network: Network, listed: PacketList, place: int) -> list[int]:
    """Addresses of a multicast's chain."""
    where, members = listed.where(place), listed.members[place]
    limit = network.routing.chain_limit
    if limit == 0:
        raise ConfigurationError(
            f"{where}: a multicast must go with multicast=yes, not {network.name}"
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
            f"{network.name}: --record must go with packets that come at any time, not with "
            f"routing={network.routing.name}"
        )
    refused = int(packets.refused.sum())
    if refused:
        raise ConfigurationError(
            f"{network.name}: --record must go with packets that the network takes, not with "
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
