"""Nodes of a simulation: sources that offer beats, sinks that take them.

The same compiled functions drive the golden model and the Verilog, so both see the same bubbles and
stalls: pure functions of seed, node and cycle, or what was observed at a network's ports.

Where packets have replies, a node that has taken a request puts its reply into a queue without
bounds, so no sink ever waits for a source. A source sends what has been created first: its own
requests and its replies in one order of time, replies first in the same cycle.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import NONE, loop, part
from .keys import Traffic
from .packets import Observed, Packets, Replies

PERIOD = 64
"""Cycles for which a changing probability stays the same."""


class Queues(NamedTuple):
    """Replies that nodes have still to send; of no size where there are none.

    Members
    -------
    request, last_request : ndarray
        Next request of each source, and the end of its requests, int64.
    head, tail : ndarray
        First and last reply in each node's queue, int64; the head is -1 if the queue is empty.
    after : ndarray
        Reply after each in its queue, by packet, int64.
    ready : ndarray
        Cycle in which each node creates its last reply so far, int64: one per cycle at most.
    flow, service : ndarray
        Of each packet, int64, as in `Replies`.
    next_reply, last_reply : ndarray
        Next reply of each flow, and the end of its replies, int64.
    """

    request: np.ndarray
    last_request: np.ndarray
    head: np.ndarray
    tail: np.ndarray
    after: np.ndarray
    ready: np.ndarray
    flow: np.ndarray
    service: np.ndarray
    next_reply: np.ndarray
    last_reply: np.ndarray


class Endpoints(NamedTuple):
    """State of all sources and sinks.

    Members
    -------
    offered : ndarray
        Whether the source offers a beat in this cycle, bool.
    packet, beat : ndarray
        Beat that the source offers, or will offer next, int64.
    taking : ndarray
        Whether the sink takes a beat in this cycle, bool.
    last_packet : ndarray
        End of the source's packets, int64.
    source, length, time : ndarray
        Of each packet, int64; the time of a reply is known when its request has arrived.
    injected : ndarray
        Cycle in which the network took the first beat of each packet, int64; -1 until then.
    bubble, stall, seed : uint64
        Probabilities in units of 2^-64, and the seed.
    changing : bool
        Whether probabilities other than 0 are drawn anew for each node every `PERIOD` cycles.
    replies : bool
        Whether packets have replies.
    queues : Queues
        The replies.
    is_observed : bool
        Whether beats are offered and taken as `observed` says; else it has no size.
    """

    offered: np.ndarray
    packet: np.ndarray
    beat: np.ndarray
    taking: np.ndarray
    last_packet: np.ndarray
    source: np.ndarray
    length: np.ndarray
    time: np.ndarray
    injected: np.ndarray
    bubble: np.uint64
    stall: np.uint64
    seed: np.uint64
    changing: bool
    replies: bool
    queues: Queues
    is_observed: bool
    observed: Observed


def pause_numbers(traffic: Traffic) -> np.ndarray:
    """Probabilities of a pause at sources and sinks, in 2^-64, and the cycles that they last.

    uint64, in the order in which `ports.h` reads them; the last is 0 if they never change.
    """
    shares = [int(share * 2**64) for share in (traffic.bubble, traffic.stall)]
    return np.array([*shares, PERIOD if traffic.pauses == "changing" else 0], np.uint64)


def make_endpoints(packets: Packets, traffic: Traffic) -> Endpoints:
    """Make sources and sinks as they are before the first cycle."""
    nodes, replies = len(packets.first_packet) - 1, packets.replies
    bubble, stall, period = pause_numbers(traffic)
    first, last = packets.first_packet[:-1].copy(), packets.first_packet[1:].copy()
    queues = _no_queues() if replies is None else _make_queues(packets, replies)
    if replies is not None:
        first = np.where(queues.request < queues.last_request, first, last)
    return Endpoints(
        offered=np.zeros(nodes, np.bool_),
        packet=first,
        beat=np.zeros(nodes, np.int64),
        taking=np.zeros(nodes, np.bool_),
        last_packet=last,
        source=packets.source,
        length=packets.length,
        time=packets.time if replies is None else packets.time.copy(),
        injected=np.full(len(packets), NONE, np.int64),
        bubble=bubble,
        stall=stall,
        seed=np.uint64(traffic.seed),
        changing=bool(period),
        replies=replies is not None,
        queues=queues,
        is_observed=packets.observed is not None,
        observed=packets.observed or Observed.nothing(),
    )


def _no_queues() -> Queues:
    return Queues(*(np.zeros(0, np.int64) for _ in Queues._fields))


def _make_queues(packets: Packets, replies: Replies) -> Queues:
    """Empty queues."""
    nodes = len(packets.first_packet) - 1
    first = packets.first_packet[:-1]
    requests = np.bincount(packets.source[replies.flow >= 0], minlength=nodes)
    return Queues(
        request=first.copy(),
        last_request=first + requests,
        head=np.full(nodes, NONE, np.int64),
        tail=np.full(nodes, NONE, np.int64),
        after=np.full(len(packets), NONE, np.int64),
        ready=np.full(nodes, -1, np.int64),
        flow=replies.flow,
        service=replies.service,
        next_reply=replies.first.copy(),
        last_reply=replies.end,
    )


@part
def random_bits(seed, node, clock, purpose):
    """Uniform 64-bit number of (seed, node, clock, purpose): the SplitMix64 finaliser, twice.

    Seed and result are uint64. Node and clock may be arrays where it is not compiled.
    """
    x = seed * np.uint64(0x9E3779B97F4A7C15) + np.uint64(clock) * np.uint64(0xD1B54A32D192ED03)
    # Not in place: engines that are not compiled take arrays of nodes and of cycles.
    x = x ^ (np.uint64(node) * np.uint64(0x8CB92BA72F3D8DD7) + np.uint64(purpose))
    for _ in range(2):
        x ^= x >> np.uint64(30)
        x *= np.uint64(0xBF58476D1CE4E5B9)
        x ^= x >> np.uint64(27)
        x *= np.uint64(0x94D049BB133111EB)
        x ^= x >> np.uint64(31)
    return x


@part
def _share(ends: Endpoints, share: np.uint64, node: int, clock: int, purpose: int) -> Any:
    """Probability of a pause in this cycle, in units of 2^-64."""
    return random_bits(ends.seed, node, clock // PERIOD, purpose) if ends.changing else share


@part
def has_beat(ends: Endpoints, node: int, clock: int) -> Any:
    """Whether a source has a beat to send; it may pause all the same."""
    packet = ends.packet[node]
    if packet >= ends.last_packet[node]:
        return False
    return ends.beat[node] > 0 or ends.time[packet] <= clock


@part
def offer(ends: Endpoints, node: int, clock: int) -> None:
    """Decide what a source offers in this cycle; it never withdraws a beat."""
    if ends.is_observed:
        if not ends.offered[node] and has_beat(ends, node, clock):
            beat = ends.observed.first_flit[ends.packet[node]] + ends.beat[node]
            ends.offered[node] = ends.observed.offers[beat] <= clock
    elif not ends.offered[node]:
        ends.offered[node] = has_beat(ends, node, clock) and (
            ends.bubble == 0
            or random_bits(ends.seed, node, clock, 1) >= _share(ends, ends.bubble, node, clock, 3)
        )


@part
def takes(ends: Endpoints, node: int, clock: int) -> Any:
    """Whether a sink takes a beat in this cycle."""
    if ends.is_observed:
        seen = ends.observed.takes
        return clock < len(seen) and seen[clock, node]
    return ends.stall == 0 or random_bits(ends.seed, node, clock, 2) >= _share(
        ends, ends.stall, node, clock, 4
    )


@loop
def drive(ends: Endpoints, clock: int) -> None:
    """Decide what all sources offer and which sinks take a beat in this cycle."""
    for node in range(len(ends.offered)):
        offer(ends, node, clock)
        ends.taking[node] = takes(ends, node, clock)


@part
def _first_created(ends, node):
    """Packet that a source sends next, of its next request and its first reply."""
    queues = ends.queues
    request, reply = queues.request[node], queues.head[node]
    if reply < 0:
        return request if request < queues.last_request[node] else ends.last_packet[node]
    if request >= queues.last_request[node] or ends.time[reply] <= ends.time[request]:
        return reply
    return request


@part
def _go_on(ends, node):
    """Go on to a source's next packet: all of this one has been taken."""
    if not ends.replies:
        ends.packet[node] += 1
        return
    queues, packet = ends.queues, ends.packet[node]
    if packet < queues.last_request[node]:
        queues.request[node] += 1
    else:
        queues.head[node] = queues.after[packet]
    ends.packet[node] = _first_created(ends, node)


