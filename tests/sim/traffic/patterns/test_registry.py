import numpy as np
import pytest
from helpers.ring import Ring, RingRouting
from knotwork import Hypercube, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.routing.scheduling.permutations import named_permutation
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

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
            "transpose, shuffle, bit_rotation, or destinations a,b,..., not 'butterfly'",
        ),
    ],
)
def test_what_is_no_permutation_is_refused(text, complaint):
    with pytest.raises(ConfigurationError) as refusal:
        make_packets(RING, Traffic(traffic="permutation", permutation=text))
    assert str(refusal.value) == complaint
