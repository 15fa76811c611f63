"""Shares that laws tell, against what they draw; plain draws are in test_registry."""

import numpy as np
import pytest
from helpers.refusals import refuses
from helpers.ring import Ring, RingRouting
from knotwork import Hypercube, Mesh, Moebius, Network, with_classes
from knotwork.routing.scheduling.messages import named_permutation
from knotwork.topology import Banyan, Torus
from knotwork_sim.sweep.channel_load import channel_load
from knotwork_sim.traffic.files import RateMatrix
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.patterns import (
    ByClass,
    Fixed,
    Hotspot,
    Measured,
    Neighbour,
    Uniform,
    make_law,
    node_weights,
)

MANY = 60_000


def assert_drawn(law, node, destinations, shares):
    """Show that a node's draws have these shares, and go nowhere else."""
    drawn = law.draw(np.random.default_rng(1), np.full(MANY, node))
    counts = np.bincount(drawn, minlength=max(destinations) + 1)
    margin = 5 * (MANY * shares * (1 - shares)) ** 0.5
    assert (np.abs(counts[destinations] - MANY * shares) <= margin).all()
    assert counts[destinations].sum() == MANY


@pytest.mark.parametrize("law", [Uniform, Hotspot, Neighbour])
@pytest.mark.parametrize("topology", [Moebius(n=3, twist=1), Torus(x=2, y=3)])
def test_shares_are_those_that_are_drawn(law, topology):
    made = law(topology)
    for node in (0, 4):
        destinations, shares = made.shares(node)
        expected = np.zeros(topology.nodes)
        np.add.at(expected, destinations, shares)
        assert expected.sum() == pytest.approx(1)
        assert_drawn(made, node, np.flatnonzero(expected), expected[expected > 0])


@pytest.mark.parametrize("law", [Uniform, Hotspot])
def test_shares_of_two_sides_are_those_that_are_drawn(law):
    made = law(Banyan(d=2, u=3, levels=2))
    assert made.pairs == 2 * 4 * 9
    for node, others in ((1, range(4, 13)), (7, range(4))):
        destinations, shares = made.shares(node)
        assert destinations.tolist() == list(others)
        assert shares.sum() == pytest.approx(1)
        rest = 0.75 if law is Hotspot else 1
        assert shares[1] == pytest.approx(rest / len(others))
        assert shares[0] == pytest.approx(rest / len(others) + 1 - rest)
        assert_drawn(made, node, destinations, shares)


def test_pairs_are_those_with_traffic():
    assert Uniform(Moebius(n=3, twist=0)).pairs == 64
    assert Neighbour(Moebius(n=3, twist=0)).pairs == 24


CUBE4 = Network(Hypercube(n=4))


def ends_of(**keys):
    packets = make_packets(CUBE4, Traffic(packets=MANY, **keys))
    return packets.source, packets.destination


def test_each_pattern_has_its_share():
    source, destination = ends_of(traffic="complement:0.5,shuffle:0.3,bit_rotation:0.2")
    left = (source << 1 | source >> 3) & 15
    right = source >> 1 | (source & 1) << 3
    apart = (15 - source != left) & (15 - source != right) & (left != right)
    count = apart.sum()
    assert count > MANY / 2
    for to, share in ((15 - source, 0.5), (left, 0.3), (right, 0.2)):
        found = (destination == to)[apart].sum()
        assert abs(found - share * count) < 5 * (count * share * (1 - share)) ** 0.5


def test_shares_are_relative():
    one = ends_of(traffic="uniform:3,hotspot:1")
    other = ends_of(traffic="uniform:0.75,hotspot:0.25")
    assert all((a == b).all() for a, b in zip(one, other, strict=True))


def test_a_matrix_sends_its_own_part_of_a_mix():
    """Half of all flits are uniform, half go from node 3 to itself: 8 times the mean."""
    rates = np.zeros((16, 16))
    rates[3, 3] = 1
    keys = {"traffic": "uniform:1,matrix:1", "matrix": rates}
    source, destination = ends_of(**keys)
    own = (source == 3) & (destination == 3)
    assert abs(own.sum() - MANY / 2) < 5 * (MANY / 4) ** 0.5
    others = np.bincount(source[~own], minlength=16)
    assert np.abs(others - MANY / 32).max() < 5 * (MANY / 32) ** 0.5
    assert channel_load(CUBE4, Traffic(**keys)).largest == pytest.approx(8.5)


