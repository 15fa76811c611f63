import numpy as np
import pytest
from helpers.packet_columns import packets_of
from helpers.ring import Ring, RingRouting
from knotwork import Hypercube, Moebius, Network
from knotwork.routing import lane
from knotwork.routing.multicast import multicast_rounds
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packets import EVERYONE, NOWHERE, address_codes, make_copies, packet_table

CUBE = Network(Hypercube(n=3), multicast="yes", max_packet=8)


def multicasts(network, chains, *, data=1, source=0):
    """Packets of one source, a multicast for each chain of addresses."""
    count = len(chains)
    return packet_table(
        network,
        source=np.full(count, source),
        destination=np.full(count, NOWHERE),
        length=np.full(count, data),
        time=np.arange(count),
        seed=1,
        chains=dict(enumerate(chains)),
    )


RING = Network(Ring(nodes=6), routing=RingRouting)


def test_a_flow_starts_in_the_virtual_channel_of_its_lane():
    network = Network(Ring(nodes=6), routing=RingRouting, virtual_channels=6)
    packets = make_packets(network, Traffic(packets=400))
    pairs = zip(packets.source.tolist(), packets.destination.tolist(), strict=True)
    assert packets.virtual_channel.tolist() == [2 * lane(s, d, 3) for s, d in pairs]


def test_a_table_takes_packets_to_no_node():
    packets = packets_of(RING, [0, 0, 5], [-1, 3, -1])
    assert packets.destination.tolist() == [-1, 3, -1]
    assert packets.first_packet.tolist() == [0, 2, 2, 2, 2, 2, 3]


def test_packets_to_several_nodes_stay_in_their_class():
    network = Network.from_word("wk:w=3,levels=1,nodes_per_router=2,classes=2")
    packets = packets_of(network, [1, 7], [EVERYONE, EVERYONE], 3)
    assert packets.deliveries() == [
        *((0, node) for node in (0, 2, 3, 4, 5)),
        *((1, node) for node in (6, 8, 9, 10, 11)),
    ]
    assert packets.due.tolist() == [15, 15]
    assert packets.virtual_channel.tolist() == [0, network.virtual_channels // 2]
    cube = Network.from_word("hypercube:n=2,classes=2,multicast=yes,max_packet=8")
    address = cube.topology.address
    chains = {0: [address(1), address(2)], 1: [address(5), address(6)], 2: [address(5), address(2)]}
    packets = packets_of(cube, [0, 4, 4], [-1, -1, -1], 2, [0, 0, 1], chains=chains)
    assert packets.members == {0: [1, 2], 1: [5, 6]}
    assert packets.refused.tolist() == [False, False, True]
    copies = make_copies(cube, packets)
    assert cube.routing.classes == 2
    assert copies.virtual_channel.tolist()[3:] == [0, 0, 2, 2]


WRONG = {
    "empty": ([], 1, 0), "source": ([0, 1], 1, 0), "twice": ([1, 1], 1, 0),
    "falling": ([2, 1], 1, 0), "falling XOR source": ([1, 2], 1, 3), "no node": ([1, 8], 1, 0),
    "no data": ([1, 2], 0, 0), "long": ([1, 2, 3, 4, 5, 6, 7], 2, 0), "big": ([1], 8, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_chains_are_refused(name):
    chain, data, source = WRONG[name]
    packets = multicasts(CUBE, [chain], data=data, source=source)
    assert packets.refused.tolist() == [True]
    assert packets.due.tolist() == [0]
    assert packets.deliveries() == []


def test_right_chains_are_not_refused():
    packets = multicasts(CUBE, [[2, 1], [1], [2, 1, 0, 7, 6, 5, 4]], source=3)
    assert not packets.refused.any()


CUBE4 = Network(Hypercube(n=4))


def test_beats_of_a_multicast_are_its_chain_and_then_its_data():
    packets = multicasts(CUBE, [[1, 3, 6]], data=2)
    assert packets.length.tolist() == [5]
    assert packets.chain_length.tolist() == [3]
    assert packets.due.tolist() == [2 * 3]
    assert packets.deliveries() == [(0, 1), (0, 3), (0, 6)]
    assert packets.words(32)[:3, 0].tolist() == [1, 3, 6]
    assert packets.words(72)[:3].tolist() == [[1, 0], [3, 0], [6, 0]]
    assert (packets.words(32)[3:] == multicasts(CUBE, [[1, 3, 6]], data=2).words(32)[3:]).all()


@pytest.mark.parametrize("width", [8, 32, 63, 64, 65, 72, 128, 512])
def test_contents_fill_the_data_width_and_no_more(width):
    packets = make_packets(CUBE4, Traffic(packets=500, length=(1, 8)))
    words = packets.words(width)
    assert words.dtype == np.uint64
    assert words.shape == (packets.length.sum(), -(-width // 64))
    low = 0
    for column in words.T:
        bits = min(64, width - low)
        assert int(np.bitwise_or.reduce(column)) == 2**bits - 1
        assert int(np.bitwise_and.reduce(column)) == 0
        low += 64


def test_sources_say_the_destinations_code_or_none_or_for_a_broadcast_anything():
    network = Network.from_words(["wk", "w=3", "levels=2"])
    count = 300
    destination = np.arange(count) % 10 - 1  # -1 is no node
    destination[150:] = EVERYONE
    packets = packets_of(network, 0, destination, 1, np.arange(count))
    said = address_codes(network, packets)
    for code, node in zip(said[:150].tolist(), destination[:150].tolist(), strict=True):
        assert network.topology.node_at(code) == (node if node >= 0 else None)
    assert set(said[150:].tolist()) == set(range(16))
    assert address_codes(CUBE, multicasts(CUBE, [[1, 3, 6], [5]])).tolist() == [3, 1]


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
        copies = make_copies(network, packets)
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
    network = Network(Hypercube(n=4), multicast="yes")
    packets = multicasts(network, [list(range(1, 16))])
    copies = make_copies(network, packets)
    first, count = int(copies.first[0]), int(copies.count[0])
    assert copies.chain[first : first + count].tolist() == [7, 3, 1, 0]
    assert copies.virtual_channel[first : first + count].tolist() == [3, 2, 1, 0]


def test_a_copy_goes_by_the_lane_from_the_node_that_sends_it():
    network = Network(Hypercube(n=3), multicast="yes", virtual_channels=6)
    packets = multicasts(network, [list(range(1, 8))])
    copies = make_copies(network, packets)
    senders = {0: 0}
    for number in range(len(copies.origin)):
        at = senders[number]
        for copy in range(
            int(copies.first[number]), int(copies.first[number] + copies.count[number])
        ):
            to = int(copies.destination[copy])
            senders[copy] = to
            lane, left = divmod(int(copies.virtual_channel[copy]), 3)
            assert lane == network.routing.lane_of(at, to)
            assert left == int(copies.chain[copy]).bit_length()
    starts = copies.virtual_channel[1:] // 3
    assert set(starts.tolist()) == {0, 1}  # not all by the lane of the first packet
