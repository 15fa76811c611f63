"""Runs of the golden model."""

from typing import NamedTuple

import numpy as np
from knotwork.network import Network

from ..traffic.copies import Copies, make_copies
from ..traffic.endpoints import make_endpoints
from ..traffic.keys import Traffic
from ..traffic.packets import Packets
from .batch import run_batch_log, run_batch_model
from .circuit import run_circuit_log, run_circuit_model
from .deflection.network import run_deflection_log, run_deflection_model
from .packet.branches import make_branches
from .packet.network import run
from .packet.scratch import make_scratch
from .packet.state import Log, make_fixed, make_state
from .packet.stores import make_stores, store_count
from .record import PATIENCE, Record


def run_model(
    network: Network, traffic: Traffic, packets: Packets, *, clocks: int = 2**62
) -> Record:
    """Run the golden model until every packet is delivered or refused.

    Ends early after `clocks` clocks, or where nothing moves any more.
    """
    return _MODELS[network.routing.router](network, traffic, packets, clocks=clocks)


class Run(NamedTuple):
    """Run of the packet routers.

    Members
    -------
    log : Log
        What the nodes saw.
    copies : Copies
        Of which copies the log tells.
    clocks : int
        Clocks that were run.
    crossings : int
        Flits that crossed a router, those to a node included.
    """

    log: Log
    copies: Copies
    clocks: int
    crossings: int


def run_packet_log(
    network: Network, traffic: Traffic, packets: Packets, *, clocks: int = 2**62
) -> tuple[Log, Copies, int]:
    """Run the model of the packet routers: what the nodes saw, of which copies, in how many clocks.

    Ends as `run_model` does.
    """
    return run_packets(network, traffic, packets, clocks=clocks)[:3]


def run_packets(
    network: Network, traffic: Traffic, packets: Packets, *, clocks: int = 2**62
) -> Run:
    """Run the model of the packet routers; ends as `run_model` does."""
    flits, refusals = int(packets.due.sum()), int(packets.refused.sum())
    copies = make_copies(packets)
    log = Log(
        clock=np.zeros(flits, np.int64),
        node=np.zeros(flits, np.int32),
        packet=np.zeros(flits, np.int32),
        beat=np.zeros(flits, np.int32),
        refused_clock=np.zeros(refusals, np.int64),
        refused_node=np.zeros(refusals, np.int64),
    )
    scratch = make_scratch(network)
    stepped, logged, refused, _ = run(
        make_fixed(network, packets, copies, stores=store_count(network)),
        make_state(network),
        make_stores(network),
        make_branches(network),
        make_endpoints(packets, traffic),
        scratch,
        log,
        np.argsort(packets.time, kind="stable"),
        clocks,
        PATIENCE,
    )
    ends = (logged, logged, logged, logged, refused, refused)
    seen = Log(*(column[:end] for column, end in zip(log, ends, strict=True)))
    return Run(seen, copies, int(stepped), int(scratch.counters["crossings"][0]))


def _run_packet_model(
    network: Network, traffic: Traffic, packets: Packets, *, clocks: int
) -> Record:
    """Run the model of the packet routers, payloads and all."""
    topology = network.topology
    log, copies, stepped = run_packet_log(network, traffic, packets, clocks=clocks)
    copy, beat = log.packet, log.beat
    packet = copies.origin[copy]
    codes = np.array([topology.address(node) for node in range(topology.nodes)], np.int64)
    words = packets.words(network.hardware.data_width)
    # A copy has less of the chain before its data than the packet had.
    flit = packets.first_flit[packet + 1] - copies.length[copy] + beat
    order = np.lexsort((log.refused_node, log.refused_clock))
    return Record(
        clock=log.clock,
        node=log.node,
        source=codes[packets.source[packet]],
        last=(beat == copies.length[copy] - 1).astype(np.int64),
        user=np.zeros(len(copy), np.int64),
        data=words[flit],
        refused=np.stack([log.refused_clock, log.refused_node], 1)[order],
        clocks=stepped,
    )


def run_log(
    network: Network, traffic: Traffic, packets: Packets, *, clocks: int = 2**62
) -> tuple[Log, Copies, int]:
    """Run the golden model without payloads, as `run_packet_log`; ends as `run_model` does."""
    return _LOGS[network.routing.router](network, traffic, packets, clocks=clocks)


_LOGS = {
    "packet": run_packet_log,
    "batch": run_batch_log,
    "circuit": run_circuit_log,
    "deflection": run_deflection_log,
    "ring_deflection": run_deflection_log,
}

_MODELS = {
    "packet": _run_packet_model,
    "batch": run_batch_model,
    "circuit": run_circuit_model,
    "deflection": run_deflection_model,
    "ring_deflection": run_deflection_model,
}