def test_a_load_is_the_sum_of_the_parts():
    def load(traffic):
        return channel_load(CUBE4, Traffic(traffic=traffic))

    mixed = load("complement:3,uniform:1")
    hops = 0.75 * load("complement").average_hops + 0.25 * load("uniform").average_hops
    assert mixed.average_hops == pytest.approx(hops)
    # Dimension order puts one complement flow on each channel, and the uniform part evenly on all.
    assert mixed.largest == pytest.approx(1.0)


CUBE = Network(Hypercube(n=3))
RATES = np.random.default_rng(5).integers(0, 5, (8, 8)) * np.array([[1, 2, 3, 1, 0, 1, 1, 1]]).T


def test_pairs_have_their_shares_by_chi_square():
    packets = make_packets(CUBE, Traffic(traffic="matrix", matrix=RATES, packets=MANY))
    counts = np.bincount(packets.source * 8 + packets.destination, minlength=64).reshape(8, 8)
    expected = MANY * RATES / RATES.sum()
    assert (counts[RATES == 0] == 0).all()
    assert counts[4].sum() == 0  # a row of zeros sends nothing
    chi_square = ((counts - expected)[RATES > 0] ** 2 / expected[RATES > 0]).sum()
    freedom = (RATES > 0).sum() - 1
    assert abs(chi_square - freedom) < 5 * (2 * freedom) ** 0.5


def test_the_mean_rate_of_all_nodes_is_as_asked():
    traffic = Traffic(traffic="matrix", matrix=RATES, packets=MANY, rate=0.3, length=(1, 3))
    packets = make_packets(CUBE, traffic)
    assert packets.length.sum() / (8 * packets.time.max()) == pytest.approx(0.3, rel=0.03)


def test_a_rate_that_the_busiest_node_cannot_offer_is_refused():
    rows = [[0] * 8 for _ in range(8)]
    rows[0][1], rows[1][2] = 3, 1
    line = "rate must be at most 0.1667 where the busiest node offers 6 times the mean, not 0.2"
    with refuses(f"traffic: {line}"):  # 8 nodes, 3 / 4 of all from one of them
        make_packets(CUBE, Traffic(traffic="matrix", matrix=rows, rate=0.2))
    fine = make_packets(CUBE, Traffic(traffic="matrix", matrix=rows, rate=1 / 6, packets=400))
    pairs = set(zip(fine.source.tolist(), fine.destination.tolist(), strict=True))
    assert pairs == {(0, 1), (1, 2)}


def test_a_matrix_for_other_networks_is_refused():
    with refuses("traffic: matrix must have 8 rows and columns for hypercube_n3, not 4"):
        make_packets(CUBE, Traffic(traffic="matrix", matrix=np.ones((4, 4))))


def test_a_certain_destination_is_always_drawn():
    rows = np.zeros((3, 3))
    rows[0, 2] = rows[1, 0] = rows[2, 1] = 1e-300
    drawn = Measured(RateMatrix.of(rows)).draw(np.random.default_rng(1), np.array([2, 0, 1, 0]))
    assert drawn.tolist() == [1, 2, 0, 2]


TOPOLOGY = with_classes(Mesh(x=4, y=2), 2)


