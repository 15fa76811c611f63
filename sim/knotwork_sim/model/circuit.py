"""Golden model of circuit-switched networks: switches, interfaces and controller in `gateware`.

The outcome of a network cycle is that of `routing.circuits`; what is modelled here is the clock in
which each of it happens, and the queues of the interfaces.
"""

from typing import Any

import numpy as np
from knotwork.network import Network
from knotwork.routing.circuits import Engine, cycle_clocks

from ..traffic.copies import Copies, make_copies
from ..traffic.endpoints import accepted_all, drive, make_endpoints
from ..traffic.keys import Traffic
from ..traffic.packets import Packets
from .packet.state import Log
from .record import PATIENCE, Record

STORES = 2
"""Packets that an interface has room for, each way."""


class CircuitModel:
    """All interfaces and the controller, a clock at a time."""

    def __init__(self, network: Network, packets: Packets) -> None:
        topology: Any = network.topology
        nodes, longest = topology.nodes, network.hardware.max_packet
        self.topology, self.packets, self.longest = topology, packets, longest
        self.engine = Engine(topology, seed=network.hardware.network_seed)
        self.top = topology.levels - 1
        self.clocks = cycle_clocks(topology, longest)
        self.depth = STORES * longest
        self.running = self.pending = False
        self.clock = 0  # of the network cycle
        self.cycles = 0
        # Packets that wait to be offered, the first first; -1 for none.
        self.waiting = np.full((nodes, STORES), -1)
        # Beats on their way to a node: a queue as a ring.
        self.queue = np.zeros((nodes, self.depth, 2), np.int64)
        self.first = np.zeros(nodes, np.int64)
        self.level = np.zeros(nodes, np.int64)
        # Packets that have a circuit so far, and those that are being sent.
        self.offered = np.zeros(0, np.int64)
        self.sent = np.zeros(0, np.int64)

    @property
    def ready(self) -> np.ndarray:
        """Nodes that may give a beat in this clock."""
        return self.waiting[:, -1] < 0

    @property
    def busy(self) -> bool:
        """Whether anything is under way."""
        return bool(self.running or self.pending or (self.waiting >= 0).any() or self.level.any())

    def run_clock(self, *, whole: np.ndarray, packet: np.ndarray, given: np.ndarray) -> None:
        """Go on by a clock.

        Parameters
        ----------
        whole : ndarray
            Nodes from which the last beat of a good packet is taken.
        packet : ndarray
            Packet that each node gives.
        given : ndarray
            Nodes that take a beat.
        """
        ends = not self.running or self.clock == self.clocks - 1
        begins = ends and self.pending
        arrivals = self._arrivals() if self.running else None
        pending = bool((self.waiting[:, 0] >= 0).any())
        if self.running:
            self._acknowledge()
            if self.clock == 4 * self.top + 3:
                self.sent = self.offered
            self._finish()
        if begins:
            self._begin()
        self.first[given] = (self.first[given] + 1) % self.depth
        self.level[given] -= 1
        if arrivals is not None:
            self._store(*arrivals)
        place = (self.waiting[whole] >= 0).sum(axis=1)
        self.waiting[whole, place] = packet[whole]
        self.clock = 0 if ends else self.clock + 1
        self.running = self.pending if ends else True
        self.pending = pending

    def _begin(self) -> None:
        """Offer the first packet of every node; what the switches will say to them."""
        self.cycles += 1
        offered = self.waiting[:, 0]
        offered = offered[offered >= 0]
        sources, destinations = self.packets.source[offered], self.packets.destination[offered]
        words = None if self.packets.up_words is None else self.packets.up_words[offered]
        outcome = self.engine.cycle(sources, destinations, words)
        self.offered = offered[outcome.won]
        self.sent = self.sent[:0]
        self.levels = self.topology.lca_level(sources, destinations)[outcome.won]

    def _acknowledge(self) -> None:
        """Take away the circuits of headers that find no room for a packet at their node."""
        comes = 2 * self.levels + 1 == self.clock
        full = self.level[self.packets.destination[self.offered]] > self.depth - self.longest
        kept = ~(comes & full)
        self.offered, self.levels = self.offered[kept], self.levels[kept]

    def _finish(self) -> None:
        """Free the stores whose packet's last flit goes out in this clock."""
        flit = self.clock - (4 * self.top + 3)
        done = self.packets.source[self.sent[self.packets.length[self.sent] - 1 == flit]]
        self.waiting[done, :-1] = self.waiting[done, 1:]
        self.waiting[done, -1] = -1

    def _arrivals(self) -> tuple[np.ndarray, np.ndarray]:
        """Packets of which a flit reaches its node in this clock, and which flit."""
        flit = self.clock - (4 * self.top + 4 + 2 * self.levels[: len(self.sent)] + 1)
        comes = (flit >= 0) & (flit < self.packets.length[self.sent])
        return self.sent[comes], flit[comes]

    def _store(self, packet: np.ndarray, flit: np.ndarray) -> None:
        """Put flits behind the queues of their nodes."""
        node = self.packets.destination[packet]
        place = (self.first[node] + self.level[node]) % self.depth
        self.queue[node, place] = np.stack([packet, flit], axis=1)
        self.level[node] += 1


