"""What sources give at the ports for each kind of packet, and what is refused."""

import pytest
from knotwork import Hypercube, Network
from knotwork.errors import ConfigurationError
from knotwork_sim.testbench.headers import meaning, to_address, to_all, to_node, to_nodes

CUBE = Network(Hypercube(n=3), data_width=8)
ABLE = Network(Hypercube(n=3), multicast=True, data_width=8, max_packet=8)
WK = Network.from_word("wk:w=3,levels=2,data_width=8")
SCHEDULED = Network.from_word("lcan:d=2,u=2,levels=3,routing=scheduled")


def test_a_packet_to_one_node():
    packet = to_node(CUBE, 1, 6, [3, 4])
    assert (packet.tdest, packet.tuser, packet.data) == (6, 0, [3, 4])
    assert meaning(CUBE, packet) == (6, (3, 4))


def test_a_multicast_lists_its_nodes_by_their_address_xor_its_own():
    packet = to_nodes(ABLE, 5, [0, 7, 4], [9])
    # 4 ^ 5 = 1, 7 ^ 5 = 2, 0 ^ 5 = 5
    assert (packet.tdest, packet.tuser, packet.data) == (3, 1, [4, 7, 0, 9])
    assert meaning(ABLE, packet) == ((4, 7, 0), (9,))


def test_a_broadcast():
    packet = to_all(WK, 2, [1])
    assert packet.tuser == 1
    assert meaning(WK, packet) == (None, (1,))


def test_a_word_names_an_upper_per_level():
    # Two uppers on each of the two levels below the top: a bit each, the lowest level's first.
    assert to_node(SCHEDULED, 0, 7, [1], word=(0, 1)).tuser == 2
    assert to_node(SCHEDULED, 0, 1, [1], word=(-1, -1)).tuser == 0


def test_what_must_be_refused_goes_to_no_node():
    unused = WK.topology.unused_addresses[0]
    assert meaning(WK, to_address(WK, 0, unused, [1])).to == WK.topology.nodes
    wrong_chain = to_address(ABLE, 5, 2, [0, 4, 9], tuser=1)  # out of order
    assert meaning(ABLE, wrong_chain).to == ABLE.topology.nodes
    too_short = to_address(ABLE, 5, 6, [4, 7], tuser=1)  # the chain is longer than the packet
    assert meaning(ABLE, too_short).to == ABLE.topology.nodes
    lcan_longest = SCHEDULED.longest_packet
    too_long = to_node(SCHEDULED, 0, 1, [1] * (lcan_longest + 1))
    assert meaning(SCHEDULED, too_long).to == SCHEDULED.topology.nodes


@pytest.mark.parametrize(
    ("made", "line"),
    [
        (lambda: to_node(CUBE, 0, 8, [1]), "a node must be an index in 0..7, not 8"),
        (lambda: to_node(CUBE, -1, 0, [1]), "a node must be an index in 0..7, not -1"),
        (lambda: to_node(CUBE, 0, 1, []), "a packet must have 1 beat or more, not 0"),
        (lambda: to_node(CUBE, 0, 1, [256]), "a beat must be an integer of 8 bits, not 256"),
        (lambda: to_node(CUBE, 0, 1, [1], word=(0,)), "a word must have 0 numbers, not [0]"),
        (lambda: to_nodes(CUBE, 0, [1, 2], [1]), "a multicast must go with multicast=yes"),
        (lambda: to_all(CUBE, 0, [1]), "a broadcast must go with a network that has broadcasts"),
        (lambda: to_node(SCHEDULED, 0, 7, [1], word=(0, 2)), "an upper must be in 0..1, not 2"),
    ],
)
def test_what_cannot_be_sent_is_refused(made, line):
    with pytest.raises(ConfigurationError) as error:
        made()
    assert str(error.value).partition(": ")[2].startswith(line)
