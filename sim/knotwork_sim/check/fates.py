"""What became of each packet of a run, a row for each delivery that is due."""

import numpy as np
from knotwork.network import Network
from knotwork.topology import LeastCommonAncestor

from ..columns import Table
from ..model.record import Record
from ..model.router_model import Tally
from ..scoreboard.score import Score
from ..traffic.packets import EVERYONE, NEVER, Packets

STATUS = ("delivered", "lost", "refused")
"""What can become of a packet."""


def packet_rows(
    network: Network, packets: Packets, record: Record, fates: Score, counted: Tally | None
) -> Table:
    """Row for each packet, in the order of the sources; a multicast has one per destination.

    The columns are ``packet`` (its index), ``source``, ``destination``, ``length`` (flits of data),
    ``offered``, ``injected`` and ``ejected`` (cycles in which the source offers it, the network
    takes its first flit and the destination takes its last), ``latency`` (cycles from offered to
    ejected), ``hops`` (links between routers) and ``status``. A refused packet has no destination.
    Hops are unknown of multicasts and broadcasts, and, but for circuits, where the golden model did
    not run: `counted` is what it counted.
    """
    due = np.array(packets.deliveries(), np.int64).reshape(-1, 2)
    refused = np.nonzero(packets.refused)[0]
    packet = np.concatenate([due[:, 0], refused])
    node = np.concatenate([due[:, 1], np.full(len(refused), -1)])
    cycle = _ejections(fates, packet, node)
    order = np.lexsort((node, packet))
    packet, node, cycle = packet[order], node[order], cycle[order]
    status = np.where(node < 0, 2, np.where(cycle < 0, 1, 0))
    injected = np.full(len(packets), -1) if record.injected is None else record.injected
    hops, alone = np.full(len(packets), -1), ~packets.multicast & (packets.destination != EVERYONE)
    if counted is not None:
        hops = np.where(alone, counted.hops[: len(packets)], -1)
    elif network.routing.has_network_cycles:
        tree = LeastCommonAncestor.of(network.topology)
        goes = packets.destination >= 0
        hops[goes] = tree.distance(packets.source[goes], packets.destination[goes])
    time = fates.time[packet]
    known = cycle >= 0
    return Table(
        {
            "packet": packet,
            "source": packets.source[packet],
            "destination": _known(node, node >= 0),
            "length": (packets.length - packets.chain_length)[packet],
            "offered": _known(time, time < NEVER),
            "injected": _known(injected[packet], injected[packet] >= 0),
            "ejected": _known(cycle, known),
            "latency": _known(cycle - time, known),
            "hops": _known(hops[packet], known & (hops[packet] >= 0)),
            "status": np.array(STATUS)[status],
        }
    )


def _known(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    return np.ma.array(values, mask=~known)


def _ejections(fates: Score, packet: np.ndarray, node: np.ndarray) -> np.ndarray:
    """Cycle in which each delivery was complete; -1 where it never was."""
    cycle = np.full(len(packet), -1)
    if not len(fates.arrival):
        return cycle
    here, seen = packet * fates.nodes + node, fates.deliveries @ [fates.nodes, 1]
    order = np.argsort(seen)
    place = np.minimum(np.searchsorted(seen, here, sorter=order), len(seen) - 1)
    found = (seen[order[place]] == here) & (node >= 0)
    cycle[found] = fates.arrival[order[place[found]]]
    return cycle
