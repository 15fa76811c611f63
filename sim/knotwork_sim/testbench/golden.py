"""The golden model on what was observed at a network's ports, compared cycle by cycle."""

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from knotwork.emit.ports import config_widths
from knotwork.network import Network

from ..model.record import TakenBeat
from ..model.router_model import Run
from ..model.run import MODELS, run_log
from ..traffic.addresses import node_addresses
from ..traffic.jump_tables import Loading
from ..traffic.keys import Traffic
from ..traffic.packet_table import packet_table
from ..traffic.packets import EVERYONE, NEVER, NOWHERE, Observed, Packets
from .observation import Observation, OfferedPacket


class Difference(NamedTuple):
    """Event that only the design or only the golden model has.

    Members
    -------
    cycle : int
        When.
    node : int
        Where; -1 for the network as a whole.
    headline, design, golden : str
        What differs, and what each says.
    packet : tuple of (int, int)
        Source of the packet that it is about, and its place among those of the source; (-1, -1)
        where it is about none.
    """

    cycle: int
    node: int
    headline: str
    design: str
    golden: str
    packet: tuple[int, int] = (-1, -1)


def first_difference(network: Network, seen: Observation) -> Difference | None:
    """Earliest event in which a design and the golden model differ, if there is one.

    The golden model gets the same beats in the same cycles, and its nodes take beats in the same
    cycles, so every pause at the ports is in both.
    """
    sent = list(chain.from_iterable(seen.sent))
    if not sent:
        return None
    packets = observed_packets(network, seen)
    run = run_log(network, Traffic(), packets, clocks=seen.cycles)
    found = [
        _first_beat(network, seen, expected_beats(network, packets, sent, run)),
        _first_refusal(seen, run),
        _first_injection(sent, packets, run),
        _first_status(seen, run),
    ]
    return min((one for one in found if one is not None), default=None)


def observed_packets(network: Network, seen: Observation) -> Packets:
    """Packets that were offered, with the cycles in which they were."""
    sent = list(chain.from_iterable(seen.sent))
    chains = {}
    destinations = np.full(len(sent), NOWHERE, np.int64)
    lengths = np.array([_beats(packet) for packet in sent], np.int64)
    for number, packet in enumerate(sent):
        if network.has_multicast and packet.tuser & 1:
            chains[number] = _chain_of(network, packet)
            lengths[number] -= len(chains[number])
        elif network.has_broadcast and packet.tuser & 1:
            destinations[number] = EVERYONE
        else:
            node = network.topology.node_at(packet.tdest)
            destinations[number] = NOWHERE if node is None else node
    packets = packet_table(
        network,
        source=np.array([packet.source for packet in sent], np.int64),
        destination=destinations,
        length=lengths,
        time=np.array([packet.offered[0] for packet in sent], np.int64),
        seed=1,
        chains=chains,
        loadings=_loadings(network, seen),
        up_words=_up_words(network, sent),
    )
    offers = [packet.offered + [NEVER] * (not packet.whole) for packet in sent]
    return dataclasses.replace(
        packets,
        observed=Observed(
            first_flit=packets.first_flit,
            offers=np.array(list(chain.from_iterable(offers)), np.int64),
            takes=_bits(seen.ready, len(seen.sent)),
        ),
    )


def _beats(packet: OfferedPacket) -> int:
    """Beats of a packet: of one that is still offered, one more than were seen."""
    return len(packet.data) + (not packet.whole)


def _chain_of(network: Network, packet: OfferedPacket) -> list[int]:
    """Addresses at the beginning of a multicast."""
    mask = (1 << network.topology.address_width) - 1
    given = [beat & mask for beat in packet.data[: packet.tdest]]
    return given + [0] * (packet.tdest - len(given))


def _loadings(network: Network, seen: Observation) -> list[Loading]:
    """Tables of a network of batches."""
    if not seen.loaded:
        return []
    width = config_widths(network)["tdata"] - 1  # of a buddy
    entries = [[divmod(entry, 1 << width) for entry in load.entries] for load in seen.loaded]
    return [
        Loading(load.time, tuple(each)) for load, each in zip(seen.loaded, entries, strict=True)
    ]


def _up_words(network: Network, sent: Sequence[OfferedPacket]) -> np.ndarray | None:
    """Upper that each packet names for each level, where packets do."""
    layout = network.routing.word_layout
    if not layout:
        return None
    words, place = np.zeros((len(sent), len(layout)), np.int64), 0
    users = np.array([packet.tuser for packet in sent], np.int64)
    for level, uppers in enumerate(layout.values()):
        width = (len(uppers) - 1).bit_length()
        words[:, level] = users >> place & (1 << width) - 1
        place += width
    return words


