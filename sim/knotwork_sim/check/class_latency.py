"""Latencies of each class of traffic."""

from dataclasses import dataclass

import numpy as np
from knotwork.network import Network

from ..model.record import Record
from ..scoreboard.score import Score
from ..traffic.packets import Packets
from .latency import Latency


@dataclass(frozen=True, kw_only=True)
class ClassLatency:
    """What became of the packets of one class of traffic.

    Members
    -------
    number : int
        Class.
    delivered : int
        Packets delivered.
    throughput : float
        Flits per node per cycle.
    latency : Latency
        From a packet's creation to its last flit.
    network_latency : Latency
        From the cycle in which the network takes its first flit; unknown where that is.
    network_p999 : float or None
        99.9th percentile of the latter.
    """

    number: int
    delivered: int
    throughput: float
    latency: Latency
    network_latency: Latency
    network_p999: float | None

    def as_json(self) -> dict[str, object]:
        """Fields by the names that ``simulate --json`` promises."""
        p999 = {"p999": self.network_p999}
        return {
            "class": self.number,
            "delivered": self.delivered,
            "throughput": self.throughput,
            "latency": self.latency.as_json(),
            "network_latency": self.network_latency.as_json() | p999,
        }


def class_latencies(
    network: Network, packets: Packets, record: Record, fates: Score
) -> tuple[ClassLatency, ...]:
    """Latencies of all classes; none where there is one class."""
    count = network.traffic_classes
    if count == 1:
        return ()
    nodes, packet = network.topology.nodes // count, fates.deliveries[:, 0]
    taken = np.full(len(packet), -1) if record.injected is None else record.injected[packet]
    found = []
    for number in range(count):
        own = packets.source[packet] // nodes == number
        inside = (fates.arrival - taken)[own & (taken >= 0)]
        flits = int((packets.length - packets.chain_length)[packet[own]].sum())
        found.append(
            ClassLatency(
                number=number,
                delivered=int(own.sum()),
                throughput=round(flits / (nodes * fates.cycles), 6) if fates.cycles else 0.0,
                latency=Latency.of(fates.latency[own]),
                network_latency=Latency.of(inside),
                network_p999=float(np.percentile(inside, 99.9)) if len(inside) else None,
            )
        )
    return tuple(found)
