"""The golden model against a slow one, written from the docstrings of `knotwork.gateware.parts`."""

from collections import deque

from helpers.ring import CyclicRingRouting, Ring
from helpers.slow_models import SlowModel, assert_same_beats
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Hypercube, Moebius, Network
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.endpoints import drive
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


class SlowNetwork(SlowModel):
    """Routers of one virtual channel, ``pipeline=1``: a queue per input, an arbiter per output."""

    def __init__(self, network, packets, ends):
        super().__init__(network, packets, ends)
        self.queues = {at: deque() for at in self.inputs}
        self.arbiters = {at: SlowArbiter(self.ports) for at in self.inputs}

    def has_room(self, router, port):
        return len(self.queues[router, port]) < self.depth

    def step(self, clock):
        """Beats ejected in a cycle."""
        ejected, arrivals, leaving = [], [], []
        drive(self.ends, clock)
        entering = self.enter(lambda node, vc: self.has_room(node, 0), clock)
        for router, output in self.inputs:
            heads = {
                i: self.queues[router, i][0] for i in range(self.ports) if self.queues[router, i]
            }
            asking = {
                i for i, (packet, _) in heads.items() if self.way(router, packet)[0] == output
            }
            arbiter = self.arbiters[router, output]
            granted = arbiter.grant(asking)
            if granted is None:
                continue
            flit, peer = heads[granted], self.behind(router, output)
            crosses = self.has_room(*peer) if output else bool(self.ends.taking[router])
            arbiter.clock(granted, crosses and self.is_tail(flit))
            if crosses:
                leaving.append((router, granted))
                self.count(router, output, 0, flit)
                if output:
                    arrivals.append((peer, flit))
                else:
                    ejected.append((router, *flit))
        for at in leaving:
            self.queues[at].popleft()
        for at, flit in arrivals:
            self.queues[at].append(flit)
        for node, _, flit in entering:
            self.queues[node, 0].append(flit)
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
    assert_same_beats(network, traffic, SlowNetwork)


def test_counting_changes_nothing_and_is_left_out_unless_asked_for():
    network, traffic = Network(Hypercube(n=3)), Traffic(packets=300, rate=0.4)
    packets = make_packets(network, traffic)
    plain, counted = (run_model(network, traffic, packets, counts=way) for way in (False, True))
    assert plain.tally is None
    assert (plain.rows() == counted.rows()).all()
    assert counted.tally.crossings.sum() > 0
