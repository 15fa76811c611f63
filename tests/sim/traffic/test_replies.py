"""Replies: which, whose, their times by hand, and a run that an open loop repeats."""

import numpy as np
import pytest
from helpers.refusals import refuses
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from knotwork import Hypercube, Network
from knotwork_sim.model.run import run_model
from knotwork_sim.scoreboard.score import score
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import list_packets, make_packets
from knotwork_sim.traffic.packets import NEVER
from knotwork_sim.traffic.replies import Receiver, creation_times

CUBE = Network.from_word("hypercube:n=3")


def test_every_request_has_a_reply_to_its_source():
    keys = {"packets": 300, "length": (1, 3), "rate": 0.5}
    alone = make_packets(CUBE, Traffic(**keys))
    packets = make_packets(CUBE, Traffic(**keys, reply=(2, 5), service=(3, 9)))
    replies = packets.replies
    is_reply = replies.flow < 0
    for name in ("source", "destination", "length", "time"):  # the requests are the same
        assert (getattr(packets, name)[~is_reply] == getattr(alone, name)).all()
    assert is_reply.sum() == 300
    request = replies.request[is_reply]
    assert sorted(request) == np.flatnonzero(~is_reply).tolist()
    assert (packets.source[is_reply] == packets.destination[request]).all()
    assert (packets.destination[is_reply] == packets.source[request]).all()
    assert (packets.time[is_reply] == NEVER).all()
    assert set(packets.length[is_reply]) == {2, 3, 4, 5}
    assert set(replies.service[is_reply]) == set(range(3, 10))
    # Of a source the requests come first, and a flow's replies stand together in its order.
    assert (np.diff(packets.source * 2 + is_reply) >= 0).all()
    for flow, (first, end) in enumerate(zip(replies.first, replies.end, strict=True)):
        own = np.flatnonzero(replies.flow == flow)
        assert replies.request[first:end].tolist() == own.tolist()


def test_the_lowest_bit_of_the_first_beat_marks_replies():
    packets = make_packets(CUBE, Traffic(packets=50, reply=(1, 2), length=(2, 2)))
    first = packets.words(8)[packets.first_flit[:-1], 0]
    assert (first & 1 == (packets.replies.flow < 0)).all()


@pytest.mark.parametrize(
    ("word", "keys", "complaint"),
    [
        ("wk:w=4,levels=2,broadcast=mask", {"broadcast_share": 0.5},
         "reply must be used with packets to one node each, not with broadcasts or multicasts"),
        ("lcan:d=2,u=2,levels=3,name=tree", {"reply": (4, 17)},
         "requests and replies must have 1..16 flits in tree, not 17"),
        ("torus:x=3,y=3,router=deflection,sequence_width=4", {"reply": (1, 1)},
         "reply must be used with packets without a sequence number, not with sequence_width=4"),
        ("torus:x=3,y=3,router=deflection,source=no,name=blind", {"reply": (1, 1)},
         "reply must be used with packets that carry their source, not with blind"),
        ("hypercube:n=3,routing=lc1", {},
         "traffic must be permutation with routing=lc1, not uniform"),
        ("hypercube:n=3,routing=lc1", {"traffic": "permutation", "permutation": "reversal"},
         "reply must be left unset with routing=lc1, not 2"),
        ("lcan:d=2,u=2,levels=3,routing=scheduled",
         {"traffic": "permutation", "permutation": "reversal", "burst": 3.0, "packets": 8},
         "burst must be left unset with routing=scheduled, not 3.0"),
    ],
)  # fmt: skip
def test_what_replies_do_not_go_with_is_refused(word, keys, complaint):
    with refuses(f"traffic: {complaint}"):
        make_packets(Network.from_word(word), Traffic(**{"reply": (2, 2), "packets": 40} | keys))


CUBE = Network(Hypercube(n=3))


def test_a_request_is_told_by_its_source_and_first_beat_when_it_ends():
    traffic = Traffic(traffic="replay", replay=[(0, 1, 2, 3), (0, 1, 3), (0, 2, 3)], reply=(1, 1))
    packets = make_packets(CUBE, traffic)
    flow = {
        (int(packets.destination[p]), int(packets.source[p])): int(packets.replies.flow[p])
        for p in np.flatnonzero(packets.replies.flow >= 0)
    }
    receiver = Receiver.of(CUBE, packets)
    assert receiver.is_needed
    assert receiver.take(2, 1, 6, last=False) == -1
    assert receiver.take(3, 1, 8, last=True) == flow[3, 1]  # nodes do not disturb each other
    assert receiver.take(2, 1, 7, last=False) == -1  # a later beat may have any bit
    assert receiver.take(2, 1, 7, last=True) == flow[2, 1]
    assert receiver.take(3, 2, 9, last=True) == -1  # a reply
    assert receiver.take(3, 2, 8, last=True) == flow[3, 2]
    assert receiver.take(5, 2, 8, last=True) == -1  # nobody sends there


