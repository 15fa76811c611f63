import numpy as np
import pytest
from helpers.ring import Ring, RingRouting
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Hypercube, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.parameters import unknown_key
from knotwork.routing import lane
from knotwork.routing.scheduling.permutations import named_permutation
from knotwork_sim.traffic.packets import Packets, packet_table
from knotwork_sim.traffic.traffic import PATTERNS, Traffic, make_packets

CUBE = Network(Hypercube(n=4))
RING = Network(Ring(nodes=6), routing=RingRouting)
MANY = 40_000


def destinations(network, **keys):
    """Set of destinations that each source has."""
    packets = make_packets(network, Traffic(**keys))
    pairs = zip(packets.source.tolist(), packets.destination.tolist(), strict=True)
    found = {}
    for source, destination in pairs:
        found.setdefault(source, set()).add(destination)
    return found


@pytest.mark.parametrize("name", ["complement", "reversal", "transpose", "shuffle"])
def test_a_pattern_is_its_named_permutation(name):
    named = named_permutation(16, name, np.random.default_rng(), owner="test")
    expected = {source: {destination} for source, destination in enumerate(named.tolist())}
    assert destinations(CUBE, traffic=name) == expected
    assert destinations(CUBE, traffic="permutation", permutation=name) == expected


def test_a_list_names_each_destination():
    listed = destinations(RING, traffic="permutation", permutation="3,1,0,5,4,2")
    assert listed == {0: {3}, 1: {1}, 2: {0}, 3: {5}, 4: {4}, 5: {2}}


def test_random_is_a_permutation_that_the_seed_decides():
    def drawn(seed):
        keys = {"traffic": "permutation", "permutation": "random", "seed": seed}
        return destinations(CUBE, **keys)

    assert sorted(next(iter(to)) for to in drawn(1).values()) == list(range(16))
    assert drawn(1) == drawn(1) != drawn(2)


def test_uniform_goes_evenly_to_all_others_and_never_to_itself():
    packets = make_packets(CUBE, Traffic(packets=MANY))
    assert (packets.source != packets.destination).all()
    pairs = np.bincount(packets.source * 16 + packets.destination, minlength=256)
    pairs = pairs.reshape(16, 16)[~np.eye(16, dtype=bool)]
    mean = MANY / 240
    assert abs(pairs - mean).max() < 5 * mean**0.5


def test_neighbour_goes_evenly_to_routers_next_door_and_nowhere_else():
    network = Network(Moebius(n=4, twist=1))
    packets = make_packets(network, Traffic(traffic="neighbour", packets=MANY))
    neighbours = network.topology.neighbours
    pairs = np.bincount(packets.source * 16 + packets.destination, minlength=256).reshape(16, 16)
    mean = MANY / 64
    for node in range(16):
        near = [peer for peer in neighbours[node] if peer >= 0]
        assert set(np.nonzero(pairs[node])[0]) == set(near)
        assert abs(pairs[node][near] - mean).max() < 5 * mean**0.5


def test_hotspot_sends_a_quarter_to_node_0_and_the_rest_anywhere():
    packets = make_packets(CUBE, Traffic(traffic="hotspot", packets=MANY))
    others = packets.destination[packets.source != 0]
    assert np.mean(others == 0) == pytest.approx(0.25 + 0.75 / 15, abs=0.01)
    counts = np.bincount(others)[1:]
    assert counts.min() > 0.85 * counts.max()


@pytest.mark.parametrize("traffic", PATTERNS[:-1])
@pytest.mark.parametrize(("rate", "length"), [(0.05, (1, 1)), (0.4, (1, 8)), (1.0, (3, 3))])
def test_rate_and_lengths_are_as_asked(traffic, rate, length):
    keys = {"traffic": traffic, "rate": rate, "length": length, "packets": MANY}
    packets = make_packets(CUBE, Traffic(**keys))
    offered = packets.length.sum() / (16 * (packets.time.max() + 1))
    assert offered == pytest.approx(rate, rel=0.03)
    first, last = length
    counts = np.bincount(packets.length, minlength=last + 1)[first:]
    assert counts.sum() == len(packets) == MANY
    assert counts.min() > 0.9 * MANY / (last - first + 1)


