"""When replies were created, and how long round trips took, by the packets that arrived."""

import numpy as np

from ..packets import Packets


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
