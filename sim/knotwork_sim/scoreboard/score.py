"""What became of the packets: delivered, lost, duplicated, misrouted; how fast."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from knotwork.network import Network

from ..model.record import Record
from ..traffic.packets import NEVER, Packets
from ..traffic.replies import creation_times, round_trips
from .expected import Deliveries, contents_of
from .network_facts import NetworkFacts


@dataclass(frozen=True)
class Score:
    """Fates of the packets of a run; a multicast counts once per destination.

    Members
    -------
    injected : int
        Packets to deliver.
    delivered : int
        Packets that arrived whole, at their destination, the first time.
    lost : int
        Packets that did not.
    duplicated : int
        Arrivals of a packet that had arrived before.
    misrouted : int
        Arrivals of a packet at a node that is not its destination.
    corrupted : int
        Arrivals whose data is not that of any packet.
    refused : int
        Packets refused at injection.
    latency : ndarray
        Cycles of each delivered packet from its creation to its last beat, int64.
    deliveries : ndarray
        Packet and node of each delivery, in the same order, int64 of shape (deliveries, 2).
    arrival : ndarray
        Cycle of its last beat, int64.
    round_trip : ndarray
        Cycles from the creation of each request to the last beat of its reply, int64; empty where
        there are no replies.
    time : ndarray
        Cycle in which each packet was created, int64.
    flits : int
        Flits of the delivered packets.
    cycles : int
        Cycles from the start of the run to the last delivery's, both included.
    nodes : int
        Nodes of the network.
    mismatches : int or None
        Differences from the golden model's run, see `count_mismatches`; None where not compared.
    """

    injected: int
    delivered: int
    lost: int
    duplicated: int
    misrouted: int
    corrupted: int
    refused: int
    latency: np.ndarray
    deliveries: np.ndarray
    arrival: np.ndarray
    round_trip: np.ndarray
    time: np.ndarray
    flits: int
    cycles: int
    nodes: int
    mismatches: int | None = None

    @property
    def is_faultless(self) -> bool:
        """Whether every packet arrived, once, where it must."""
        return not (self.lost or self.duplicated or self.misrouted or self.corrupted)

    @property
    def throughput(self) -> float:
        """Flits of delivered packets per node per cycle."""
        return round(self.flits / (self.nodes * self.cycles), 6) if self.cycles else 0.0


ENDLESS = -1
"""Source of a packet that has no end: it is none that was sent."""


class _Arrival(NamedTuple):
    """Packet that a record shows: the address that came with it, its last cycle, and its data."""

    node: int
    source: int
    cycle: int
    data: bytes


def score(
    network: Network, packets: Packets, record: Record, golden: Record | None = None
) -> Score:
    """Count the fates of the packets in a record, whichever engine made it.

    With `golden`, the golden model's record, it also counts the differences from that.

    A packet is recognised by its data and, where packets carry it, its source. Where several
    packets have the same narrow data, an arrival counts for the earliest of those that are still
    due at its node.
    """
    facts, due, waiting = NetworkFacts.of(network), packets.deliveries(), Deliveries()
    words, ends = packets.words(facts.width), packets.first_flit
    contents = contents_of(words, ends[:-1] + packets.chain_length, ends[1:])
    sources = packets.source.tolist()
    for number, node in due:
        waiting.add(facts.key(sources[number], contents[number]), number, node)
    counts = Counter({"delivered": 0})
    delivered, arrival = [], []
    for node, source, cycle, data in _arrivals(record):
        key = None if source == ENDLESS else facts.key(facts.node_at.get(source), data)
        fate = waiting.fate(key, node)
        counts[fate.name] += 1
        if fate.name == "delivered":
            waiting.deliver(key, fate.packets[0], node)
            delivered.append((fate.packets[0], node))
            arrival.append(cycle)
    deliveries, arrived = np.array(delivered, np.int64).reshape(-1, 2), np.array(arrival, np.int64)
    number = deliveries[:, 0]
    time = creation_times(packets, number, arrived)
    return Score(
        injected=len(due),
        delivered=len(delivered),
        lost=len(due) - len(delivered),
        duplicated=counts["duplicated"],
        misrouted=counts["misrouted"],
        corrupted=counts["corrupted"],
        refused=len(record.refused),
        latency=(arrived - time[number])[time[number] < NEVER],
        deliveries=deliveries,
        arrival=arrived,
        round_trip=round_trips(packets, number, arrived),
        time=time,
        flits=int((packets.length - packets.chain_length)[number].sum()),
        cycles=int(record.clock.max()) + 1 if len(record.clock) else record.clocks,
        nodes=network.topology.nodes,
        mismatches=None if golden is None else count_mismatches(record, golden),
    )


def _arrivals(record: Record) -> list[_Arrival]:
    """Packets that a record shows, in order of time; those without an end last, from no source."""
    open_beats: dict[int, list[bytes]] = defaultdict(list)
    arrivals = []
    rows = zip(
        record.node.tolist(),
        record.source.tolist(),
        record.clock.tolist(),
        record.last.tolist(),
        record.data,
        strict=True,
    )
    for node, source, cycle, last, data in rows:
        open_beats[node].append(data.tobytes())
        if last:
            arrivals.append(_Arrival(node, source, cycle, b"".join(open_beats.pop(node))))
    arrivals += [_Arrival(node, ENDLESS, 0, b"".join(beats)) for node, beats in open_beats.items()]
    return arrivals


def count_mismatches(rtl: Record, model: Record) -> int:
    """Beats, injections, refusals, changes of status, by cycle, that only one of two runs saw."""
    count = 0
    for one, other in (
        (rtl.rows(), model.rows()),
        (rtl.refused, model.refused),
        (rtl.status, model.status),
    ):
        first = {row.tobytes() for row in np.ascontiguousarray(one)}
        second = {row.tobytes() for row in np.ascontiguousarray(other.astype(one.dtype))}
        count += len(first ^ second)
    if rtl.injected is not None and model.injected is not None:
        count += int((rtl.injected != model.injected).sum())
    return count
