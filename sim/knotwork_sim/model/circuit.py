"""Golden model of circuit switches: network cycles in which packets set up and use circuits."""

import numpy as np
from knotwork.network import Network
from knotwork.parameters import CircuitParameters
from knotwork.routing.circuits import (
    Engine,
    circuit_clocks,
    cycle_clocks,
    refusal_clocks,
    sample_clock,
)
from knotwork.topology.lcan import LeastCommonAncestor

from ..traffic.endpoints import accepted_all, drive, make_endpoints, reply_to_one
from ..traffic.keys import Traffic
from ..traffic.packets import Packets, make_copies
from .record import PATIENCE
from .router_model import Extent, LogWriter, Run, no_user

STORES = 2
"""Packets for which an interface has space in each direction."""


class CircuitNetwork:
    """All interfaces and the controller, one cycle at a time."""

    def __init__(self, network: Network, packets: Packets) -> None:
        topology = LeastCommonAncestor.of(network.topology)
        hardware = CircuitParameters.of(network.hardware)
        nodes, longest = topology.nodes, hardware.max_packet
        self.topology, self.packets, self.longest = topology, packets, longest
        self.engine = Engine(topology, seed=hardware.network_seed)
        self.clocks = cycle_clocks(topology, longest)
        self.depth = STORES * longest
        self.running = self.pending = False
        self.clock = 0  # of the network cycle
        self.cycles = 0
        # Packets that wait to be offered, in order; -1 for none.
        self.waiting = np.full((nodes, STORES), -1)
        # Beats on their way to a node: a ring buffer of (packet, beat).
        self.queue = np.zeros((nodes, self.depth, 2), np.int64)
        self.first = np.zeros(nodes, np.int64)
        self.level = np.zeros(nodes, np.int64)
        self.ends_early = hardware.ends_early
        # Packets that hold a circuit so far, their hops, and the cycles in which their sources have
        # the acknowledge.
        self.offered = np.zeros(0, np.int64)
        self.hops = np.zeros(0, np.int64)
        self.samples = np.zeros(0, np.int64)
        # Cycles that the headers of this network cycle take, those that get no circuit included.
        self.least = 0

    @property
    def ready(self) -> np.ndarray:
        """Nodes that may give a beat in this cycle."""
        return self.waiting[:, -1] < 0

    @property
    def busy(self) -> bool:
        """Whether anything is in flight."""
        return bool(self.running or self.pending or (self.waiting >= 0).any() or self.level.any())

    def step(self, *, ended: np.ndarray, packet: np.ndarray, taking: np.ndarray) -> None:
        """Go on by one cycle.

        Parameters
        ----------
        ended : ndarray
            Nodes whose last beat of a packet that is not refused is taken.
        packet : ndarray
            Packet that each node gives.
        taking : ndarray
            Nodes that take a beat.
        """
        ends = not self.running or self.clock == self._length() - 1
        begins = ends and self.pending
        arrivals = self._arrivals() if self.running else None
        pending = bool((self.waiting[:, 0] >= 0).any())
        if self.running:
            self._acknowledge()
            self._finish()
        if begins:
            self._begin()
        self.first[taking] = (self.first[taking] + 1) % self.depth
        self.level[taking] -= 1
        if arrivals is not None:
            self._store(*arrivals)
        place = (self.waiting[ended] >= 0).sum(axis=1)
        self.waiting[ended, place] = packet[ended]
        self.clock = 0 if ends else self.clock + 1
        self.running = self.pending if ends else True
        self.pending = pending

    def _begin(self) -> None:
        """Offer the first packet of every node to the switches; decide which get a circuit."""
        self.cycles += 1
        offered = self.waiting[:, 0]
        offered = offered[offered >= 0]
        sources, destinations = self.packets.source[offered], self.packets.destination[offered]
        words = None if self.packets.up_words is None else self.packets.up_words[offered]
        outcome = self.engine.cycle(sources, destinations, words)
        hops = self.topology.distance(sources, destinations)
        self.offered, self.hops = offered[outcome.won], hops[outcome.won]
        farthest = np.full_like(self.hops, self.topology.hop_counts[-1])
        self.samples = sample_clock(self.hops if self.ends_early else farthest)
        self.least = refusal_clocks(int(hops.max()))

    def _length(self) -> int:
        """Clock cycles of this network cycle, as far as is known."""
        if not self.ends_early:
            return self.clocks
        circuits = circuit_clocks(self.hops, self.packets.length[self.offered])
        return int(circuits.max(initial=self.least))

    def _acknowledge(self) -> None:
        """Drop the circuits whose header finds no space for a packet at its node."""
        comes = self.hops + 1 == self.clock
        full = self.level[self.packets.destination[self.offered]] > self.depth - self.longest
        kept = ~(comes & full)
        self.offered, self.hops = self.offered[kept], self.hops[kept]
        self.samples = self.samples[kept]

    def _finish(self) -> None:
        """Free the stores whose packet sends its last flit in this cycle."""
        flit = self.clock - self.samples
        done = self.packets.source[self.offered[self.packets.length[self.offered] - 1 == flit]]
        self.waiting[done, :-1] = self.waiting[done, 1:]
        self.waiting[done, -1] = -1

    def _arrivals(self) -> tuple[np.ndarray, np.ndarray]:
        """Packets of which a flit reaches its node in this cycle, and the number of that flit."""
        flit = self.clock - (self.samples + 1 + self.hops + 1)
        comes = (flit >= 0) & (flit < self.packets.length[self.offered])
        return self.offered[comes], flit[comes]

    def _store(self, packet: np.ndarray, flit: np.ndarray) -> None:
        """Append flits to the queues of their nodes."""
        node = self.packets.destination[packet]
        place = (self.first[node] + self.level[node]) % self.depth
        self.queue[node, place] = np.stack([packet, flit], axis=1)
        self.level[node] += 1


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
        decide, accept = drive.bind(ends), accepted_all.bind(ends)
        clock = idle = 0
        with writer.with_progress():
            while clock < extent.clocks and idle < PATIENCE and not writer.is_full:
                decide(clock)
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
                accept(ready, clock)
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
