"""The golden model against a slow one, written from the docstrings of `knotwork.gateware.parts`."""

from collections import deque
from itertools import product

import numpy as np
from helpers.ring import CyclicRingRouting, Ring
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Hypercube, Moebius, Network
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.endpoints import accepted_all, drive, make_endpoints
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets


class SlowArbiter:
    """`ChannelArbiter`: from the first grant until the tail, then round robin."""

    def __init__(self, requesters):
        self.requesters, self.last, self.hold = requesters, requesters - 1, False

    def grant(self, requests):
        if self.hold:
            return self.last if self.last in requests else None
        order = [(self.last + 1 + i) % self.requesters for i in range(self.requesters)]
        return next((i for i in order if i in requests), None)

    def clock(self, granted, is_done):
        if granted is not None:
            self.last, self.hold = granted, not is_done


class SlowNetwork:
    """Routers of one virtual channel, ``pipeline=1``: a queue per input, an arbiter per output

    A beat is (packet, number); a head goes to the port that `Routing.hops` says.
    """

    def __init__(self, network, packets, ends):
        self.network, self.packets, self.ends = network, packets, ends
        self.routers, self.ports = network.topology.neighbours.shape
        self.queues = {at: deque() for at in product(range(self.routers), range(self.ports))}
        self.arbiters = {at: SlowArbiter(self.ports) for at in self.queues}
        self.ways = {}
        self.crossings = np.zeros((self.routers, self.ports), np.int64)
        self.hops = np.zeros(len(packets), np.int64)

    def way(self, router, packet):
        """Port by which a packet leaves a router; no route passes one twice."""
        flow = int(self.packets.source[packet]), int(self.packets.destination[packet])
        if flow not in self.ways:
            self.ways[flow] = {hop.router: hop.port for hop in self.network.routing.hops(*flow)}
        return self.ways[flow][router]

    def has_room(self, router, port):
        return len(self.queues[router, port]) < self.network.hardware.buffer_depth

    def step(self, clock):
        """Beats ejected in a cycle: (node, packet, number)."""
        topology, ejected, arrivals, leaving = self.network.topology, [], [], []
        drive(self.ends, clock)
        entering = [n for n in range(self.routers) if self.ends.offered[n] and self.has_room(n, 0)]
        for router, output in product(range(self.routers), range(self.ports)):
            heads = {
                i: self.queues[router, i][0] for i in range(self.ports) if self.queues[router, i]
            }
            asking = {i for i, (packet, _) in heads.items() if self.way(router, packet) == output}
            arbiter = self.arbiters[router, output]
            granted = arbiter.grant(asking)
            if granted is None:
                continue
            packet, beat = heads[granted]
            peer = (
                int(topology.neighbours[router, output]),
                int(topology.peer_ports[router, output]),
            )
            crosses = self.has_room(*peer) if output else bool(self.ends.taking[router])
            arbiter.clock(granted, crosses and beat == self.packets.length[packet] - 1)
            if crosses:
                leaving.append((router, granted))
                self.crossings[router, output] += 1
                self.hops[packet] += beat == 0 and output > 0
                if output:
                    arrivals.append((peer, (packet, beat)))
                else:
                    ejected.append((router, packet, beat))
        for at in leaving:
            self.queues[at].popleft()
        for at, flit in arrivals:
            self.queues[at].append(flit)
        for node in entering:
            self.queues[node, 0].append((int(self.ends.packet[node]), int(self.ends.beat[node])))
        accepted_all(self.ends, np.isin(np.arange(self.routers), entering), clock)
        return ejected


NETWORKS = st.one_of(
    st.integers(1, 3).map(lambda n: (Hypercube(n=n), None)),
    st.tuples(st.integers(1, 3), st.integers(0, 1)).map(
        lambda p: (Moebius(n=p[0], twist=p[1]), None)
    ),
    st.just((Ring(nodes=6), CyclicRingRouting)),
)


@settings(max_examples=30)
@given(
    network=NETWORKS,
    depth=st.integers(2, 5),
    rate=st.floats(0.05, 1),
    length=st.tuples(st.integers(1, 4), st.integers(0, 4)).map(lambda p: (p[0], sum(p))),
    bubble=st.sampled_from([0.0, 0.3]),
    stall=st.sampled_from([0.0, 0.3, 0.8]),
    seed=st.integers(0, 2**32),
)
def test_a_slow_model_sees_the_same_beats_in_the_same_cycles(network, depth, **keys):
    topology, routing = network
    network = Network(topology, routing=routing, buffer_depth=depth, allow_deadlock="yes")
    traffic = Traffic(packets=60, **keys)
    packets = make_packets(network, traffic)
    record = run_model(network, traffic, packets, counts=True)
    slow = SlowNetwork(network, packets, make_endpoints(packets, traffic))
    clocks = min(record.clocks, int(packets.time.max()) + 2000)  # there may be a deadlock
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


def test_counting_changes_nothing_and_is_left_out_unless_asked_for():
    network, traffic = Network(Hypercube(n=3)), Traffic(packets=300, rate=0.4)
    packets = make_packets(network, traffic)
    plain, counted = (run_model(network, traffic, packets, counts=way) for way in (False, True))
    assert plain.tally is None
    assert (plain.rows() == counted.rows()).all()
    assert counted.tally.crossings.sum() > 0
