"""Runs of the batch routers' golden model."""

import numpy as np
from knotwork.network import Network
from knotwork.parameters import BatchParameters

from ...traffic.endpoints import accepted_all, drive, make_endpoints
from ...traffic.jump_tables import ConfigSource
from ...traffic.keys import Traffic
from ...traffic.packets import Packets, make_copies
from ..log import LogWriter
from ..record import PATIENCE
from ..router_model import CrossingCycles, Extent, Run
from ..tally import Tally
from .network import BatchNetwork


class BatchModel:
    """Golden model of batch networks."""

    counts_crossings = True

    def crossing_cycles(self, network: Network) -> CrossingCycles:
        """As many as a packet has words: until the last word is there, and for each step."""
        words = BatchParameters.of(network.hardware).words
        return CrossingCycles(words, words)

    def loop(self, network: Network) -> None:
        """None: what Numba compiles is small."""
        del network

    def run(self, network: Network, traffic: Traffic, packets: Packets, extent: Extent) -> Run:
        """Run a network; see `RouterModel`."""
        tally = (
            Tally.of(network, len(packets), event_limit=extent.event_limit)
            if extent.counts
            else None
        )
        batches, ends = BatchNetwork(network, packets, tally), make_endpoints(packets, traffic)
        config, writer = ConfigSource(packets.loadings), LogWriter(packets)
        seen_flags, status = [np.zeros(0, np.int64)], []
        clock = idle = 0
        with writer.with_progress():
            while (
                clock < extent.clocks and idle < PATIENCE and not (writer.is_full and config.done)
            ):
                drive(ends, clock)
                flags = batches.flags()
                status_now = batches.status(flags)
                if not status or status[-1][1] != status_now:
                    status.append((clock, status_now))
                gives = batches.giving & ends.taking
                delivered = np.nonzero(gives)[0]
                writer.note_beats(
                    clock, delivered, batches.packet[delivered], batches.beat[delivered]
                )
                seen_flags.append(flags[delivered].astype(np.int64))
                ready = ~batches.full & ~batches.giving
                takes = ends.offered & ready
                loads = None if batches.controller.running else config.offered(clock)
                busy = batches.controller.running or takes.any() or len(delivered) or loads
                refused = batches.step(
                    clock, flags, ends=ends, takes=takes, gives=gives, loads=loads
                )
                writer.note_refusals(clock + 1, refused)
                accepted_all(ends, ready, clock)
                if loads:
                    config.taken()
                waits = ends.packet < ends.last_packet
                idle = 0 if busy or not (waits.any() or batches.full.any()) else idle + 1
                clock += 1
        return Run(
            log=writer.log,
            copies=make_copies(network, packets),
            clocks=clock,
            injected=ends.injected,
            tally=tally,
            flags=np.concatenate(seen_flags),
            status=np.array(status, np.int64).reshape(-1, 2),
        )

    def user(self, network: Network, packets: Packets, run: Run) -> np.ndarray:
        """Flags that came with each beat."""
        del network, packets
        assert run.flags is not None
        return run.flags
