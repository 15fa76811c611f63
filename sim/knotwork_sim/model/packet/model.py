"""Runs of the packet routers' golden model."""

import numpy as np
from knotwork.network import Network

from ...traffic.endpoints import make_endpoints
from ...traffic.keys import Traffic
from ...traffic.packets import Packets, make_copies, packets_by_time
from ..record import PATIENCE
from ..router_model import (
    CrossingCycles,
    Extent,
    Log,
    ModelLoop,
    Run,
    Tally,
    no_user,
    run_with_progress,
)
from .allocation import make_registers
from .buffers import make_branches
from .credits import run as run_credits
from .interfaces import make_stores, store_count
from .plain import run as run_plain
from .state import make_fixed, make_scratch, make_state


class PacketModel:
    """Golden model of networks of packet routers."""

    counts_crossings = True

    def crossing_cycles(self, network: Network) -> CrossingCycles:
        """One before the first crossing, in a buffer; `Network.cycles_per_hop` between two."""
        return CrossingCycles(1, network.cycles_per_hop)

    def loop(self, network: Network) -> ModelLoop:
        """That of routers with credits, or of plain ones."""
        return ModelLoop(run_credits, 7.0) if network.has_credits else ModelLoop(run_plain, 6.0)

    def run(self, network: Network, traffic: Traffic, packets: Packets, extent: Extent) -> Run:
        """Run a network; see `RouterModel`."""
        copies, log, scratch = (
            make_copies(network, packets),
            Log.for_packets(packets),
            make_scratch(network),
        )
        ends = make_endpoints(packets, traffic)
        tally = Tally.empty()
        if extent.counts:
            tally = Tally.of(network, len(copies.origin), event_limit=extent.event_limit)
        state, step, more = make_state(network), run_plain, ()
        if network.has_credits:
            step, more = run_credits, (make_registers(network, state),)
        totals = run_with_progress(
            step,
            make_fixed(network, packets, copies, stores=store_count(network)),
            state,
            make_stores(network),
            make_branches(network),
            *more,
            ends,
            scratch,
            log,
            tally,
            packets_by_time(packets),
            extent.clocks,
            PATIENCE,
            log=log,
        )
        return Run(
            log=log.up_to(totals.logged, totals.refused),
            copies=copies,
            clocks=totals.clocks,
            crossings=int(scratch.counters["crossings"][0]),
            injected=ends.injected,
            tally=tally if extent.counts else None,
        )

    def user(self, network: Network, packets: Packets, run: Run) -> np.ndarray:
        """Zeros: `tuser` says nothing where packets leave a network of packet routers."""
        del network, packets
        return no_user(run)
