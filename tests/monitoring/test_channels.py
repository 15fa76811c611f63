"""Channels of a monitor, and their names."""

import pytest
from knotwork import Network
from knotwork.monitoring.channels import monitored_channels, network_probes

WORDS = [
    "mesh:x=3,y=2",
    "moebius:n=3,routing=spr",
    "wk:w=3,levels=2",
    "mesh:x=3,y=1,nodes_per_router=2",
    "tcpg:k=1,m=1",
]


@pytest.mark.parametrize("word", WORDS)
def test_channels_are_numbered_and_named_once(word):
    network = Network.from_word(word)
    channels = monitored_channels(network)
    assert [one.number for one in channels] == list(range(len(channels)))
    assert len({one.name for one in channels}) == len(channels)
    bits = [
        bit for one in channels for bit in range(one.first_turn, one.first_turn + len(one.turns))
    ]
    assert bits == list(range(len(bits)))
    assert network_probes(network) == (len(channels), len(bits))
    to_nodes = [one.node for one in channels if one.virtual_channel is None]
    assert sorted(to_nodes) == list(range(network.topology.nodes))


def test_channels_of_a_line_of_three():
    # A packet comes from the node or a neighbour, and goes to the node or on; the ends have no
    # neighbour beyond them.
    network = Network.from_word("mesh:x=3,y=1")
    into = [(one.router, one.node) for one in monitored_channels(network) if one.turns]
    assert into == [(0, 0), (0, None), (1, 1), (1, None), (1, None), (2, 2), (2, None)]
    ways = [len(one.turns) for one in monitored_channels(network) if one.turns]
    assert ways == [2, 1, 3, 2, 2, 2, 1]
