"""What became of the packets: delivered, lost, duplicated, misrouted; how fast."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from knotwork.network import Network

from ..model.record import Record
from ..traffic.packets import Packets


@dataclass(frozen=True)
class Score:
    """Fates of the packets of a run; a multicast counts once for each of its destinations.

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
        Arrivals that are no packet that was sent.
    refused : int
        Packets refused at injection.
    latency : ndarray
        Clocks of each delivered packet from its creation to its last beat, int64.
    flits : int
        Flits of the delivered packets.
    cycles : int
        Clocks from the first to the last delivery's, both counted.
    """

    injected: int
    delivered: int
    lost: int
    duplicated: int
    misrouted: int
    corrupted: int
    refused: int
    latency: np.ndarray
    flits: int
    cycles: int

    def as_json(self, nodes: int) -> dict[str, Any]:
        """Fields that `simulate --json` promises."""
        latency = {"mean": None, "p50": None, "p99": None, "max": None}
        if len(self.latency):
            latency = {
                "mean": round(float(self.latency.mean()), 4),
                "p50": float(np.percentile(self.latency, 50)),
                "p99": float(np.percentile(self.latency, 99)),
                "max": int(self.latency.max()),
            }
        return {
            "injected": self.injected,
            "delivered": self.delivered,
            "lost": self.lost,
            "duplicated": self.duplicated,
            "misrouted": self.misrouted,
            "corrupted": self.corrupted,
            "refused": self.refused,
            "cycles": self.cycles,
            "latency": latency,
            "throughput": round(self.flits / (nodes * self.cycles), 6) if self.cycles else 0.0,
        }


def score(network: Network, packets: Packets, record: Record) -> Score:
    """Judge a record by the packets alone, whichever engine made it.

    A packet is known by its source, where it carries that, and its payloads. Where narrow payloads
    fit several, the earliest one not delivered, to the node where it arrived, is meant.
    """
    topology = network.topology
    codes = {topology.address(node): node for node in range(topology.nodes)}
    sources = packets.source
    if getattr(network.hardware, "source", "yes") == "no":
        codes, sources = dict.fromkeys(codes, 0), np.zeros_like(sources)
    contents = _contents(network, packets)
    due = packets.deliveries()
    # By source and contents, the earliest last: packets, and the nodes to which they still have to
    # go or have gone.
    waiting: dict[tuple, list[tuple[int, int]]] = defaultdict(list)
    for number, node in reversed(due):
        waiting[int(sources[number]), contents[number]].append((number, node))
    gone: dict[tuple, list[int]] = defaultdict(list)
    delivered, latency = [], []
    duplicated = misrouted = corrupted = 0
    for node, source, clock, arrived in _arrivals(record):
        key = (codes.get(source), arrived)
        expected = waiting.get(key, [])
        here = [delivery for delivery in expected if delivery[1] == node]
        if here:
            expected.remove(here[-1])
            gone[key].append(node)
            delivered.append(here[-1][0])
            latency.append(clock - int(packets.time[here[-1][0]]))
        elif node in gone.get(key, []):
            duplicated += 1
        elif expected or key in gone:
            misrouted += 1
        else:
            corrupted += 1
    return Score(
        injected=len(due),
        delivered=len(delivered),
        lost=len(due) - len(delivered),
        duplicated=duplicated,
        misrouted=misrouted,
        corrupted=corrupted,
        refused=len(record.refused),
        latency=np.array(latency, np.int64),
        flits=int((packets.length - packets.chain_length)[delivered].sum()),
        cycles=int(record.clock.max()) + 1 if len(record.clock) else record.clocks,
    )


def _contents(network: Network, packets: Packets) -> list[bytes]:
    """Data of each packet."""
    words = packets.words(network.hardware.data_width)
    ends = packets.first_flit
    first = (ends[:-1] + packets.chain_length).tolist()
    return [words[a:b].tobytes() for a, b in zip(first, ends[1:].tolist(), strict=True)]


def _arrivals(record: Record) -> list[tuple[int, int, int, bytes]]:
    """Packets that a record shows, in order of time: node, source address, clock, payloads."""
    open_beats: dict[int, list[bytes]] = defaultdict(list)
    arrivals = []
    rows = zip(
        record.clock.tolist(),
        record.node.tolist(),
        record.source.tolist(),
        record.last.tolist(),
        strict=True,
    )
    for place, (clock, node, source, last) in enumerate(rows):
        open_beats[node].append(record.data[place].tobytes())
        if last:
            arrivals.append((node, source, clock, b"".join(open_beats.pop(node))))
    arrivals += [(node, -1, 0, b"".join(beats)) for node, beats in open_beats.items()]
    return arrivals


def half_width_95(values: Sequence[float]) -> float:
    """Half the width of the 95 % confidence interval of some dozens of values' mean; 0 for one."""
    if len(values) < 2:
        return 0.0
    return float(1.96 * np.std(values, ddof=1) / np.sqrt(len(values)))


def mismatches(rtl: Record, model: Record) -> int:
    """Beats, refusals and changes of status that only one of two runs saw, with their clocks."""
    count = 0
    for one, other in (
        (rtl.rows(), model.rows()),
        (rtl.refused, model.refused),
        (rtl.status, model.status),
    ):
        first = {row.tobytes() for row in np.ascontiguousarray(one)}
        second = {row.tobytes() for row in np.ascontiguousarray(other.astype(one.dtype))}
        count += len(first ^ second)
    return count
