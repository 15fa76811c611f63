"""Runs of the golden model, whatever the router class."""

import numpy as np
from knotwork.network import Network

from ..traffic.keys import Traffic
from ..traffic.packets import Packets, node_addresses
from .batch import BatchModel
from .circuit import CircuitModel
from .deflection import DeflectionModel
from .packet import PacketModel
from .record import Record
from .router_model import Extent, RouterModel, Run

MODELS: dict[str, RouterModel] = {
    "packet": PacketModel(),
    "batch": BatchModel(),
    "circuit": CircuitModel(),
    "deflection": DeflectionModel(),
}
"""Golden model of each router class."""

_ENDLESS = 2**62
"""Cycles that no run reaches."""


def run_log(
    network: Network,
    traffic: Traffic,
    packets: Packets,
    *,
    clocks: int = _ENDLESS,
    counts: bool = False,
    event_limit: int = 0,
) -> Run:
    """Run the golden model without payloads; ends as `run_model` does."""
    extent = Extent(clocks, counts, event_limit)
    return MODELS[network.router_class].run(network, traffic, packets, extent)


def run_model(
    network: Network,
    traffic: Traffic,
    packets: Packets,
    *,
    clocks: int = _ENDLESS,
    counts: bool = False,
    event_limit: int = 0,
) -> Record:
    """Run the golden model until every packet is delivered or refused.

    It ends early after `clocks` cycles, or when nothing moves any more. With `counts` it also
    counts what crosses the links, where it can, and notes the first `event_limit` crossings.
    """
    run = run_log(network, traffic, packets, clocks=clocks, counts=counts, event_limit=event_limit)
    return _record(network, packets, run)


def _record(network: Network, packets: Packets, run: Run) -> Record:
    """Record of a run: what stands in its log, with the payloads."""
    log, copies = run.log, run.copies
    packet = copies.origin[log.packet]
    source = node_addresses(network.topology)[packets.source[packet]]
    # A copy carries less of the chain before its data than the packet carried.
    flit = packets.first_flit[packet + 1] - copies.length[log.packet] + log.beat
    order = np.lexsort((log.refused_node, log.refused_clock))
    return Record(
        clock=log.clock,
        node=log.node,
        source=source if network.has_source else np.zeros_like(source),
        last=(log.beat == copies.length[log.packet] - 1).astype(np.int64),
        user=MODELS[network.router_class].user(network, packets, run),
        data=packets.words(network.hardware.data_width)[flit],
        refused=np.stack([log.refused_clock, log.refused_node], axis=1)[order],
        clocks=run.clocks,
        network_cycles=run.network_cycles,
        injected=run.injected,
        tally=run.tally,
        packet=log.packet,
        status=np.zeros((0, 2), np.int64) if run.status is None else run.status,
    )
