import numpy as np
import pytest
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packets import NEVER

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
        (
            "wk:w=4,levels=2,broadcast=mask",
            {"broadcast_share": 0.5},
            "reply must go with packets to one node each, not with broadcasts or multicasts",
        ),
        (
            "lcan:d=2,u=2,levels=3",
            {"reply": (4, 17)},
            "requests and replies must have 1..16 flits in lcan_d2_u2_levels3_interconnectcomplete,"
            " not 17",
        ),
        (
            "torus:x=3,y=3,router=deflection,sequence_width=4",
            {"reply": (1, 1)},
            "reply must go with packets without a sequence number, not with sequence_width=4",
        ),
        (
            "hypercube:n=3,routing=lc1",
            {},
            "traffic must be permutation with routing=lc1, not uniform",
        ),
        (
            "hypercube:n=3,routing=lc1",
            {"traffic": "permutation", "permutation": "reversal"},
            "reply must be unnamed with routing=lc1, not 2",
        ),
        (
            "lcan:d=2,u=2,levels=3,routing=scheduled",
            {"traffic": "permutation", "permutation": "reversal", "burst": 3.0, "packets": 8},
            "burst must be unnamed with routing=scheduled, not 3.0",
        ),
    ],
)
def test_what_replies_do_not_go_with_is_refused(word, keys, complaint):
    network = Network.from_word(word)
    with pytest.raises(ConfigurationError) as refusal:
        make_packets(network, Traffic(**{"reply": (2, 2), "packets": 40} | keys))
    assert str(refusal.value).replace(network.name, "lcan_d2_u2_levels3_interconnectcomplete") == (
        f"traffic: {complaint}"
    )


def test_packets_without_a_source_have_no_replies():
    network = Network.from_word("torus:x=3,y=3,router=deflection,source=no")
    with pytest.raises(ConfigurationError) as refusal:
        make_packets(network, Traffic(reply=(1, 1)))
    assert str(refusal.value) == (
        f"traffic: reply must go with packets that carry their source, not with {network.name}"
    )
