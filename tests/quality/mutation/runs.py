"""Short simulations that a mutant must survive: packets, and what the golden model expects."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from knotwork.emit.loading import load_words
from knotwork.emit.ports import config_widths, inject_widths
from knotwork.network import Network
from knotwork.routing.batch import BatchRouting
from knotwork.topology.altered import without
from knotwork_sim.model.record import Record
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.addresses import address_codes
from knotwork_sim.traffic.endpoints import pause_numbers
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packets import Packets

from .batches import make_changing_batches
from .loads import LOADS, traffic_of, vary

MARGIN = 64
"""Cycles simulated after the last delivery, to see beats that should not come."""


class Run(NamedTuple):
    """Packets of one simulation, and what the golden model expects of them."""

    traffic: Traffic
    packets: Packets
    expected: Record
    # Whether the mutant runs beside the original, and must show what that one shows.
    beside: bool = False
    upsets: bool = False  # whether bits flip meanwhile
    words: Sequence[tuple[int, int, bool]] = ()  # words loaded: earliest cycle, value, last


BESIDE = (0, 3, 6, 9)
"""Loads of the runs beside the original."""


def make_runs(network: Network, *, rounds: range = range(1), crowd: int = 100) -> list[Run]:
    """Make a run of every load for each round, with other packets in every round.

    The crowded loads have `crowd` packets per node.
    """
    runs = []
    for number in range(rounds.start * len(LOADS), rounds.stop * len(LOADS)):
        load, seed = LOADS[number % len(LOADS)], number + 1
        if isinstance(network.routing, BatchRouting):
            traffic = Traffic(bubble=load.bubble, stall=load.stall, pauses=load.pauses, seed=seed)
            packets = make_changing_batches(network, seed=seed)
        else:
            load = load._replace(packets=load.packets or crowd)
            traffic = traffic_of(network, load, seed)
            packets = vary(network, make_packets(network, traffic), load, seed)
        runs.append(Run(traffic, packets, run_model(network, traffic, packets)))
    return runs


def make_runs_beside(network: Network, *, rounds: range = range(1)) -> list[Run]:
    """Make runs for what the golden model does not follow; none for a network without it.

    A bus reads the monitor all the time. Bits flip in every second run of a network with parity.
    Tables are loaded: those without a link, which is declared dead, and the first ones again.
    """
    if not (network.has_parity or network.hardware.is_monitored or network.loads_tables):
        return []
    runs = []
    for number in rounds:
        for place, load in enumerate(BESIDE):
            upsets = network.has_parity and place % 2 == 1
            seed = 1000 + len(BESIDE) * number + place
            whole = LOADS[load]._replace(packets=LOADS[load].packets * 3)
            traffic = traffic_of(network, whole, seed)
            packets = vary(network, make_packets(network, traffic), whole, seed)
            expected = run_model(network, traffic, packets)
            words = _loads(network, expected.clocks, seed) if network.loads_tables else ()
            runs.append(Run(traffic, packets, expected, True, upsets, words))
    return runs


def _loads(network: Network, clocks: int, seed: int) -> list[tuple[int, int, bool]]:
    """Words of four loads, spread over a run; the links that two of them declare dead differ."""
    rng, whole = np.random.default_rng([seed, 9]), network.topology
    links = [
        f"{router}-{peer}"
        for router, peers in enumerate(whole.neighbours.tolist())
        for peer in peers
        if peer > router
    ]
    found = []
    for turn in range(4):
        left = without(whole, links[int(rng.integers(len(links)))]) if turn % 2 else whole
        wanted = Network(left, routing="updown")
        words = load_words(network, wanted)
        for place, word in enumerate(words):
            first = clocks * (turn + 1) // 6 if place == 0 else -1
            found.append((first, word, place == len(words) - 1))
    return found


def job_bytes(network: Network, runs: Sequence[Run]) -> bytes:
    """Runs in the form that job.h reads: columns of int64, each after its length."""
    columns = [np.array([len(runs)])]
    for run in runs:
        traffic, packets, expected = run.traffic, run.packets, run.expected
        nodes = network.topology.nodes
        pauses = pause_numbers(traffic)
        ways = (run.beside, run.upsets)
        head = np.array([nodes, traffic.seed, *pauses, expected.clocks + MARGIN, *ways], np.uint64)
        data = expected.data[:, 0].astype(np.int64)
        facts = (expected.clock, expected.node, expected.source, expected.last, expected.user, data)
        rows = np.stack(facts, axis=1).astype(np.int64)
        rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
        refused = expected.refused[np.lexsort((expected.refused[:, 1], expected.refused[:, 0]))]
        columns += [
            head.view(np.int64),
            packets.first_flit[packets.first_packet],
            beats(network, packets),
            *(rows, refused, status_changes(network, expected), entries(network, run)),
        ]
    flat = [np.ascontiguousarray(column, np.int64).ravel() for column in columns]
    return b"".join(part for c in flat for part in (np.int64(len(c)).tobytes(), c.tobytes()))


def beats(network: Network, packets: Packets) -> np.ndarray:
    """Beats of the sources, int64: earliest cycle, data, destination, last, user.

    The network reads destination and user on a packet's first beat; the other beats carry the
    complement.
    """
    code = address_codes(network, packets)
    packet = np.repeat(np.arange(len(packets)), packets.length)
    place = np.arange(len(packet)) - packets.first_flit[packet]
    masks = [
        (1 << width) - 1
        for width in (network.topology.address_width, inject_widths(network).get("tuser", 0))
    ]
    first = place == 0
    columns = [
        np.where(first, packets.time[packet], -1),
        packets.words(network.hardware.data_width)[:, 0].astype(np.int64),
        np.where(first, code[packet], ~code[packet] & masks[0]),
        place == packets.length[packet] - 1,
        np.where(first, packets.user[packet], ~packets.user[packet] & masks[1]),
    ]
    return np.stack(columns, axis=1)


def status_changes(network: Network, expected: Record) -> np.ndarray:
    """Changes of the status; of a network whose tables stay, it is 0 for ever."""
    if network.loads_tables and not len(expected.status):
        return np.zeros((1, 2), np.int64)
    return expected.status


def entries(network: Network, run: Run) -> np.ndarray:
    """Beats that set the network up, int64: earliest cycle, and {jump, buddy, last} or a word."""
    buddy = config_widths(network).get("tdata", 1) - 1
    rows = [
        (
            loading.time if place == 0 else -1,
            (int(jump) << buddy | int(other)) << 1 | (place == len(loading.entries) - 1),
        )
        for loading in run.packets.loadings
        for place, (jump, other) in enumerate(loading.entries)
    ]
    rows += [(time, word << 1 | last) for time, word, last in run.words]
    return np.array(rows, np.int64).reshape(-1, 2)
