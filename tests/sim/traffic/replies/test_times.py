"""Round trips by hand, and a run that an open loop repeats."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from knotwork import Network
from knotwork_sim.check.score import score
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.listed import list_packets
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.replies.times import creation_times

CUBE = Network.from_word("hypercube:n=3")
NETWORKS = [CUBE, *map(Network.from_word, [
    "mesh:x=3,y=3,virtual_channels=2,pipeline=2", "hypercube:n=3,multicast=yes",
    "torus:x=3,y=3,router=deflection", "lcan:d=2,u=2,levels=2",
])]  # fmt: skip


def run(packets, network=CUBE, **keys):
    traffic = Traffic(traffic="replay", replay=packets, **keys)
    made = make_packets(network, traffic)
    return made, score(network, made, run_model(network, traffic, made))


def test_a_lone_round_trip_takes_both_ways_and_the_service():
    """Zero load: a packet of L flits over h hops takes h + L cycles (hdl/docs/verilog.md)."""
    _, found = run([(10, 0, 7, 2)], reply=(4, 4), service=(25, 25))
    there, back = 3 + 1 + 1, 3 + 1 + 3
    # Created at 10, its last flit is taken at 10 + there; the reply exists 1 + 25 cycles later.
    assert found.round_trip.tolist() == [there + 1 + 25 + back]
    assert sorted(found.latency.tolist()) == [there, back]


def test_a_node_replies_in_the_order_of_arrival_one_per_cycle():
    packets = make_packets(CUBE, Traffic(traffic="replay", replay=[(0, 1, 0), (0, 2, 0), (0, 4, 0)],
                                         reply=(1, 1), service=(0, 0)))  # fmt: skip
    requests = np.flatnonzero(packets.replies.flow >= 0)
    service = np.zeros(len(packets), np.int64)
    service[packets.replies.first[packets.replies.flow[requests]]] = [9, 2, 2]
    packets.replies.service[:] = service
    time = creation_times(packets, requests, np.array([5, 6, 20]))
    assert time[packets.replies.first[packets.replies.flow[requests]]].tolist() == [15, 16, 23]


def test_a_reply_goes_before_a_request_of_its_cycle_and_after_older_ones():
    """Node 0 gets a request in cycle 2: its reply, created in cycle 3, queues by its time."""
    packets, found = run([(0, 1, 0), (2, 0, 1, 3), (3, 0, 1), (3, 0, 1)], reply=(1, 1))
    sent = np.flatnonzero(packets.source == 0)
    order = sent[np.lexsort((packets.replies.flow[sent] >= 0, found.time[sent]))]
    assert [(int(found.time[p]), bool(packets.replies.flow[p] < 0)) for p in order[:3]] == [
        (2, False),
        (3, True),
        (3, False),
    ]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    keys=st.fixed_dictionaries(
        {
            "rate": st.sampled_from([0.05, 0.4, 1.0]),
            "packets": st.integers(1, 50),
            "service": st.sampled_from([None, (0, 0), (0, 30), (7, 7)]),
            "burst": st.sampled_from([None, 1.0]),
            "traffic": st.sampled_from(["uniform", "hotspot"]),
        }
    ),
    pauses=st.fixed_dictionaries(
        {
            "stall": st.sampled_from([0.0, 0.5]),
            "bubble": st.sampled_from([0.0, 0.5]),
            "seed": st.integers(0, 1000),
        }
    ),
    reply=st.tuples(st.integers(1, 3), st.integers(0, 3)),
)
def test_every_reply_comes_and_an_open_loop_repeats_the_run(network, keys, pauses, reply):
    keys = keys | ({"rate": 0.4} if keys["burst"] else {})
    longest = min(network.longest_packet or 6, 6)
    lengths = min(reply[0], longest), min(sum(reply), longest)
    traffic = Traffic(**keys, **pauses, reply=lengths)
    packets = make_packets(network, traffic)
    first = run_model(network, traffic, packets)
    found = score(network, packets, first)
    assert (found.injected, found.delivered) == (2 * keys["packets"], 2 * keys["packets"])
    assert len(found.round_trip) == keys["packets"]
    assert (found.round_trip > (keys["service"] or (0, 0))[0]).all()
    again = Traffic(traffic="replay", replay=list_packets(network, packets, found.time), **pauses)
    repeated = make_packets(network, again)
    second = run_model(network, again, repeated)
    for name in ("clock", "node", "source", "last"):
        assert (getattr(first, name) == getattr(second, name)).all()
    open_loop = score(network, repeated, second)
    assert np.sort(open_loop.latency).tolist() == np.sort(found.latency).tolist()
