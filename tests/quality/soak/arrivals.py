"""Judge of long runs: every beat must reach its node once, packets whole and in order.

`score` compares payloads packet by packet; here numbers identify the beats, and arrays judge a
million of them in less than a second.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from knotwork.network import Network
from knotwork_sim.model.router_model import Log
from knotwork_sim.traffic.packets import EVERYONE, Copies, Packets

if TYPE_CHECKING:
    from knotwork_sim.rtl.driver import DriverLog  # which takes the gateware with it


class Arrivals(NamedTuple):
    """Beats that nodes took, by cycle and node; int64 arrays."""

    # Packet of each beat, node that took it, and cycle.
    packet: np.ndarray
    node: np.ndarray
    cycle: np.ndarray
    rest: np.ndarray  # beats of the packet that follow it
    refused: np.ndarray  # nodes of the refused packets, ascending


def of_model(log: Log, copies: Copies) -> Arrivals:
    """Arrivals in the golden model's log."""
    order = np.lexsort((log.node, log.clock))
    copy = log.packet[order]
    rest = copies.length[copy] - 1 - log.beat[order]
    ends = (copies.origin[copy], log.node[order].astype(np.int64), log.clock[order], rest)
    return Arrivals(*ends, refused=np.sort(log.refused_node))


def of_driver(
    log: "DriverLog", packets: Packets, *, beat_bits: int, codes: np.ndarray | None
) -> Arrivals:
    """Arrivals in the driver's log; packet -1 marks a word that is no beat of any packet.

    Each beat must carry the address in `codes` of its source, unless beats carry none.
    """
    packet, beat = log.word >> beat_bits, log.word & ((1 << beat_bits) - 1)
    known = np.minimum(packet, len(packets) - 1)
    rest = packets.length[known] - 1 - beat
    is_beat = (packet == known) & (rest >= 0) & ((rest == 0) == (log.last == 1))
    if codes is not None:
        is_beat &= log.source == codes[packets.source[known]]
    order = np.lexsort((log.node, log.clock))
    packet = np.where(is_beat, packet, -1)[order]
    ends = (packet, log.node[order], log.clock[order], rest[order])
    return Arrivals(*ends, refused=np.sort(log.refused[:, 1]))


def faults(network: Network, packets: Packets, seen: Arrivals) -> list[str]:
    """What is wrong with a run's arrivals, in words; empty if nothing is."""
    return list(_faults(network, packets, seen))


def _faults(network: Network, packets: Packets, seen: Arrivals) -> Iterator[str]:
    nodes = network.topology.nodes
    if (seen.packet < 0).any():
        yield f"{int((seen.packet < 0).sum())} beats are of no packet"
        return
    key = seen.packet * nodes + seen.node
    due = expected_keys(packets, nodes)
    found, count = np.unique(key, return_counts=True)
    lost = len(np.setdiff1d(due, found, assume_unique=True))
    strays = len(np.setdiff1d(found, due, assume_unique=True))
    if lost:
        yield f"{lost} packets are lost"
    if strays:
        yield f"{strays} packets are at a node that is not their own"
    data = (packets.length - packets.chain_length)[found // nodes]
    if (count < data).any():
        yield f"{int((count < data).sum())} packets lack beats"
    if (count > data).any():
        yield f"{int((count > data).sum())} packets have beats too many"
    yield from _order_faults(network, packets, seen, key)
    if not np.array_equal(seen.refused, np.sort(packets.source[packets.refused])):
        yield f"{len(seen.refused)} packets are refused of {int(packets.refused.sum())}"


def _order_faults(
    network: Network, packets: Packets, seen: Arrivals, key: np.ndarray
) -> Iterator[str]:
    """Beats out of their packet's order or between those of another, packets out of order."""
    data = packets.length - packets.chain_length
    at_node = np.argsort(seen.node, kind="stable")
    packet, rest, node = seen.packet[at_node], seen.rest[at_node], seen.node[at_node]
    follows = np.append(False, (node[1:] == node[:-1]) & (rest[:-1] > 0))
    right = rest == data[packet] - 1
    right[1:] = np.where(
        follows[1:], (packet[1:] == packet[:-1]) & (rest[1:] == rest[:-1] - 1), right[1:]
    )
    if not right.all():
        yield f"{int((~right).sum())} beats are out of their packet's order"
    if not network.routing.in_order:
        return
    tails = seen.rest == 0
    packet, node = seen.packet[tails], seen.node[tails]
    for kind, name in (
        (packets.destination >= 0, "unicasts"),
        (packets.destination == EVERYONE, "broadcasts"),
    ):
        of_kind = kind[packet]
        number = packet[of_kind]
        flow = packets.source[number] * network.topology.nodes + node[of_kind]
        order = np.argsort(flow, kind="stable")
        same = np.diff(flow[order]) == 0
        overtaken = int((same & (np.diff(number[order]) < 0)).sum())
        if overtaken:
            yield f"{overtaken} {name} are overtaken"


def expected_keys(packets: Packets, nodes: int) -> np.ndarray:
    """``packet * nodes + node`` of every delivery that is due, ascending."""
    number = np.nonzero(packets.destination >= 0)[0]
    keys = [number * nodes + packets.destination[number]]
    everyone = np.nonzero(packets.destination == EVERYONE)[0]
    spread = everyone[:, None] * nodes + np.arange(nodes)
    keys.append(spread[np.arange(nodes) != packets.source[everyone, None]])
    for packet, members in packets.members.items():
        keys.append(packet * nodes + np.array(members, np.int64))
    return np.sort(np.concatenate(keys))


def differences(one: Arrivals, other: Arrivals) -> int:
    """Number of beats and refusals that only one of two runs saw, or in different cycles."""
    if all(np.array_equal(a, b) for a, b in zip(one, other, strict=True)):
        return 0
    count = abs(len(one.refused) - len(other.refused))
    rows = [{row.tobytes() for row in np.column_stack(seen[:4])} for seen in (one, other)]
    return max(1, count + len(rows[0] ^ rows[1]))