def test_without_replies_there_is_nothing_to_receive():
    assert not Receiver.of(CUBE, make_packets(CUBE, Traffic(packets=3))).is_needed


CUBE = Network.from_word("hypercube:n=3")
WORDS = (
    "hypercube:n=3", "mesh:x=3,y=2,virtual_channels=2,pipeline=2", "hypercube:n=3,multicast=yes",
    "torus:x=3,y=2,router=deflection", "lcan:d=2,u=2,levels=2",
)  # fmt: skip


def run(packets, **keys):
    traffic = Traffic(traffic="replay", replay=packets, **keys)
    made = make_packets(CUBE, traffic)
    return made, score(CUBE, made, run_model(CUBE, traffic, made))


def test_a_lone_round_trip_takes_both_ways_and_the_service():
    """Zero load: L flits over h hops take 2 (h + 1) + L - 1 cycles (hdl/docs/verilog.md)."""
    _, found = run([(10, 0, 7, 2)], reply=(4, 4), service=(25, 25))
    there, back = 2 * (3 + 1) + 1, 2 * (3 + 1) + 3
    # Created at 10, its last flit is taken at 10 + there; the reply exists 1 + 25 cycles later.
    assert found.round_trip.tolist() == [there + 1 + 25 + back]
    assert sorted(found.latency.tolist()) == [there, back]


def test_a_node_replies_in_the_order_of_arrival_one_per_cycle():
    rows = [(0, 1, 0), (0, 2, 0), (0, 4, 0)]
    keys = {"reply": (1, 1), "service": (0, 0)}
    packets = make_packets(CUBE, Traffic(traffic="replay", replay=rows, **keys))
    requests = np.flatnonzero(packets.replies.flow >= 0)
    replies = packets.replies.first[packets.replies.flow[requests]]
    packets.replies.service[:] = 0
    packets.replies.service[replies] = [9, 2, 2]
    time = creation_times(packets, requests, np.array([5, 6, 20]))
    assert time[replies].tolist() == [15, 16, 23]


def test_a_reply_goes_before_a_request_of_its_cycle_and_after_older_ones():
    """Node 0 gets a request in cycle 4: its reply, created in cycle 5, queues by its time."""
    packets, found = run([(0, 1, 0), (4, 0, 1, 3), (5, 0, 1), (5, 0, 1)], reply=(1, 1))
    sent = np.flatnonzero(packets.source == 0)
    is_reply = packets.replies.flow[sent] < 0
    order = np.lexsort((~is_reply, found.time[sent]))[:3]
    assert found.time[sent][order].tolist() == [4, 5, 5]
    assert is_reply[order].tolist() == [False, True, False]


@pytest.mark.parametrize("word", WORDS)
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    pattern=st.sampled_from(["uniform", "hotspot"]),
    rate=st.sampled_from([0.05, 0.4, 1.0]),
    count=st.integers(1, 50),
    service=st.sampled_from([None, (0, 0), (0, 30), (7, 7)]),
    burst=st.sampled_from([None, 1.0]),
    reply=st.tuples(st.integers(1, 3), st.integers(0, 3)),
    stall=st.sampled_from([0.0, 0.5]),
    bubble=st.sampled_from([0.0, 0.5]),
    seed=st.integers(0, 1000),
)
def test_every_reply_comes_and_an_open_loop_repeats_the_run(
    word, pattern, rate, count, service, burst, reply, **pauses
):
    network = Network.from_word(word)
    longest = min(network.longest_packet or 6, 6)
    keys = {"packets": count, "service": service, "rate": 0.4 if burst else rate, "burst": burst}
    lengths = min(reply[0], longest), min(sum(reply), longest)
    traffic = Traffic(traffic=pattern, **keys, **pauses, reply=lengths)
    packets = make_packets(network, traffic)
    first = run_model(network, traffic, packets)
    found = score(network, packets, first)
    assert found.injected == found.delivered == 2 * count
    assert len(found.round_trip) == count
    assert (found.round_trip > (service or (0, 0))[0]).all()
    again = Traffic(traffic="replay", replay=list_packets(network, packets, found.time), **pauses)
    repeated = make_packets(network, again)
    second = run_model(network, again, repeated)
    for name in ("clock", "node", "source", "last"):
        assert (getattr(first, name) == getattr(second, name)).all()
    open_loop = score(network, repeated, second)
    assert np.sort(open_loop.latency).tolist() == np.sort(found.latency).tolist()
