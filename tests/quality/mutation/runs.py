"""Short simulations that a mutant must survive: traffic, and what the golden model sees of it."""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from knotwork.emit.ports import config_widths, eject_widths, inject_widths, status_width
from knotwork.network import Network
from knotwork.routing.batch import BatchRouting
from knotwork_sim.model.record import Record
from knotwork_sim.model.run import run_model
from knotwork_sim.rtl.cocotb_run import router_blocks
from knotwork_sim.rtl.driver import build_executable, compiled_sources
from knotwork_sim.traffic.endpoints import pause_numbers
from knotwork_sim.traffic.packets import (
    Packets,
    address_codes,
    packet_lengths,
    packet_table,
)
from knotwork_sim.traffic.traffic import Traffic, make_packets

from .batches import make_changing_batches
from .netlist import Mutant, switched_network

MARGIN = 64
"""Clocks run after the last delivery, to see beats that should not come."""

OWN_SHARE = 0.1
"""Of the packets, to their own node."""


class Load(NamedTuple):
    """Traffic of one run.

    Members
    -------
    rate, bubble, stall : float
        As in `Traffic`.
    length : (int, int)
        Flits a packet, cut to what the network takes.
    spoiled : float
        Share of packets that the network must refuse, where it refuses any.
    packets : int
        Packets a node; 0: as many as the target wants.
    traffic : str
        Pattern.
    copied : float
        Share of multicasts and broadcasts, each where there are any.
    pauses : str
        As in `Traffic`.
    """

    rate: float
    bubble: float
    stall: float
    length: tuple[int, int]
    spoiled: float
    packets: int
    traffic: str = "uniform"
    copied: float = 0.15
    pauses: str = "steady"


LOADS = (
    Load(1.0, 0.2, 0.3, (1, 6), 0.0, 30),
    Load(1.0, 0.0, 0.0, (1, 1), 0.1, 0),
    Load(0.2, 0.0, 0.0, (1, 4), 0.0, 20),
    Load(1.0, 0.0, 0.85, (1, 3), 0.1, 30),
    Load(1.0, 0.6, 0.0, (2, 9), 0.1, 30),
    Load(0.7, 0.1, 0.1, (4, 12), 0.0, 30),
    Load(1.0, 0.0, 0.5, (1, 2), 0.2, 80),
    Load(1.0, 0.0, 0.8, (1, 4), 0.05, 0, "hotspot"),
    Load(1.0, 0.2, 0.5, (1, 3), 0.05, 60, copied=0.7),
    Load(1.0, 0.5, 0.5, (1, 6), 0.1, 60, pauses="changing"),
    Load(1.0, 0.0, 0.5, (2, 9), 0.05, 0, copied=0.75, pauses="changing"),
)
"""Full and nearly idle; pauses at the sources, at the sinks, at both, at neither, or now here and
now there; two crowded, and two of copies."""


class Run(NamedTuple):
    """Packets of one simulation, and what the golden model says of them."""

    traffic: Traffic
    packets: Packets
    expected: Record


class Verdict(NamedTuple):
    """What became of a mutant in the simulations.

    Members
    -------
    run, clock : int
        Where it first differed; -1 where it did not.
    what : str
        In what: ``early``, ``late`` or ``missing`` (a beat), ``contents``, ``unstable`` (a beat
        held out has changed), ``refusal``, ``status``, ``assertion``, ``crash``; or ``nothing``.
    message : str
        What the assertion says; else empty.
    """

    run: int
    clock: int
    what: str
    message: str = ""

    @property
    def killed(self) -> bool:
        """Whether the simulations saw it."""
        return self.run >= 0


