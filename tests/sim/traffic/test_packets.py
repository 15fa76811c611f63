"""Packets and the copies of multicasts: what is due, to whom, in which words."""

import numpy as np
import pytest
from knotwork import Hypercube, Moebius, Network
from knotwork.routing.multicast import multicast_rounds
from knotwork_sim.traffic.packets import address_codes, make_copies, packet_table

CUBE = Network(Hypercube(n=3), multicast="yes", max_packet=8)


def multicasts(network, chains, *, data=1, source=0):
    """Packets of one source, a multicast a chain of addresses."""
    count = len(chains)
    return packet_table(
        network,
        source=np.full(count, source),
        destination=np.full(count, -1),
        length=np.full(count, data),
        time=np.arange(count),
        seed=1,
        chains=dict(enumerate(chains)),
    )


def test_beats_of_a_multicast_are_its_chain_and_then_its_data():
    packets = multicasts(CUBE, [[1, 3, 6]], data=2)
    assert packets.length.tolist() == [5]
    assert packets.chain_length.tolist() == [3]
    assert packets.due.tolist() == [2 * 3]
    assert packets.deliveries() == [(0, 1), (0, 3), (0, 6)]
    assert packets.words(32)[:3, 0].tolist() == [1, 3, 6]
    assert packets.words(72)[:3].tolist() == [[1, 0], [3, 0], [6, 0]]
    assert (packets.words(32)[3:] == multicasts(CUBE, [[1, 3, 6]], data=2).words(32)[3:]).all()


def test_sources_say_the_destinations_code_or_none_or_for_a_broadcast_anything():
    network = Network.from_words(["wk", "w=3", "levels=2"])
    count = 300
    destination = np.arange(count) % 10 - 1  # -1 is no node
    broadcast = np.arange(count) >= 150
    packets = packet_table(
        network,
        source=np.zeros(count, np.int64),
        destination=destination,
        length=np.ones(count, np.int64),
        time=np.arange(count),
        seed=1,
        broadcast=broadcast,
    )
    said = address_codes(network, packets)
    for code, node in zip(said[:150].tolist(), destination[:150].tolist(), strict=True):
        assert network.topology.node_at(code) == (node if node >= 0 else None)
    assert set(said[150:].tolist()) == set(range(16))
    assert address_codes(CUBE, multicasts(CUBE, [[1, 3, 6], [5]])).tolist() == [3, 1]


@pytest.mark.parametrize(
    ("chain", "data", "source"),
    [
        ([], 1, 0),
        ([0, 1], 1, 0),
        ([1, 1], 1, 0),
        ([2, 1], 1, 0),
        ([1, 2], 1, 3),  # XOR 3 it is 2, 1
        ([1, 8], 1, 0),
        ([1, 2, 3, 4, 5, 6, 7], 2, 0),
        ([1, 2], 0, 0),
        ([1], 8, 0),
    ],
    ids=["empty", "source", "twice", "falling", "falling xor", "no node", "long", "no data", "big"],
)
def test_wrong_chains_are_refused(chain, data, source):
    packets = multicasts(CUBE, [chain], data=data, source=source)
    assert packets.refused.tolist() == [True]
    assert packets.due.tolist() == [0]
    assert packets.deliveries() == []


def test_right_chains_are_not_refused():
    packets = multicasts(CUBE, [[2, 1], [1], [2, 1, 0, 7, 6, 5, 4]], source=3)
    assert not packets.refused.any()


@pytest.mark.parametrize(
    "topology", [Hypercube(n=4), Moebius(n=4), Moebius(n=4, twist=1)], ids=lambda t: t.name
)
def test_copies_are_the_sends_of_the_rounds(topology):
    network = Network(topology, multicast="yes")
    rng = np.random.default_rng(1)
    for _ in range(50):
        source = int(rng.integers(16))
        nodes = np.delete(np.arange(16), source)
        members = rng.choice(nodes, rng.integers(1, 16), replace=False).tolist()
        chain = sorted(members, key=lambda node, source=source: node ^ source)
        packets = multicasts(network, [chain], data=1, source=source)
        copies = make_copies(packets)
        sent = set()
        for copy in range(len(copies.origin)):
            at = source if copy == 0 else int(copies.destination[copy])
            first = int(copies.first[copy])
            for child in range(first, first + int(copies.count[copy])):
                assert copies.length[child] == copies.chain[child] + 1
                sent.add((at, int(copies.destination[child]), int(copies.chain[child])))
        rounds = multicast_rounds(network.routing, source, members)
        sends = [send for sends in rounds for send in sends]
        assert sent == {(s.source, s.destination, len(s.chain)) for s in sends}
        assert len(copies.origin) == 1 + len(sends) == 1 + len(members)


def test_a_copy_starts_in_the_class_of_the_rounds_that_are_left():
    # Fifteen nodes: 0 sends for 7, 3, 1 and 0 more; with 3 more, two rounds are left, and so on.
    packets = multicasts(Network(Hypercube(n=4), multicast="yes"), [list(range(1, 16))])
    copies = make_copies(packets)
    first, count = int(copies.first[0]), int(copies.count[0])
    assert copies.chain[first : first + count].tolist() == [7, 3, 1, 0]
    assert copies.virtual_channel[first : first + count].tolist() == [3, 2, 1, 0]
