"""Packets of every kind: that all nodes send, and that some must be refused where any can be."""

import numpy as np
import pytest
from knotwork import Network
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.addresses import address_codes
from knotwork_sim.traffic.hostile import hostile_packets
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.packets import EVERYONE

FLITS = 40


@pytest.mark.parametrize(
    ("word", "refused"),
    [
        ("hypercube:n=2", 0),  # every address is a node's, and a packet may have any length
        ("mesh:x=3,y=3", 1),
        ("mesh:x=2,y=2,pipeline=2,classes=2", 1),
        ("wk:w=3,levels=2,max_packet=2", 2),  # an address, and a broadcast that is too long
        ("mesh:x=3,y=2,router=deflection", 2),  # an address, and a second flit
        ("hypercube:n=2,router=deflection", 1),
        ("lcan:d=2,u=2,levels=2,max_packet=4", 1),
    ],
)
def test_every_node_sends_what_must_be_refused_among_what_must_arrive(word, refused):
    network = Network.from_word(word)
    packets = hostile_packets(network, flits=FLITS, seed=3)
    nodes = network.topology.nodes
    assert packets.refused.sum() == refused * nodes
    taken = packets.length * ~packets.refused
    assert (np.bincount(packets.source, taken) >= FLITS).all()
    assert (packets.destination == EVERYONE).any() == network.has_broadcast
    codes = address_codes(network, packets)
    receivers = [network.topology.receivers(node) for node in range(nodes)]
    short = packets.length <= (network.longest_packet or FLITS)
    for number in np.flatnonzero(packets.refused & ~packets.broadcast & short).tolist():
        node = network.topology.node_at(int(codes[number]))
        assert node is None or node not in receivers[packets.source[number]]


def test_the_golden_model_refuses_them_and_delivers_the_others():
    network = Network.from_word("wk:w=3,levels=2,max_packet=2")
    packets = hostile_packets(network, flits=FLITS, seed=3)
    record = run_model(network, Traffic(stall=0.3), packets)
    assert len(record.refused) == packets.refused.sum()
    assert len(record.clock) == packets.due.sum()
