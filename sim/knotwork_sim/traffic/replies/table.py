"""Replies to all packets of a run, made before it; only their times follow from the run."""

import dataclasses

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network

from ..keys import Traffic
from ..packet_table import packet_table
from ..packets import NEVER, Packets, Replies, packet_lengths


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
            "traffic: reply must go with packets to one node each, not with broadcasts or "
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
            f"traffic: reply must go with packets that carry their source, not with {network.name}"
        )
    if network.sequence_width:
        raise ConfigurationError(
            "traffic: reply must go with packets without a sequence number, not with "
            f"sequence_width={network.sequence_width}"
        )
