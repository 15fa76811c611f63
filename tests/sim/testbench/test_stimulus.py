"""What sources send: packets of every kind, their frames and pauses, rounds, upsets."""

import shutil
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.faults import changing
from knotwork import Hypercube, Network
from knotwork.errors import ConfigurationError
from knotwork.routing.scheduling.linear_complement import LinearComplement
from knotwork_sim.scoreboard import Scoreboard
from knotwork_sim.testbench import rounds, table_entries, upset
from knotwork_sim.testbench.ends import frame, pauses
from knotwork_sim.testbench.headers import meaning, to_address, to_all, to_node, to_nodes
from knotwork_sim.testbench.scheduled import random_permutation

CUBE = Network(Hypercube(n=3), data_width=8)
ABLE = Network(Hypercube(n=3), multicast=True, data_width=8, max_packet=8)
WK = Network.from_word("wk:w=3,levels=2,data_width=8")
SCHEDULED = Network.from_word("lcan:d=2,u=2,levels=3,routing=scheduled")
BATCHED = Network.from_word("hypercube:n=3,routing=lc1")
GUARDED = Network.from_word("hypercube:n=1,parity=yes,name=noc")


def test_a_packet_to_one_node_to_several_to_all_and_by_named_uppers():
    packet = to_node(CUBE, 1, 6, [3, 4])
    assert (packet.tdest, packet.tuser, packet.data) == (6, 0, [3, 4])
    assert meaning(CUBE, packet) == (6, (3, 4))
    packet = to_all(WK, 2, [1])
    assert packet.tuser == 1
    assert meaning(WK, packet) == (None, (1,))
    # Two uppers on each of the two levels below the top: a bit each, the lowest level's first.
    assert to_node(SCHEDULED, 0, 7, [1], word=(0, 1)).tuser == 2
    assert to_node(SCHEDULED, 0, 1, [1], word=(-1, -1)).tuser == 0
    packet = to_nodes(ABLE, 5, [0, 7, 4], [9])
    # 4 ^ 5 = 1, 7 ^ 5 = 2, 0 ^ 5 = 5
    assert (packet.tdest, packet.tuser, packet.data) == (3, 1, [4, 7, 0, 9])
    assert meaning(ABLE, packet) == ((4, 7, 0), (9,))


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


def test_side_signals_are_those_of_the_first_beat():
    made = frame([5, 6, 7], tdest=2, tuser=1, widths={"tdata": 8, "tdest": 3, "tuser": 1})
    assert (list(made.tdata), made.tdest, made.tuser) == ([5, 6, 7], [2, 5, 5], [1, 0, 0])
    made = frame([5], tdest=2, tuser=0, widths={"tdata": 8, "tdest": 3})
    assert (made.tdest, made.tuser) == ([2], None)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_pauses_are_a_share_of_the_cycles(share):
    found = list(islice(pauses(share, "node 3"), 20_000))
    assert abs(sum(found) / len(found) - share) < 0.02
    assert found != list(islice(pauses(share, "node 4"), 20_000))


def test_one_round_carries_any_permutation_where_no_switch_has_fewer_uppers_than_children():
    permutation = random_permutation(SCHEDULED)
    (messages,) = rounds(SCHEDULED, permutation)
    assert sorted(message.source for message in messages) == list(range(8))
    assert all(permutation[source] == to for source, to, _ in messages)
    assert {len(word) for _, _, word in messages} == {2}


def test_batches_get_linear_complement_permutations_and_other_networks_any():
    network = Network.from_word("ccc:n=3,routing=lc2")
    for _ in range(20):
        permutation = random_permutation(network)
        assert LinearComplement.of(np.array(permutation)) is not None
    found = [random_permutation(Network(Hypercube(n=3))) for _ in range(20)]
    assert all(sorted(each) == list(range(8)) for each in found)
    assert len({tuple(each) for each in found}) > 10


def test_a_table_has_an_entry_per_dimension_the_highest_first():
    none = 3  # no buddy
    # By the closed form of bit permutations, jump is 1 at the lowest bit of each cycle, and there
    # are no buddies. The complement keeps every bit in its place; the reversal of three bits
    # exchanges bits 2 and 0.
    assert table_entries(BATCHED, [7, 6, 5, 4, 3, 2, 1, 0]) == [1 << 2 | none] * 3
    assert table_entries(BATCHED, [0, 4, 2, 6, 1, 5, 3, 7]) == [none, 1 << 2 | none, 1 << 2 | none]


MARK = "assign m_axis_tuser = node_interface_eject_payload_flags;"


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="no Icarus")
@pytest.mark.parametrize(
    "keys",
    ["buffer_depth=2", "buffer_depth=4", "buffer_depth=4,pipeline=2,virtual_channels=2"],
    ids=["registers", "memories", "credits"],
)
@pytest.mark.parametrize("is_marked", [True, False], ids=["marked", "unmarked"])
def test_a_flipped_bit_is_marked_or_told(generated, keys, is_marked):
    def edit(text):
        assert text.count(MARK) == 1
        return text if is_marked else changing(MARK, "assign m_axis_tuser = 1'b0;")(text)

    testbench = generated(f"hypercube:n=1,parity=yes,data_width=8,{keys},name=noc", edit)
    status, told = testbench("icarus", "--test", "upsets")
    assert status == (0 if is_marked else 1), told
    assert is_marked or "upsets: noc: packet 0 must have tuser 1, not 0" in told


def flip(network, bit):
    packet = Scoreboard(network).sent(0, 1, [5])
    upset(SimpleNamespace(network=network), packet, bit=bit).send(None)


@pytest.mark.parametrize(
    ("network", "action", "line"),
    [
        (CUBE, lambda net: to_node(net, 0, 8, [1]), "a node must be an index in 0..7, not 8"),
        (CUBE, lambda net: to_node(net, -1, 0, [1]), "a node must be an index in 0..7, not -1"),
        (CUBE, lambda net: to_node(net, 0, 1, []), "a packet must have 1 beat or more, not 0"),
        (CUBE, lambda net: to_node(net, 0, 1, [256]), "a beat must be an integer of 8 bits, not"),
        (CUBE, lambda net: to_node(net, 0, 1, [1], word=(0,)), "a word must have 0 numbers, not"),
        (
            CUBE,
            lambda net: to_nodes(net, 0, [1, 2], [1]),
            "a multicast must be used with multicast=yes",
        ),
        (
            CUBE,
            lambda net: to_all(net, 0, [1]),
            "a broadcast must be used with a network that has bro",
        ),
        (
            SCHEDULED,
            lambda net: to_node(net, 0, 7, [1], word=(0, 2)),
            "an upper must be in 0..1, not 2",
        ),
        (
            CUBE,
            lambda net: rounds(net, [*range(8)]),
            "rounds must be used with routing=scheduled, not ecube",
        ),
        (
            CUBE,
            lambda net: table_entries(net, [*range(8)]),
            "a table must be used with batches, not with routing=ecube",
        ),
        (BATCHED, lambda net: table_entries(net, [0] * 8), "a permutation must name each node on"),
        (CUBE, lambda net: flip(net, 0), "an upset must be used with parity=yes, not without"),
        (GUARDED, lambda net: flip(net, 32), "a bit must be in 0..31, not 32"),
    ],
)
def test_what_cannot_be_sent_is_refused(network, action, line):
    with pytest.raises(ConfigurationError) as error:
        action(network)
    assert str(error.value).startswith(f"{network.name}: {line}")
