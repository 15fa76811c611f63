"""Copies of broadcasts in routers with credits: cycles that follow by hand from their rules."""

import numpy as np
import pytest
from helpers.broadcasts import assert_arrivals, cycles_one_after_another, one_by_one
from knotwork import Network, Tcpg, WkRecursive
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.packet_table import packet_table
from knotwork_sim.traffic.packets import EVERYONE

WK42 = Network(WkRecursive(w=4, levels=2), buffer_depth=4, pipeline=2)
NETWORKS = [
    WK42,
    Network(WkRecursive(w=2, levels=3), buffer_depth=8, pipeline=2, broadcast="stack"),
    Network(Tcpg(k=2, m=1), buffer_depth=6, pipeline=2),
]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_copies_of_a_longer_packet_leave_one_after_another(network):
    packets = one_by_one(network, length=4)
    record = run_model(network, Traffic(), packets)
    cycles = cycles_one_after_another(network, 4)
    assert_arrivals(network, packets, record, cycles, length=4)


def test_a_packet_behind_a_broadcast_waits_for_its_last_copy():
    """Node 0 sends four flits to its three neighbours; then one to node 3, by the highest port."""
    facts = {"source": [0, 0], "destination": [EVERYONE, 3], "length": [4, 1], "time": [0, 0]}
    packets = packet_table(WK42, **{name: np.array(fact) for name, fact in facts.items()}, seed=1)
    record = run_model(WK42, Traffic(), packets)
    # The broadcast is whole in cycle 3 and at the front in 4: its copies leave in 4 to 15, to node
    # 3 first, whose router sends its copy across in 6 to 9 and gives the node its own from 10 on, a
    # cycle before m_axis. The next packet's flit leaves in 16, and node 3's router in 18.
    at_three = record.clock[record.node == 3]
    assert sorted(at_three) == [11, 12, 13, 14, 19]


def test_each_node_has_each_broadcast_once_when_all_send(judged):
    for network in NETWORKS:
        judged(network, rate=1.0, packets=300, broadcast_share=1.0, length=(1, 4), stall=0.2)