def make_runs(network: Network, *, rounds: range = range(1), crowd: int = 100) -> list[Run]:
    """Every load, in each of these rounds with other packets.

    `crowd` packets a node are in the crowded ones.
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
            packets = vary(network, make_packets(network, traffic), load.spoiled, seed)
        runs.append(Run(traffic, packets, run_model(network, traffic, packets)))
    return runs


def traffic_of(network: Network, load: Load, seed: int) -> Traffic:
    """Traffic of a load, with broadcasts and multicasts where the network has them."""
    least, most = packet_lengths(network)
    shares = {}
    if network.routing.broadcast is not None:
        shares["broadcast_share"] = load.copied
        most = network.routing.options.max_packet
    if getattr(network.routing, "chain_limit", 0):
        shares["multicast_share"] = load.copied
        most = network.routing.options.max_packet - 1
    low, high = (min(max(flits, least), most) for flits in load.length)
    return Traffic(
        traffic=load.traffic,
        rate=load.rate,
        bubble=load.bubble,
        stall=load.stall,
        pauses=load.pauses,
        length=(low, high),
        packets=load.packets * network.topology.nodes,
        seed=seed,
        **shares,
    )


def vary(network: Network, packets: Packets, share: float, seed: int) -> Packets:
    """Send some packets to their own node, and make some that the network must refuse.

    These have an address that is no node's, or are too long, where the network can tell. Where
    broadcasts may be too long, as many unicasts are of such a length, which is theirs to have.
    """
    rng = np.random.default_rng([seed, 7])
    length = packets.length - packets.chain_length
    destination = packets.destination.copy()
    plain = ~(packets.multicast | packets.broadcast)
    alone = plain & (rng.random(len(packets)) < OWN_SHARE)
    destination[alone] = packets.source[alone]
    chosen = rng.random(len(packets)) < share
    limit = packet_lengths(network)[1]
    if packets.broadcast.any():
        limit = network.routing.options.max_packet
        too_long = chosen & packets.broadcast | plain & (rng.random(len(packets)) < share)
    elif limit < 2**31 and not packets.chains:
        too_long = chosen & (rng.random(len(packets)) < 0.5)
    else:
        too_long = np.zeros(len(packets), np.bool_)
    length[too_long] = limit + rng.integers(1, 3, len(packets))[too_long]
    if network.topology.unused_addresses:
        destination[chosen & plain] = -1
    return packet_table(
        network,
        source=packets.source,
        destination=destination,
        length=length,
        time=packets.time,
        seed=packets.seed,
        broadcast=packets.broadcast,
        chains=packets.chains,
    )


def judge(
    network: Network,
    name: str,
    mutants: Sequence[Mutant],
    runs: Sequence[Run],
) -> list[Verdict]:
    """Run the network as it was generated, and with each of these mutants of a module.

    Raises
    ------
    ToolError
        Verilator or the C++ compiler failed.
    """
    executable = build_bench(network, name, mutants)
    numbers = [0, *(mutant.number for mutant in mutants)]
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        job = Path(folder) / "job"
        job.write_bytes(job_bytes(network, runs))

        def verdict(number: int) -> Verdict:
            command = [executable, job, str(number)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            _, run, clock, what, *message = done.stdout.split(maxsplit=4)
            return Verdict(int(run), int(clock), what, "".join(message).strip())

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(verdict, numbers))


def build_bench(network: Network, name: str, mutants: Sequence[Mutant]) -> Path:
    """Executable of the network with all mutants of a module."""
    sources = switched_network(network, name, mutants)
    return build_executable(
        {**sources, **compiled_sources("mutation/bench.cpp")},
        blocks=router_blocks(network, sources[f"{network.name}.v"]),
        asserts=True,
        KNOTWORK_DATA_WIDTH=network.hardware.data_width,
        KNOTWORK_ADDRESS_WIDTH=network.topology.address_width,
        KNOTWORK_USER_WIDTH=inject_widths(network).get("tuser", 0),
        KNOTWORK_FLAG_WIDTH=eject_widths(network).get("tuser", 0),
        KNOTWORK_SOURCE=int("tid" in eject_widths(network)),
        KNOTWORK_CONFIG_WIDTH=config_widths(network).get("tdata", 0),
        KNOTWORK_STATUS_WIDTH=status_width(network) if config_widths(network) else 0,
    )


def job_bytes(network: Network, runs: Sequence[Run]) -> bytes:
    """Runs in the form that the compiled bench reads: columns of int64, each with its length."""
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
    """Beats that the sources give: clock from which, data, destination, last, user; int64.

    Destination and user are read on a packet's first beat: later ones carry the complement.
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
    """Beats of the jump tables: clock from which, and {jump, buddy, last}; int64."""
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
