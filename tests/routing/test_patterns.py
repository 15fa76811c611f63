"""Rates of patterns, from their definitions by coordinates."""

import numpy as np
import pytest
from helpers.refusals import refuses
from knotwork import Mesh, Network
from knotwork.parameters.patterns import PATTERNS, Pattern
from knotwork.routing.patterns import pattern_rates
from knotwork.topology import Ring
from knotwork_sim.sweep.channel_load import destination_shares
from knotwork_sim.traffic.keys import Traffic


def destinations(topology, **keys):
    rates = pattern_rates(Pattern(**keys), topology)
    assert (rates.sum(axis=1) == 1).all()
    assert (rates.sum(axis=0) == 1).all()
    return rates.argmax(axis=1).tolist()


def test_uniform_goes_to_every_other_node_alike():
    rates = pattern_rates(Pattern(), Ring(n=4))
    assert rates.tolist() == [[0 if a == b else 1 / 3 for b in range(4)] for a in range(4)]


def test_transpose_exchanges_the_coordinates_of_a_square_of_16():
    to = destinations(Mesh(x=4, y=4), traffic="transpose")
    assert to == [4 * x + y for y in range(4) for x in range(4)]


def test_tornado_goes_nearly_half_way_around_a_ring():
    assert destinations(Ring(n=7), traffic="tornado") == [3, 4, 5, 6, 0, 1, 2]


def test_a_permutation_is_listed_or_named():
    keys = {"traffic": "permutation", "permutation": "2,0,1"}
    assert destinations(Ring(n=3), **keys) == [2, 0, 1]
    assert destinations(Ring(n=3), **keys | {"permutation": "complement"}) == [2, 1, 0]


def test_streams_of_a_class_send_to_streams_of_that_class():
    topology = Network.from_word("ring:n=3,classes=2,pipeline=2").topology
    to = destinations(topology, traffic="tornado")
    assert to == [1, 2, 0, 4, 5, 3]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("word", ["torus:x=4,y=4", "mesh:x=4,y=2,classes=2,pipeline=2"])
def test_patterns_are_those_of_simulations(word, pattern):
    topology = Network.from_word(word).topology
    keys = {"traffic": pattern}
    if pattern == "permutation":
        keys["permutation"] = "random"
    shares = np.zeros((topology.nodes, topology.nodes))
    for node, ends, parts in destination_shares(topology, Traffic(**keys)):
        np.add.at(shares[node], ends, parts)
    assert pattern_rates(Pattern(**keys), topology) == pytest.approx(shares)


@pytest.mark.parametrize(
    ("keys", "topology", "line"),
    [
        ({"traffic": "hotspot"}, None, "traffic must be one of uniform, complement, transpose, "
         "reversal, shuffle, tornado, bit_rotation, permutation, not 'hotspot'"),
        ({"permutation": "0,1"}, None, "permutation must be given with traffic=permutation and "
         "only with it, not '0,1' with traffic=uniform"),
        ({"traffic": "permutation"}, None, "permutation must be given with traffic=permutation "
         "and only with it, not None with traffic=permutation"),
        ({"traffic": "transpose"}, Ring(n=6), "transpose must have a power of two nodes, not 6"),
        ({"traffic": "permutation", "permutation": "0,0"}, Ring(n=3), "permutation must name each "
         "node 0..2 once, not '0,0'"),
    ],
)  # fmt: skip
def test_what_is_no_pattern_of_a_network_is_refused(keys, topology, line):
    with refuses(f"traffic: {line}"):
        pattern_rates(Pattern.from_texts(keys), topology)
