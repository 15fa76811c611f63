import numpy as np
import pytest
from helpers.refusals import refuses
from helpers.ring import Ring, RingRouting
from knotwork import Hypercube, Moebius, Network
from knotwork.routing.scheduling.messages import named_permutation
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.patterns.fixed import Fixed

CUBE = Network(Hypercube(n=4))
RING = Network(Ring(nodes=6), routing=RingRouting)
MANY = 40_000


def destinations(network, **keys):
    """Set of destinations that each source has."""
    packets = make_packets(network, Traffic(**keys))
    found = {}
    for source, to in zip(packets.source.tolist(), packets.destination.tolist(), strict=True):
        found.setdefault(source, set()).add(to)
    return found


def counts_of(network, pattern):
    """Packets of each source (row) to each destination, in networks of 16 nodes."""
    packets = make_packets(network, Traffic(traffic=pattern, packets=MANY))
    pairs = np.bincount(packets.source * 16 + packets.destination, minlength=256)
    return pairs.reshape(16, 16)


@pytest.mark.parametrize("name", ["complement", "reversal", "transpose", "shuffle", "bit_rotation"])
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
    pairs, mean = counts_of(CUBE, "uniform"), MANY / 240
    assert not pairs.diagonal().any()
    assert abs(pairs[~np.eye(16, dtype=bool)] - mean).max() < 5 * mean**0.5


def test_neighbour_goes_evenly_to_routers_next_door_and_nowhere_else():
    network = Network(Moebius(n=4, twist=1))
    near = np.zeros((16, 16), bool)
    near[np.arange(16)[:, None], network.topology.neighbours[:, 1:]] = True
    assert near.sum() == 64
    pairs, mean = counts_of(network, "neighbour"), MANY / 64
    assert not pairs[~near].any()
    assert abs(pairs[near] - mean).max() < 5 * mean**0.5


def test_hotspot_sends_a_quarter_to_node_0_and_the_rest_anywhere():
    pairs = counts_of(CUBE, "hotspot")[1:].sum(axis=0)
    assert pairs[0] / pairs.sum() == pytest.approx(0.25 + 0.75 / 15, abs=0.01)
    assert pairs[1:].min() > 0.85 * pairs[1:].max()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("traffic=shuffle", "shuffle must have a power of two nodes, not 6"),
        ("traffic=permutation permutation=shuffle",
         "shuffle must have a power of two nodes, not 6"),
        ("traffic=permutation permutation=0,1,2,3,4,4",
         "permutation must name each node 0..5 once, not '0,1,2,3,4,4'"),
        ("traffic=permutation permutation=butterfly",
         "permutation must be one of identity, complement, random, reversal, "
         "transpose, shuffle, bit_rotation, or destinations a,b,..., not 'butterfly'"),
    ],
)  # fmt: skip
def test_what_is_no_permutation_is_refused(words, line):
    with refuses(f"traffic: {line}"):
        make_packets(RING, Traffic.from_words(words.split()))


TORNADO = Traffic(traffic="tornado", packets=400)


@pytest.mark.parametrize(
    ("word", "x", "y"), [("torus:x=8,y=8", 8, 8), ("torus:x=5,y=2", 5, 2), ("mesh:x=3,y=4", 3, 4)]
)
def test_tornado_goes_nearly_half_way_around_every_dimension(word, x, y):
    """Dally and Towles, table 3.1: d_i = s_i + ceil(k / 2) - 1 mod k; node is y * X + x."""
    steps = {2: 0, 3: 1, 4: 1, 5: 2, 8: 3}
    packets = make_packets(Network.from_word(word), TORNADO)
    row, column = np.divmod(packets.source, x)
    expected = (row + steps[y]) % y * x + (column + steps[x]) % x
    assert packets.destination.tolist() == expected.tolist()
    assert set(packets.source.tolist()) == set(range(x * y))


@pytest.mark.parametrize(
    "word", ["hypercube:n=4", "torus:x=2,y=2", "rp:k=4", "lcan:d=2,u=2,levels=3"]
)
def test_tornado_is_refused_where_no_dimension_has_a_half_way(word):
    network = Network.from_word(word)
    with refuses(
        "traffic: tornado must go with a network that has a dimension of at least 3 nodes in a "
        f"row, such as torus, not {network.topology.instance_name}"
    ):
        make_packets(network, TORNADO)


def test_shares_are_those_of_one_destination():
    law = Fixed(np.array([2, 0, 1]))
    assert law.pairs == 3
    destinations, shares = law.shares(0)
    assert (destinations.tolist(), shares.tolist()) == ([2], [1.0])
