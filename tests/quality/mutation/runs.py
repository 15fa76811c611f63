"""Short simulations that a mutant must survive: packets, and what the golden model expects."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from knotwork.emit.loading import load_words, word_fields
from knotwork.emit.ports import config_widths, inject_widths
from knotwork.network import Network
from knotwork.routing.batch import BatchRouting
from knotwork.topology.altered import without
from knotwork_sim.model.record import Record
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.endpoints import pause_numbers
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packets import Packets, address_codes

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


BESIDE = (0, 3, 4, 9)
"""Loads of the runs beside the original, each in `len(BESIDE)` runs of a round."""

APART = 80
"""Cycles between two loads of tables, unless the network empties for longer."""


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

    A bus reads the monitor all the time. In every second run of a network with parity bits flip.
    Tables are loaded and links declared dead, but not in half of the runs with flips: the network
    never empties again if too many votes for a packet's end flip.
    """
    if not (network.has_parity or network.hardware.is_monitored or network.loads_tables):
        return []
    runs, count = [], len(BESIDE)
    for number in range(rounds.start * count**2, rounds.stop * count**2):
        load, seed = LOADS[BESIDE[(number + number // count) % count]], 1000 + number
        load = load._replace(packets=load.packets * 6)
        traffic = traffic_of(network, load, seed)
        packets = vary(network, make_packets(network, traffic), load, seed)
        expected = run_model(network, traffic, packets)
        upsets = network.has_parity and number % 2 == 1
        loads = network.loads_tables and (number % count != 1 or not upsets)
        words = _loads(network, expected.clocks, seed) if loads else ()
        runs.append(Run(traffic, packets, expected, True, upsets, words))
    return runs


def _loads(network: Network, clocks: int, seed: int) -> list[tuple[int, int, bool]]:
    """Words of loads spread over a run.

    Two of eight fill the banks of the tables. Each of the others is short and swaps the banks; two
    of three declare a link dead, which the tables may go on using: so packets under way are cut and
    later ones lost, until the next load revives the link.
    """
    rng, complete = np.random.default_rng([seed, 9]), network.topology
    links = [
        (router, peer)
        for router, peers in enumerate(complete.neighbours.tolist())
        for peer in peers
        if peer > router
    ]
    without_link = [
        load_words(network, Network(without(complete, f"{router}-{peer}"), routing="updown"))
        for router, peer in links
    ]
    dead = [
        [word for word in words if word_fields(network, word)["dead"]] for words in without_link
    ]
    tables = [load_words(network, Network(complete, routing="updown"))] * 2  # of each bank
    found, time, turn = [], APART, 0
    while time < clocks:
        later, link = -1, int(rng.integers(len(links)))
        if turn % 8 == 1:
            tables[1] = without_link[link]
        if turn % 8 < 2:
            words = tables[turn % 2]
        elif turn % 3:
            # The ends of a link die in any order, one up to half of the time after the other.
            words = rng.permutation(dead[link]).tolist()
            later = time + int(rng.integers(APART // 2))
        else:
            words = tables[turn % 2][:1]  # the word is in the bank already
        last = len(words) - 1
        for place, word in enumerate(words):
            found.append((later if place else time, word, place == last))
        time += len(words) + APART
        turn += 1
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
