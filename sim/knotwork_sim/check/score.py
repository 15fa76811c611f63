"""What became of the packets: delivered, lost, duplicated, misrouted; how fast."""

from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from knotwork.network import Network

from ..model.record import Record
from ..traffic.packets import NEVER, Packets
from ..traffic.replies.times import creation_times, round_trips


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

    @property
    def throughput(self) -> float:
        """Flits of delivered packets per node per cycle."""
        return round(self.flits / (self.nodes * self.cycles), 6) if self.cycles else 0.0


class _Arrival(NamedTuple):
    """Packet that a record shows: the address that came with it, its last cycle, and its data."""

    node: int
    source: int
    cycle: int
    data: bytes


def score(network: Network, packets: Packets, record: Record) -> Score:
    """Judge a record by the packets alone, whichever engine made it.

    A packet is recognised by its data and, where packets carry it, its source. Where several
    packets have the same narrow data, an arrival counts for the earliest of those that are still
    due at its node.
    """
    topology = network.topology
    codes = {topology.address(node): node for node in range(topology.nodes)}
    sources = packets.source
    if not network.has_source:
        codes, sources = dict.fromkeys(codes, 0), np.zeros_like(sources)
    contents = _contents(network, packets)
    due = packets.deliveries()
    # By source and data: the deliveries that are still due, the earliest last, and the nodes that
    # have got theirs.
    waiting: dict[tuple, list[tuple[int, int]]] = defaultdict(list)
    for number, node in reversed(due):
        waiting[int(sources[number]), contents[number]].append((number, node))
    gone: dict[tuple, list[int]] = defaultdict(list)
    delivered, arrival = [], []
    duplicated = misrouted = corrupted = 0
    for node, source, cycle, data in _arrivals(record):
        key = (codes.get(source), data)
        expected = waiting.get(key, [])
        here = [delivery for delivery in expected if delivery[1] == node]
        if here:
            expected.remove(here[-1])
            gone[key].append(node)
            delivered.append(here[-1])
            arrival.append(cycle)
        elif node in gone.get(key, []):
            duplicated += 1
        elif expected or key in gone:
            misrouted += 1
        else:
            corrupted += 1
    deliveries, arrived = np.array(delivered, np.int64).reshape(-1, 2), np.array(arrival, np.int64)
    number = deliveries[:, 0]
    time = creation_times(packets, number, arrived)
    return Score(
        injected=len(due),
        delivered=len(delivered),
        lost=len(due) - len(delivered),
        duplicated=duplicated,
        misrouted=misrouted,
        corrupted=corrupted,
        refused=len(record.refused),
        latency=(arrived - time[number])[time[number] < NEVER],
        deliveries=deliveries,
        arrival=arrived,
        round_trip=round_trips(packets, number, arrived),
        time=time,
        flits=int((packets.length - packets.chain_length)[number].sum()),
        cycles=int(record.clock.max()) + 1 if len(record.clock) else record.clocks,
        nodes=topology.nodes,
    )


def _contents(network: Network, packets: Packets) -> list[bytes]:
    """Data of each packet."""
    words = packets.words(network.hardware.data_width)
    ends = packets.first_flit
    first = (ends[:-1] + packets.chain_length).tolist()
    return [words[a:b].tobytes() for a, b in zip(first, ends[1:].tolist(), strict=True)]


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
    arrivals += [_Arrival(node, -1, 0, b"".join(beats)) for node, beats in open_beats.items()]
    return arrivals


def mismatches(rtl: Record, model: Record) -> int:
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
