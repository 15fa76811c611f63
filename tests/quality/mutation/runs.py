"""Short simulations that a mutant must survive: packets, and what the golden model expects."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from knotwork.emit.ports import config_widths, inject_widths
from knotwork.network import Network
from knotwork.routing.batch import BatchRouting
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


def job_bytes(network: Network, runs: Sequence[Run]) -> bytes:
    """Runs in the form that job.h reads: columns of int64, each after its length."""
    columns = [np.array([len(runs)])]
    for traffic, packets, expected in runs:
        nodes = network.topology.nodes
        pauses = pause_numbers(traffic)
        head = np.array([nodes, traffic.seed, *pauses, expected.clocks + MARGIN], np.uint64)
        data = expected.data[:, 0].astype(np.int64)
        facts = (expected.clock, expected.node, expected.source, expected.last, expected.user, data)
        rows = np.stack(facts, axis=1).astype(np.int64)
        rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
        refused = expected.refused[np.lexsort((expected.refused[:, 1], expected.refused[:, 0]))]
        columns += [
            head.view(np.int64),
            packets.first_flit[packets.first_packet],
            beats(network, packets),
            *(rows, refused, expected.status, entries(network, packets)),
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


def entries(network: Network, packets: Packets) -> np.ndarray:
    """Beats of the jump tables, int64: earliest cycle, and {jump, buddy, last}."""
    buddy = config_widths(network).get("tdata", 1) - 1
    rows = [
        (
            loading.time if place == 0 else -1,
            (int(jump) << buddy | int(other)) << 1 | (place == len(loading.entries) - 1),
        )
        for loading in packets.loadings
        for place, (jump, other) in enumerate(loading.entries)
    ]
    return np.array(rows, np.int64).reshape(-1, 2)