@pytest.mark.parametrize("pattern", ["uniform", "hotspot", "neighbour", "transpose", "tornado"])
def test_packets_stay_in_their_class_and_follow_the_law_of_the_nodes(pattern):
    traffic, rng = Traffic(traffic=pattern), np.random.default_rng(1)
    law, whole = (make_law(each, traffic, rng) for each in (TOPOLOGY, TOPOLOGY.unaltered))
    assert isinstance(law, ByClass)
    assert law.pairs == 2 * whole.pairs
    source = np.repeat(np.arange(16), 50)
    drawn = law.draw(np.random.default_rng(2), source)
    assert (drawn // 8 == source // 8).all()
    assert (drawn % 8 == whole.draw(np.random.default_rng(2), source % 8)).all()
    for node, offset in ((3, 0), (11, 8)):
        found, expected = law.shares(node), whole.shares(3)
        assert (found.destinations - offset).tolist() == expected.destinations.tolist()
        assert found.shares.tolist() == expected.shares.tolist()


def test_classes_may_have_other_rates():
    assert node_weights(TOPOLOGY, Traffic()) is None
    weights = node_weights(TOPOLOGY, Traffic(class_rates=(0.6, 0.2)))
    assert weights == pytest.approx([1.5] * 8 + [0.5] * 8)
    traffic = Traffic.from_words(["class_rates=0.6,0.2", "packets=40000"])
    packets = make_packets(Network(TOPOLOGY), traffic)
    counts = np.bincount(packets.source // 8) / (packets.time.max() + 1) / 8
    assert counts == pytest.approx([0.6, 0.2], rel=0.03)
    only = make_packets(Network(TOPOLOGY), Traffic(class_rates=(0, 0.5), packets=100))
    assert (only.source >= 8).all()


@pytest.mark.parametrize(
    ("topology", "rates", "line"),
    [
        (Mesh(x=2, y=2), (0.5, 0.1),
         "class_rates must be left unset without classes of traffic, not 0.5,0.1"),
        (TOPOLOGY, (0.5, 0.1, 0.2),
         "class_rates must be 2 rates, one for each class, not 0.5,0.1,0.2"),
    ],
)  # fmt: skip
def test_refuses_rates_that_do_not_fit(topology, rates, line):
    with refuses(f"traffic: {line}"):
        make_packets(Network(topology), Traffic(class_rates=rates))


CUBE3 = Network(Hypercube(n=4))
RING = Network(Ring(nodes=6), routing=RingRouting)
MANY_PACKETS = 40_000


def destinations(network, **keys):
    """Set of destinations that each source has."""
    packets = make_packets(network, Traffic(**keys))
    found = {}
    for source, to in zip(packets.source.tolist(), packets.destination.tolist(), strict=True):
        found.setdefault(source, set()).add(to)
    return found


def counts_of(network, pattern):
    """Packets of each source (row) to each destination, in networks of 16 nodes."""
    packets = make_packets(network, Traffic(traffic=pattern, packets=MANY_PACKETS))
    pairs = np.bincount(packets.source * 16 + packets.destination, minlength=256)
    return pairs.reshape(16, 16)


@pytest.mark.parametrize("name", ["complement", "reversal", "transpose", "shuffle", "bit_rotation"])
def test_a_pattern_is_its_named_permutation(name):
    named = named_permutation(16, name, np.random.default_rng(), owner="test")
    expected = {source: {destination} for source, destination in enumerate(named.tolist())}
    assert destinations(CUBE3, traffic=name) == expected
    assert destinations(CUBE3, traffic="permutation", permutation=name) == expected


def test_a_list_names_each_destination():
    listed = destinations(RING, traffic="permutation", permutation="3,1,0,5,4,2")
    assert listed == {0: {3}, 1: {1}, 2: {0}, 3: {5}, 4: {4}, 5: {2}}


def test_random_is_a_permutation_that_the_seed_decides():
    def drawn(seed):
        keys = {"traffic": "permutation", "permutation": "random", "seed": seed}
        return destinations(CUBE3, **keys)

    assert sorted(next(iter(to)) for to in drawn(1).values()) == list(range(16))
    assert drawn(1) == drawn(1) != drawn(2)


def test_uniform_goes_evenly_to_all_others_and_never_to_itself():
    pairs, mean = counts_of(CUBE3, "uniform"), MANY_PACKETS / 240
    assert not pairs.diagonal().any()
    assert abs(pairs[~np.eye(16, dtype=bool)] - mean).max() < 5 * mean**0.5


def test_neighbour_goes_evenly_to_routers_next_door_and_nowhere_else():
    network = Network(Moebius(n=4, twist=1))
    near = np.zeros((16, 16), bool)
    near[np.arange(16)[:, None], network.topology.neighbours[:, 1:]] = True
    assert near.sum() == 64
    pairs, mean = counts_of(network, "neighbour"), MANY_PACKETS / 64
    assert not pairs[~near].any()
    assert abs(pairs[near] - mean).max() < 5 * mean**0.5


def test_hotspot_sends_a_quarter_to_node_0_and_the_rest_anywhere():
    pairs = counts_of(CUBE3, "hotspot")[1:].sum(axis=0)
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
        "traffic: tornado must be used with a network that has a dimension of at least 3 nodes in "
        f"a row, such as torus, not {network.topology.instance_name}"
    ):
        make_packets(network, TORNADO)


def test_shares_are_those_of_one_destination():
    law = Fixed(np.array([2, 0, 1]))
    assert law.pairs == 3
    destinations, shares = law.shares(0)
    assert (destinations.tolist(), shares.tolist()) == ([2], [1.0])
