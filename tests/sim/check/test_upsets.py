"""Bit flips in flits with parity: broken packets come out marked, and nothing hangs."""

import dataclasses

import numpy as np
import pytest
from helpers.routes import slow
from helpers.upsets import build_upsettable, judge_upsets, run_upsets
from knotwork import Network
from knotwork_sim.model.run import run_model
from knotwork_sim.scoreboard.score import count_mismatches
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

QUICK = "hypercube:n=2,parity=yes,buffer_depth=4"
SLOW = [
    "mesh:x=3,y=3,parity=yes,buffer_depth=4,pipeline=2",
    "torus:x=3,y=3,parity=yes,buffer_depth=5,pipeline=2,virtual_channels=4",
    "wk:w=3,levels=2,broadcast=no,parity=yes,buffer_depth=4,pipeline=2",
    "hypercube:n=4,parity=yes,buffer_depth=8", "torus:x=3,y=3,parity=yes,buffer_depth=2",
    "mesh:x=3,y=3,parity=yes,buffer_depth=2,pipeline=2",
    "moebius:n=3,routing=spr,vc_scheme=escape,parity=yes,buffer_depth=4",
    "moebius:n=3,routing=spr,vc_scheme=escape,parity=yes,buffer_depth=2,pipeline=2",
    "wk:w=3,levels=2,broadcast=no,virtual_channels=4,parity=yes,buffer_depth=4",
    "tcpg:k=1,m=1,broadcast=no,parity=yes,buffer_depth=2",
    "wk:w=3,levels=2,parity=yes,buffer_depth=8,pipeline=2",
    "wk:w=3,levels=2,parity=yes,buffer_depth=8,pipeline=3",
    "hypercube:n=3,multicast=yes,parity=yes,buffer_depth=8,pipeline=2",
    "hypercube:n=3,multicast=yes,parity=yes,buffer_depth=8,pipeline=3",
    "moebius:n=3,routing=spr,vc_scheme=escape,parity=yes,buffer_depth=4,pipeline=3",
    "mesh:x=2,y=2,classes=2,parity=yes,buffer_depth=4,pipeline=2",
    "mesh:x=2,y=2,nodes_per_router=2,parity=yes,buffer_depth=4,pipeline=3",
]  # fmt: skip
EVERY = 16
SPARSE = {"tcpg:k=1,m=1,broadcast=no,parity=yes,buffer_depth=2"}
"""Networks most of whose places have no flit to upset, as where channels share a memory."""


def traffic_of(network, packets, seed):
    pauses = {"bubble": 0.1, "stall": 0.3, "pauses": "changing"}
    if network.has_broadcast:
        pauses["broadcast_share"] = 0.1
    if network.has_multicast:
        pauses["multicast_share"] = 0.2
    traffic = Traffic(rate=0.7, packets=packets, length=(1, 5), seed=seed, **pauses)
    return traffic, make_packets(network, traffic)


@pytest.mark.parametrize("word", [QUICK, *slow(SLOW)])
def test_what_an_upset_broke_is_marked_and_all_else_is_whole(word, tmp_path):
    network = Network.from_word(word)
    count, runs = (400, 2) if word == QUICK else (3000, 4)
    plain, *upset = [traffic_of(network, count, seed) for seed in range(runs)]
    runs = [(*plain, 0), *((*traffic, EVERY) for traffic in upset), (*plain, 0)]
    results = run_upsets(network, build_upsettable(network), runs, tmp_path)
    for number in (0, -1):  # without upsets, before and after
        record, flips = results[number]
        assert not flips
        assert count_mismatches(record, run_model(network, *plain)) == 0
        assert not record.user.any()
    total, marks = 0, 0
    for (_, packets), (record, flips) in zip(upset, results[1:-1], strict=True):
        marked = judge_upsets(network, packets, record)
        assert len(marked) <= len(flips)
        total, marks = total + len(flips), marks + len(marked)
        # The judge would notice a broken packet without its mark.
        silent = dataclasses.replace(record, user=np.zeros_like(record.user))
        with pytest.raises(AssertionError, match="wrong in silence"):
            judge_upsets(network, packets, silent)
    assert total >= 30
    assert marks >= total // (25 if network.has_credits or word in SPARSE else 10)
