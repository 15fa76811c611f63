"""Runs of the circuit switches' golden model."""

import numpy as np
from knotwork.network import Network

from ...traffic.endpoints import accepted_all, drive, make_endpoints, reply_to_one
from ...traffic.keys import Traffic
from ...traffic.packets import Packets, make_copies
from ..log import LogWriter
from ..record import PATIENCE
from ..router_model import Extent, Run, no_user
from .network import CircuitNetwork


class CircuitModel:
    """Golden model of circuit-switched networks."""

    counts_crossings = False

    def crossing_cycles(self, network: Network) -> None:
        """None: it does not note crossings."""
        del network

    def loop(self, network: Network) -> None:
        """None: what Numba compiles is small."""
        del network

    def run(self, network: Network, traffic: Traffic, packets: Packets, extent: Extent) -> Run:
        """Run a network; see `RouterModel`."""
        circuits, ends = CircuitNetwork(network, packets), make_endpoints(packets, traffic)
        writer = LogWriter(packets)
        clock = idle = 0
        with writer.with_progress():
            while clock < extent.clocks and idle < PATIENCE and not writer.is_full:
                drive(ends, clock)
                delivered = np.nonzero((circuits.level > 0) & ends.taking)[0]
                packet, beat = circuits.queue[delivered, circuits.first[delivered]].T
                writer.note_beats(clock, delivered, packet, beat)
                if packets.replies is not None:
                    done = beat == ends.length[packet] - 1
                    flows = packets.replies.flow[packet[done]].tolist()
                    for node, flow in zip(delivered[done].tolist(), flows, strict=True):
                        reply_to_one(ends, node, flow, clock)
                ready = circuits.ready
                takes = ends.offered & ready
                current = np.minimum(ends.packet, len(packets) - 1)
                at_last = takes & (ends.beat == ends.length[current] - 1)
                bad = at_last & packets.refused[current]
                busy = takes.any() or len(delivered) or circuits.busy
                circuits.step(
                    ended=np.nonzero(at_last & ~bad)[0], packet=ends.packet, taking=delivered
                )
                writer.note_refusals(clock + 1, np.nonzero(bad)[0])
                accepted_all(ends, ready, clock)
                idle = 0 if busy or not ends.offered.any() else idle + 1
                clock += 1
        return Run(
            writer.log,
            make_copies(network, packets),
            clock,
            network_cycles=circuits.cycles,
            injected=ends.injected,
        )

    def user(self, network: Network, packets: Packets, run: Run) -> np.ndarray:
        """Zeros: `tuser` says nothing where packets leave a circuit-switched network."""
        del network, packets
        return no_user(run)
