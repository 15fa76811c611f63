"""Replies to packets: which there are, how a node finds its requests, and what they say of time.

`table` adds the replies to the packets of a run. `receiver` finds, beat by beat, which flow's reply
a node owes. `times` works out afterwards when each reply was created.
"""

import dataclasses

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network

from .keys import Traffic
from .packets import NEVER, Packets, Replies, node_addresses, packet_lengths, packet_table


def with_replies(network: Network, traffic: Traffic, requests: Packets) -> Packets:
    """Packets with a reply to each, if the traffic asks for replies.

    Raises
    ------
    ConfigurationError
        Requests to several nodes, lengths that the network does not take, or packets that do not
        say where they come from.
    """
    if traffic.reply is None:
        return requests
    _require_replies(network, traffic, requests)
    count, nodes = len(requests), network.topology.nodes
    by_flow = np.lexsort((requests.source, requests.destination))
    source = np.concatenate([requests.source, requests.destination[by_flow]])
    destination = np.concatenate([requests.destination, requests.source[by_flow]])
    rng = np.random.default_rng([traffic.seed, 6])
    length = rng.integers(traffic.reply[0], traffic.reply[1] + 1, count)
    least, most = traffic.service or (0, 0)
    service = rng.integers(least, most + 1, count)
    order = np.argsort(source, kind="stable")  # of each source the requests, then its replies
    place = np.empty(2 * count, np.int64)
    place[order] = np.arange(2 * count)
    packets = packet_table(
        network,
        source=source[order],
        destination=destination[order],
        length=np.concatenate([requests.length, length])[order],
        time=np.concatenate([requests.time, np.full(count, NEVER)])[order],
        seed=traffic.seed,
    )
    _, first, flow, sizes = np.unique(
        (requests.destination * nodes + requests.source)[by_flow],
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    request_places, reply_places = place[:count][by_flow], place[count:]
    replies = Replies(
        flow=np.full(2 * count, -1, np.int64),
        first=reply_places[first],
        end=reply_places[first] + sizes,
        request=np.full(2 * count, -1, np.int64),
        service=np.zeros(2 * count, np.int64),
    )
    replies.flow[request_places] = flow
    replies.request[reply_places] = request_places
    replies.service[reply_places] = service
    return dataclasses.replace(packets, replies=replies)


def _require_replies(network: Network, traffic: Traffic, requests: Packets) -> None:
    """Refuse what replies do not go with."""
    if requests.broadcast.any() or requests.chains:
        raise ConfigurationError(
            "traffic: reply must be used with packets to one node each, not with broadcasts or "
            "multicasts"
        )
    least, most = packet_lengths(network)
    assert traffic.reply is not None
    lengths = (*traffic.reply, int(requests.length.min()), int(requests.length.max()))
    if not least <= min(lengths) <= max(lengths) <= most:
        wrong = max(lengths) if max(lengths) > most else min(lengths)
        raise ConfigurationError(
            f"traffic: requests and replies must have {least}..{most} flits in {network.name}, "
            f"not {wrong}"
        )
    if not network.has_source:
        raise ConfigurationError(
            "traffic: reply must be used with packets that carry their source, not with "
            f"{network.name}"
        )
    if network.sequence_width:
        raise ConfigurationError(
            "traffic: reply must be used with packets without a sequence number, not with "
            f"sequence_width={network.sequence_width}"
        )


def creation_times(packets: Packets, number: np.ndarray, cycle: np.ndarray) -> np.ndarray:
    """Cycle in which each packet was created, int64; of replies that never were, `NEVER`.

    Parameters
    ----------
    number, cycle : ndarray
        Packets that arrived, and the cycle of their last beat.
    """
    replies, time = packets.replies, packets.time.copy()
    if replies is None:
        return time
    flow = replies.flow[number]
    number, cycle, flow = (column[flow >= 0] for column in (number, cycle, flow))
    order = np.lexsort((cycle, flow))
    rank = np.empty(len(order), np.int64)  # of a request among the arrivals of its flow
    rank[order] = np.arange(len(order)) - np.searchsorted(flow[order], flow[order])
    reply = replies.first[flow] + rank
    node, ready = packets.destination[number], cycle + 1 + replies.service[reply]
    order = np.lexsort((cycle, node))
    changes = np.flatnonzero(np.diff(node[order])) + 1
    for own in np.split(order, changes):  # a node creates its replies one by one, as requests came
        steps = np.arange(len(own))
        time[reply[own]] = np.maximum.accumulate(ready[own] - steps) + steps
    return time


def round_trips(packets: Packets, number: np.ndarray, cycle: np.ndarray) -> np.ndarray:
    """Cycles from the creation of each request to the last beat of its reply, int64.

    The k-th request of a flow is paired with its k-th reply: the same as the reply to it wherever
    the packets of a flow arrive in order.
    """
    if packets.replies is None:
        return np.zeros(0, np.int64)
    request = packets.replies.request[number]
    arrived = request >= 0
    return cycle[arrived] - packets.time[request[arrived]]


class Receiver:
    """Nodes that find the flow of each request in the beats that they take, and in nothing else.

    The address that comes with a packet is its source's; the lowest bit of its first beat marks a
    reply from a request. No node gets the beats of two packets in turns.

    Parameters
    ----------
    codes : ndarray
        Address of each node, int64.
    """

    def __init__(self, packets: Packets, codes: np.ndarray) -> None:
        self._flows: dict[tuple[int, int], int] = {}
        self._is_reply: dict[int, bool] = {}
        self.is_needed = packets.replies is not None
        if packets.replies is not None:
            requests = np.flatnonzero(packets.replies.flow >= 0)
            source, destination = codes[packets.source[requests]], packets.destination[requests]
            pairs = zip(destination.tolist(), source.tolist(), strict=True)
            self._flows = dict(zip(pairs, packets.replies.flow[requests].tolist(), strict=True))

    @classmethod
    def of(cls, network: Network, packets: Packets) -> "Receiver":
        """Nodes of a network."""
        return cls(packets, node_addresses(network.topology))

    def sorted_flows(self, nodes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Flows by the node that owes their replies, and by the address of the requester.

        Returns
        -------
        first : ndarray
            Place of each node's first flow, and the total, int64.
        source, flow : ndarray
            Address and number of each flow, int64.
        """
        rows = sorted((*pair, flow) for pair, flow in self._flows.items())
        node, source, flow = np.array(rows, np.int64).reshape(-1, 3).T
        return np.searchsorted(node, np.arange(nodes + 1)), source, flow

    def take(self, node: int, source: int, data: int, *, last: bool) -> int:
        """Flow whose reply a node owes after this beat; -1 for none."""
        is_reply = self._is_reply.setdefault(node, bool(data & 1))
        if not last:
            return -1
        del self._is_reply[node]
        return -1 if is_reply else self._flows.get((node, source), -1)
