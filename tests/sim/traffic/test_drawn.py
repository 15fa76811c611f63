import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Hypercube, Network
from knotwork.errors import ConfigurationError
from knotwork_sim.traffic.keys import ALONE, Traffic
from knotwork_sim.traffic.make import make_packets

CUBE = Network(Hypercube(n=4))
MANY = 40_000
PATTERNS = [pattern for pattern in ALONE if pattern != "tornado"]  # a cube has none
CAST = Network(Hypercube(n=3), multicast="yes", max_packet=7)


@pytest.mark.parametrize("traffic", PATTERNS)
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
    traffic=st.sampled_from(PATTERNS),
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
def test_a_permutation_is_offered_whole_in_the_first_cycle(length):
    traffic = Traffic(traffic="permutation", permutation="complement", length=length)
    packets = make_packets(CUBE, traffic)
    assert packets.source.tolist() == list(range(16))
    assert packets.time.tolist() == [0] * 16


def test_a_longer_permutation_goes_on_at_one_flit_per_cycle():
    keys = {"traffic": "permutation", "permutation": "reversal", "length": (4, 4)}
    packets = make_packets(CUBE, Traffic(packets=48, **keys))
    assert packets.source.tolist() == [node for node in range(16) for _ in range(3)]
    assert packets.time.tolist() == [0, 4, 8] * 16
    slow = make_packets(CUBE, Traffic(packets=MANY, rate=0.2, **keys))
    assert slow.length.sum() / (16 * slow.time.max()) == pytest.approx(0.2, rel=0.03)


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