def _bits(ready: Sequence[int], nodes: int) -> np.ndarray:
    """Bits of a number per cycle, bool of shape (cycles, nodes)."""
    size = -(-nodes // 8)
    rows = b"".join(word.to_bytes(size, "little") for word in ready)
    table = np.frombuffer(rows, np.uint8).reshape(-1, size)
    return np.ascontiguousarray(np.unpackbits(table, axis=1, bitorder="little")[:, :nodes] > 0)


def expected_beats(
    network: Network, packets: Packets, sent: Sequence[OfferedPacket], run: Run
) -> dict[TakenBeat, tuple[int, int]]:
    """Beats that the golden model gives to the nodes, with the data that was sent.

    Each comes with its packet, as `Difference` names it.
    """
    copies, log = run.copies, run.log
    origin = copies.origin[log.packet]
    codes = node_addresses(network.topology)[packets.source[origin]]
    user = MODELS[network.router_class].user(network, packets, run)
    place = packets.length[origin] - copies.length[log.packet] + log.beat
    rows = zip(
        log.clock.tolist(),
        log.node.tolist(),
        (codes if network.has_source else codes * 0).tolist(),
        (log.beat == copies.length[log.packet] - 1).astype(int).tolist(),
        user.tolist(),
        [sent[p].data[b] for p, b in zip(origin.tolist(), place.tolist(), strict=True)],
        strict=True,
    )
    beats = [TakenBeat(*row) for row in rows]
    return dict(zip(beats, [_place(packets, number) for number in origin.tolist()], strict=True))


def _place(packets: Packets, number: int) -> tuple[int, int]:
    """Source of a packet, and its place among those of the source."""
    source = int(packets.source[number])
    return source, number - int(packets.first_packet[source])


def _first_beat(
    network: Network, seen: Observation, expected: Mapping[TakenBeat, tuple[int, int]]
) -> Difference | None:
    """First beat at a node that differs."""
    got = set(seen.beats)
    if got == expected.keys():
        return None
    cycle, node = min(beat[:2] for beat in got ^ expected.keys())
    here = next((beat for beat in seen.beats if beat[:2] == (cycle, node)), None)
    there = next((beat for beat in expected if beat[:2] == (cycle, node)), None)
    return Difference(
        cycle,
        node,
        "a beat must leave in the cycle of the golden model",
        _told(network, here),
        _told(network, there),
        (-1, -1) if there is None else expected[there],
    )


def _told(network: Network, beat: TakenBeat | None) -> str:
    """Beat in words."""
    if beat is None:
        return "no beat"
    source = network.topology.node_at(beat.source) if network.has_source else None
    of = "" if source is None else f" of node {source}"
    user = f", tuser {beat.user}" if network.flag_width or network.sequence_width else ""
    return f"{'the last' if beat.last else 'a'} beat of a packet{of}, data {beat.data:#x}{user}"


def _first_refusal(seen: Observation, run: Run) -> Difference | None:
    """First refusal that differs."""
    log = run.log
    due = set(zip(log.refused_clock.tolist(), log.refused_node.tolist(), strict=True))
    # The model notes a refusal a cycle ahead, and the last one may come after the end.
    other = {event for event in due ^ set(seen.refused) if event[0] < seen.cycles}
    if not other:
        return None
    cycle, node = min(other)
    words = ["a packet is refused", "none is refused"]
    golden, design = words if (cycle, node) in due else words[::-1]
    return Difference(cycle, node, "packets must be refused as by the golden model", design, golden)


def _first_injection(
    sent: Sequence[OfferedPacket], packets: Packets, run: Run
) -> Difference | None:
    """First packet that the network takes in another cycle."""
    if run.injected is None:
        return None
    golden = np.where(run.injected < 0, NEVER, run.injected).tolist()
    found = [
        Difference(
            min(packet.injected, cycle),
            packet.source,
            "a packet must enter in the cycle of the golden model",
            _when(packet.injected),
            _when(cycle),
            _place(packets, number),
        )
        for number, (packet, cycle) in enumerate(zip(sent, golden, strict=True))
        if packet.injected != cycle
    ]
    return min(found, default=None)


def _when(cycle: int) -> str:
    return "it has not entered" if cycle == NEVER else f"in cycle {cycle}"


def _first_status(seen: Observation, run: Run) -> Difference | None:
    """First change of the status that differs."""
    if run.status is None:
        return None
    due = {(cycle, status) for cycle, status in run.status.tolist()}
    other = due ^ set(seen.status)
    if not other:
        return None
    cycle, status = min(other)
    words = [f"it becomes {status:#x}", "it does not change to that"]
    golden, design = words if (cycle, status) in due else words[::-1]
    return Difference(cycle, -1, "status must be that of the golden model", design, golden)
