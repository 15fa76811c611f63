"""Groups whose collectives nodes start in different orders never wait for each other."""

import random
from itertools import permutations

import pytest
from helpers.collective_groups import HangError, Interleaved
from helpers.collectives import tree_of
from knotwork import Network

NETWORKS = ("mesh:x=2,y=2", "mesh:x=3,y=2", "hypercube:n=3", "ring:n=5", "lcan:d=2,u=2,levels=2")


def _trees(word, count=4):
    """Trees of all nodes, and of drawn ones."""
    topology = Network.from_word(word).topology
    rng = random.Random(word)
    drawn = [
        rng.sample(range(topology.nodes), rng.randint(2, topology.nodes)) for _ in range(count - 2)
    ]
    return [tree_of(topology, members) for members in (None, None, *drawn)]


@pytest.mark.parametrize(
    ("word", "rounds"),
    [
        ("mesh:x=2,y=2", 500),
        pytest.param("hypercube:n=3", 10_000, marks=pytest.mark.slow),
        *(pytest.param(word, 20_000, marks=pytest.mark.soak) for word in NETWORKS),
    ],
)
def test_four_groups_in_any_order_never_wait_for_each_other(word, rounds):
    run = Interleaved(_trees(word), seed=1)
    run.run(rounds)
    assert all(node.round == rounds for node in run.nodes.values())
    orders = {order for node in run.nodes.values() for order in node.orders if len(order) == 4}
    assert orders == set(permutations(range(4)))


@pytest.mark.parametrize("word", NETWORKS)
def test_with_one_port_for_all_groups_they_hang(word):
    """So the tests above can fail: a message of one group blocks those of the others behind it."""
    with pytest.raises(HangError, match="for ever, in round"):
        Interleaved(_trees(word), seed=1, shares_port=True).run(500)
