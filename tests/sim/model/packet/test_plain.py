"""Golden model of plain routers against a slow one, written from the gateware's docstrings."""

from helpers.ring import CyclicRingRouting, Ring
from helpers.slow_models import assert_same_beats
from helpers.slow_routers import SlowNetwork
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Hypercube, Moebius, Network
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

NETWORKS = st.one_of(
    st.integers(1, 3).map(lambda n: (Hypercube(n=n), None)),
    st.tuples(st.integers(1, 3), st.integers(0, 1)).map(
        lambda p: (Moebius(n=p[0], twist=p[1]), None)
    ),
    st.just((Ring(nodes=6), CyclicRingRouting)),
)


@settings(max_examples=25)
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
    network = Network(
        topology, routing=routing, pipeline=1, buffer_depth=depth, allow_deadlock="yes"
    )
    assert_same_beats(network, Traffic(packets=60, **keys), SlowNetwork)


def test_counting_changes_nothing_and_is_left_out_unless_asked_for():
    network, traffic = Network(Hypercube(n=3), pipeline=1), Traffic(packets=300, rate=0.4)
    packets = make_packets(network, traffic)
    plain, counted = (run_model(network, traffic, packets, counts=way) for way in (False, True))
    assert plain.tally is None
    assert (plain.rows() == counted.rows()).all()
    assert counted.tally.crossings.sum() > 0