def run_circuit_log(
    network: Network, traffic: Traffic, packets: Packets, *, clocks: int = 2**62
) -> tuple[Log, Copies, int]:
    """Run the golden model: what the nodes saw, as `golden.run_packet_log`."""
    log, clock, _ = _run(network, traffic, packets, clocks=clocks)
    return log, make_copies(packets), clock


def run_circuit_model(
    network: Network, traffic: Traffic, packets: Packets, *, clocks: int = 2**62
) -> Record:
    """Run the golden model until every packet is delivered or refused; as `golden.run_model`."""
    log, clock, cycles = _run(network, traffic, packets, clocks=clocks)
    packet, beat = log.packet, log.beat
    codes = np.array([network.topology.address(i) for i in range(network.topology.nodes)])
    return Record(
        clock=log.clock,
        node=log.node,
        source=codes[packets.source[packet]],
        last=(beat == packets.length[packet] - 1).astype(np.int64),
        user=np.zeros(len(packet), np.int64),
        data=packets.words(network.hardware.data_width)[packets.first_flit[packet] + beat],
        refused=np.stack([log.refused_clock, log.refused_node], axis=1),
        clocks=clock,
        network_cycles=cycles,
    )


def _run(
    network: Network, traffic: Traffic, packets: Packets, *, clocks: int
) -> tuple[Log, int, int]:
    """Log, clocks and network cycles of a run."""
    model = CircuitModel(network, packets)
    ends = make_endpoints(packets, traffic)
    refusals, due = int(packets.refused.sum()), int(packets.due.sum())
    rows, refused = [], []
    clock = delivered = idle = 0
    while clock < clocks and idle < PATIENCE:
        if delivered == due and len(refused) == refusals:
            break
        drive(ends, clock)
        given = np.nonzero((model.level > 0) & ends.taking)[0]
        beats = model.queue[given, model.first[given]]
        rows.append(np.column_stack([np.full(len(given), clock), given, beats]))
        delivered += len(given)
        ready = model.ready
        takes = ends.offered & ready
        current = np.minimum(ends.packet, len(packets) - 1)
        at_last = takes & (ends.beat == ends.length[current] - 1)
        bad = at_last & packets.refused[current]
        busy = takes.any() or len(given) or model.busy
        model.run_clock(whole=np.nonzero(at_last & ~bad)[0], packet=ends.packet, given=given)
        refused += [(clock + 1, node) for node in np.nonzero(bad)[0].tolist()]
        accepted_all(ends, ready)
        idle = 0 if busy or not (ends.packet < ends.last_packet).any() else idle + 1
        clock += 1
    at, node, packet, beat = np.concatenate(rows or [np.zeros((0, 4), np.int64)]).T
    refused_clock, refused_node = np.array(refused, np.int64).reshape(-1, 2).T
    return Log(at, node, packet, beat, refused_clock, refused_node), clock, model.cycles