@part
def reply_to(ends, node, flow, clock):
    """Queue the reply to a request of this flow; the node has taken its last beat."""
    queues = ends.queues
    if flow < 0 or queues.next_reply[flow] == queues.last_reply[flow]:
        return
    reply = queues.next_reply[flow]
    queues.next_reply[flow] += 1
    queues.ready[node] = max(clock + 1 + queues.service[reply], queues.ready[node] + 1)
    ends.time[reply] = queues.ready[node]
    if queues.head[node] < 0:
        queues.head[node] = reply
    else:
        queues.after[queues.tail[node]] = reply
    queues.tail[node] = reply
    if not ends.offered[node] and ends.beat[node] == 0:
        ends.packet[node] = _first_created(ends, node)


@part
def has_reply(ends, node):
    """Whether a source's next packet is a reply, though it may not be due yet."""
    packet = ends.packet[node]
    return ends.replies and ends.queues.last_request[node] <= packet < ends.last_packet[node]


@loop
def reply_to_one(ends: Endpoints, node: int, flow: int, clock: int) -> None:
    """Queue the reply to a request, for engines that are not compiled."""
    reply_to(ends, node, flow, clock)


@part
def accepted(ends: Endpoints, node: int, clock: int) -> None:
    """Go on to the next beat: the network took the offered one."""
    ends.offered[node] = False
    if ends.beat[node] == 0:
        ends.injected[ends.packet[node]] = clock
    ends.beat[node] += 1
    if ends.beat[node] == ends.length[ends.packet[node]]:
        ends.beat[node] = 0
        _go_on(ends, node)


@loop
def accepted_all(ends: Endpoints, ready: np.ndarray, clock: int) -> None:
    """Go on to the next beat at every source that offers one where `ready` is true."""
    for node in range(len(ends.offered)):
        if ends.offered[node] and ready[node]:
            accepted(ends, node, clock)
