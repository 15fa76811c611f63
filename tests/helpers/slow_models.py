"""Slow models in plain Python, against which the golden model's compiled loops are judged."""

from functools import cached_property
from itertools import product

import numpy as np
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.endpoints import accepted_all, make_endpoints
from knotwork_sim.traffic.make import make_packets


class SlowModel:
    """Network of packet routers, cycle by cycle; a beat is (packet, number).

    `step` gives the beats ejected in a cycle: (node, packet, number).
    """

    def __init__(self, network, packets, ends):
        self.network, self.packets, self.ends = network, packets, ends
        self.topology = network.topology
        self.routers, self.ports = network.topology.neighbours.shape
        self.depth = network.hardware.buffer_depth
        self.vcs = network.virtual_channels
        self.crossings = np.zeros((self.routers, self.ports, self.vcs), np.int64)
        self.hops = np.zeros(len(packets), np.int64)
        self._ways = {}

    @cached_property
    def inputs(self):
        """(Router, port) of every input, used or not."""
        return list(product(range(self.routers), range(self.ports)))

    def way(self, router, packet):
        """Port and virtual channel by which a packet leaves a router; no route passes one twice."""
        flow = int(self.packets.source[packet]), int(self.packets.destination[packet])
        if flow not in self._ways:
            hops = self.network.routing.hops(*flow)
            self._ways[flow] = {hop.router: (hop.port, hop.virtual_channel) for hop in hops}
        return self._ways[flow][router]

    def behind(self, router, port):
        """Router and port behind an output."""
        topology = self.topology
        return int(topology.neighbours[router, port]), int(topology.peer_ports[router, port])

    def is_tail(self, flit):
        return flit[1] == self.packets.length[flit[0]] - 1

    def count(self, router, port, vc, flit):
        """Note a flit that crosses a router."""
        self.crossings[router, port, vc] += 1
        self.hops[flit[0]] += flit[1] == 0 and port > 0

    def enter(self, has_room, clock):
        """Beats of the nodes whose channel `has_room`, as (node, virtual channel, flit)."""
        entering = []
        for node in range(self.topology.nodes):
            flit = int(self.ends.packet[node]), int(self.ends.beat[node])
            if self.ends.offered[node]:
                vc = int(self.packets.virtual_channel[flit[0]])
                if has_room(node, vc):
                    entering.append((node, vc, flit))
        nodes = [node for node, _, _ in entering]
        accepted_all(self.ends, np.isin(np.arange(self.topology.nodes), nodes), clock)
        return entering


def assert_same_beats(network, traffic, slow_model):
    """Assert that the golden model sees what a slow model sees, beat by beat and count by count."""
    topology, packets = network.topology, make_packets(network, traffic)
    record = run_model(network, traffic, packets, counts=True)
    slow = slow_model(network, packets, make_endpoints(packets, traffic))
    # In a deadlock the golden model waits for many thousands of cycles.
    clocks = min(record.clocks, max(packets.time.max(), record.clock.max(initial=0)) + 2000)
    beats = [(clock, *beat) for clock in range(clocks) for beat in slow.step(clock)]
    assert len(beats) == len(record.clock)
    clock, node, packet, number = np.array(beats, np.int64).reshape(-1, 4).T
    assert (record.clock == clock).all()
    assert (record.node == node).all()
    codes = np.array([topology.address(source) for source in range(topology.nodes)])
    assert (record.source == codes[packets.source[packet]]).all()
    assert (record.last == (number == packets.length[packet] - 1)).all()
    words = packets.words(network.hardware.data_width)
    assert (record.data == words[packets.first_flit[packet] + number]).all()
    assert (record.injected == slow.ends.injected).all()
    assert (record.tally.crossings == slow.crossings.ravel()).all()
    assert (record.tally.hops == slow.hops).all()
