"""The golden model on what was observed at a network's ports: what must happen in which cycle."""

import dataclasses
from collections import defaultdict, deque
from collections.abc import Sequence
from itertools import chain, islice

import numpy as np
from knotwork.emit.loading import word_fields
from knotwork.emit.ports import config_widths
from knotwork.network import Network

from ..model.packet.loaded import OfferedWord, run_loaded
from ..model.record import TakenBeat
from ..model.router_model import Run
from ..model.run import MODELS, run_log
from ..scoreboard.exact_cycles import ExactCycles
from ..scoreboard.network_facts import SentPacket
from ..traffic.jump_tables import Loading
from ..traffic.keys import Traffic
from ..traffic.packets import (
    EVERYONE,
    NEVER,
    NOWHERE,
    Observed,
    Packets,
    node_addresses,
    packet_table,
)
from .observation import Observation, OfferedPacket


def golden_cycles(network: Network, seen: Observation, sent: Sequence[SentPacket]) -> ExactCycles:
    """What the golden model does with the packets that were observed, each event in its cycle.

    The golden model gets the same beats in the same cycles, and its nodes take beats in the same
    cycles, so every pause at the ports is in both.

    Parameters
    ----------
    sent : sequence of SentPacket
        The packets as a scoreboard numbers them.
    """
    offered = list(chain.from_iterable(seen.sent))
    packets = observed_packets(network, seen)
    if network.loads_tables:
        run = run_loaded(network, packets, offered_words(network, seen), clocks=seen.cycles)
    else:
        run = run_log(network, Traffic(), packets, clocks=seen.cycles)
    log = run.log
    refused = zip(log.refused_clock.tolist(), log.refused_node.tolist(), strict=True)
    return ExactCycles(
        golden_beats(network, packets, offered, run),
        # The model notes a refusal a cycle ahead, and the last one may come after the end.
        refused=sorted((cycle, node) for cycle, node in refused if cycle < seen.cycles),
        injected=[] if run.injected is None else numbered(seen, sent, run.injected.tolist()),
        status=[] if run.status is None else [(at, value) for at, value in run.status.tolist()],
    )


def declares_dead(network: Network, seen: Observation) -> bool:
    """Whether words declared a link dead: the golden model does not follow that."""
    words = (word for load in seen.loaded for word in load.entries)
    return any(word_fields(network, word)["dead"] for word in words)


def offered_words(network: Network, seen: Observation) -> list[OfferedWord]:
    """Words that a network whose tables are loaded was offered, but those for no node."""
    words = []
    for load in seen.loaded:
        for number, (cycle, word) in enumerate(zip(load.offered, load.entries, strict=True)):
            fields = defaultdict(int, word_fields(network, word))  # some fields may have no bits
            node = network.topology.node_at(fields["destination"])
            assert node is not None, "words that `load_words` makes are for nodes"
            channel = fields["input.port"], fields["input.channel_class"]
            words.append(
                OfferedWord(
                    cycle,
                    (fields["router"], *channel, node),
                    fields["output.port"],
                    fields["output.channel_class"],
                    load.is_complete and number == len(load.entries) - 1,
                )
            )
    return words


def injections(seen: Observation, sent: Sequence[SentPacket]) -> list[int]:
    """Cycle in which the network took the first beat of each packet that was sent, -1 if never."""
    cycles = [packet.injected for packet in chain.from_iterable(seen.sent)]
    return numbered(seen, sent, [-1 if cycle == NEVER else cycle for cycle in cycles])


def numbered(seen: Observation, sent: Sequence[SentPacket], cycles: Sequence[int]) -> list[int]:
    """Cycles of the packets at the ports, in the order in which a scoreboard numbers them.

    A node's packets are the same ones in both, in the same order. Those that no port has had yet
    get -1; one that a design has not sent whole has no number.
    """
    left = iter(cycles)
    of_node = [deque(islice(left, len(packets))) for packets in seen.sent]
    return [of_node[packet.source].popleft() if of_node[packet.source] else -1 for packet in sent]


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
    offers = [packet.offered + [NEVER] * (not packet.is_complete) for packet in sent]
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
    return len(packet.data) + (not packet.is_complete)


def _chain_of(network: Network, packet: OfferedPacket) -> list[int]:
    """Addresses at the beginning of a multicast."""
    mask = (1 << network.topology.address_width) - 1
    given = [beat & mask for beat in packet.data[: packet.tdest]]
    return given + [0] * (packet.tdest - len(given))


def _loadings(network: Network, seen: Observation) -> list[Loading]:
    """Tables of a network of batches."""
    if not seen.loaded or network.loads_tables:
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


def golden_beats(
    network: Network, packets: Packets, sent: Sequence[OfferedPacket], run: Run
) -> list[TakenBeat]:
    """Beats that the golden model gives to the nodes, with the data that was sent.

    A packet with an upset in its first beat is marked from there on.
    """
    copies, log = run.copies, run.log
    origin = copies.origin[log.packet]
    codes = node_addresses(network.topology)[packets.source[origin]]
    user = MODELS[network.router_class].user(network, packets, run)
    user = user | np.array([packet.is_upset for packet in sent])[origin]
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
    return sorted(TakenBeat(*row) for row in rows)