@given(
    traffic=st.sampled_from(PATTERNS[:-1]),
    rate=st.floats(0.001, 1),
    packets=st.integers(1, 300),
    length=st.tuples(st.integers(1, 9), st.integers(0, 9)).map(lambda p: (p[0], p[0] + p[1])),
    seed=st.integers(0, 2**63 - 1),
)
def test_packets_are_sorted_by_source_and_time_and_the_seed_decides_them(**keys):
    traffic = Traffic(**keys)
    packets, again = make_packets(CUBE, traffic), make_packets(CUBE, traffic)
    assert len(packets) == traffic.packets
    for name in ("source", "destination", "length", "time", "virtual_channel", "first_packet"):
        assert (getattr(packets, name) == getattr(again, name)).all()
        assert getattr(packets, name).dtype == np.int64
    assert (packets.words(32) == again.words(32)).all()
    for node in range(16):
        own = slice(packets.first_packet[node], packets.first_packet[node + 1])
        assert (packets.source[own] == node).all()
        assert (np.diff(packets.time[own]) > 0).all()
    assert packets.first_packet[-1] == len(packets)
    assert packets.first_flit[-1] == packets.length.sum()


def test_another_seed_draws_other_packets_and_other_contents():
    one, two = (make_packets(CUBE, Traffic(seed=seed)) for seed in (1, 2))
    assert (one.source != two.source).any()
    assert (one.words(64)[:1000] != two.words(64)[:1000]).all()


@pytest.mark.parametrize("length", [(1, 1), (4, 4), (1, 8)])
def test_a_permutation_is_offered_whole_in_the_first_clock(length):
    traffic = Traffic(traffic="permutation", permutation="complement", length=length)
    packets = make_packets(CUBE, traffic)
    assert packets.source.tolist() == list(range(16))
    assert packets.time.tolist() == [0] * 16


def test_a_longer_permutation_goes_on_at_one_flit_a_clock():
    keys = {"traffic": "permutation", "permutation": "reversal", "length": (4, 4)}
    packets = make_packets(CUBE, Traffic(packets=48, **keys))
    assert packets.source.tolist() == [node for node in range(16) for _ in range(3)]
    assert packets.time.tolist() == [0, 4, 8] * 16
    slow = make_packets(CUBE, Traffic(packets=MANY, rate=0.2, **keys))
    assert slow.length.sum() / (16 * slow.time.max()) == pytest.approx(0.2, rel=0.03)


@pytest.mark.parametrize("width", [8, 32, 63, 64, 65, 72, 128, 512])
def test_contents_fill_the_data_width_and_no_more(width):
    packets = make_packets(CUBE, Traffic(packets=500, length=(1, 8)))
    words = packets.words(width)
    assert words.dtype == np.uint64
    assert words.shape == (packets.length.sum(), -(-width // 64))
    low = 0
    for column in words.T:
        bits = min(64, width - low)
        assert int(np.bitwise_or.reduce(column)) == 2**bits - 1
        assert int(np.bitwise_and.reduce(column)) == 0
        low += 64


def test_a_flow_starts_in_the_virtual_channel_of_its_lane():
    network = Network(Ring(nodes=6), routing=RingRouting, virtual_channels=6)
    packets = make_packets(network, Traffic(packets=400))
    pairs = zip(packets.source.tolist(), packets.destination.tolist(), strict=True)
    assert packets.virtual_channel.tolist() == [2 * lane(s, d, 3) for s, d in pairs]


def test_a_table_takes_packets_to_no_node():
    source, destination = np.array([0, 0, 5]), np.array([-1, 3, -1])
    packets = packet_table(
        RING, source=source, destination=destination, length=source + 1, time=source, seed=1
    )
    assert isinstance(packets, Packets)
    assert packets.destination.tolist() == [-1, 3, -1]
    assert packets.first_packet.tolist() == [0, 2, 2, 2, 2, 2, 3]


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("rate=0", "traffic: rate must be a number in 0.0001..1, not 0.0"),
        ("rate=1.5", "traffic: rate must be a number in 0.0001..1, not 1.5"),
        ("rate=nan", "traffic: rate must be a number in 0.0001..1, not nan"),
        ("packets=0", "traffic: packets must be an integer in 1..100000000, not 0"),
        ("bubble=1", "traffic: bubble must be a number in 0..0.99, not 1.0"),
        ("stall=-0.1", "traffic: stall must be a number in 0..0.99, not -0.1"),
        ("seed=-1", "traffic: seed must be an integer in 0..9223372036854775807, not -1"),
        (
            "traffic=tornado",
            f"traffic: traffic must be one of {', '.join(PATTERNS)}, not 'tornado'",
        ),
        ("hurry=1", unknown_key("traffic", "hurry", list(Traffic.keys()))),
        (
            "permutation=identity",
            "traffic: permutation must be given with traffic=permutation and only with it, not "
            "'identity' with traffic=uniform",
        ),
        (
            "traffic=permutation",
            "traffic: permutation must be given with traffic=permutation and only with it, not "
            "None with traffic=permutation",
        ),
    ],
)
def test_what_traffic_cannot_be_is_refused(word, complaint):
    with pytest.raises(ConfigurationError) as refusal:
        Traffic.from_words([word])
    assert str(refusal.value) == complaint


@pytest.mark.parametrize(
    ("text", "said"),
    [("0", "(0, 0)"), ("8-1", "(8, 1)"), ("1-9999", "(1, 9999)"), ("x", "'x'"), ("1-", "'1-'")],
)
def test_lengths_out_of_range_are_refused(text, said):
    with pytest.raises(ConfigurationError) as refusal:
        Traffic.from_words([f"length={text}"])
    rule = "traffic: length must be an integer or a range FIRST-LAST in 1..4096, not "
    assert str(refusal.value) == rule + said


@pytest.mark.parametrize("form", ["{}", "permutation permutation={}"])
def test_bit_patterns_must_have_a_power_of_two_nodes(form):
    with pytest.raises(ConfigurationError) as refusal:
        make_packets(RING, Traffic.from_words(f"traffic={form.format('shuffle')}".split()))
    assert str(refusal.value) == "traffic: shuffle must have a power of two nodes, not 6"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("0,1,2,3,4,4", "traffic: permutation must name each node 0..5 once, not '0,1,2,3,4,4'"),
        (
            "butterfly",
            "traffic: permutation must be one of identity, complement, random, reversal, "
            "transpose, shuffle, or destinations a,b,..., not 'butterfly'",
        ),
    ],
)
def test_what_is_no_permutation_is_refused(text, complaint):
    with pytest.raises(ConfigurationError) as refusal:
        make_packets(RING, Traffic(traffic="permutation", permutation=text))
    assert str(refusal.value) == complaint


CAST = Network(Hypercube(n=3), multicast="yes", max_packet=7)


def test_multicasts_have_their_share_and_random_members():
    packets = make_packets(CAST, Traffic(packets=2000, multicast_share=0.25, length=(1, 3)))
    assert 400 < packets.multicast.sum() < 600
    assert not packets.refused.any()
    sizes = [len(chain) for chain in packets.chains.values()]
    assert set(sizes) == {1, 2, 3, 4}  # three flits of data leave room for four addresses
    met = {member for members in packets.members.values() for member in members}
    assert met == set(range(8))
    for number, members in packets.members.items():
        assert int(packets.source[number]) not in members
        assert len(set(members)) == len(members)


def test_members_are_drawn_from_their_range():
    packets = make_packets(CAST, Traffic(packets=200, multicast_share=1.0, members=(2, 3)))
    assert {len(chain) for chain in packets.chains.values()} == {2, 3}


@pytest.mark.parametrize(
    ("network", "keys", "complaint"),
    [
        (
            Network(Hypercube(n=3)),
            {"multicast_share": 0.5},
            "multicast_share must be 0 for a network without multicast=yes, not 0.5",
        ),
        (
            CAST,
            {"multicast_share": 0.5, "length": (1, 7)},
            "length must leave room for a chain in max_packet=7, at most 6, not 7",
        ),
        (
            CAST,
            {"multicast_share": 0.5, "length": (1, 3), "members": (2, 5)},
            "members must be at most 4, with length=3 and max_packet=7, not 5",
        ),
    ],
)
def test_multicasts_that_cannot_be_are_refused(network, keys, complaint):
    with pytest.raises(ConfigurationError) as refusal:
        make_packets(network, Traffic(**keys))
    assert str(refusal.value) == f"traffic: {complaint}"
