"""The permutation that loads a link most: against all permutations, and figures found by hand."""

from itertools import permutations

import numpy as np
import pytest
from helpers.random_links import RandomLinks, RandomRouting
from knotwork import Network
from knotwork.routing.worst_case import all_crossings, worst_case
from scipy.optimize import linear_sum_assignment


def crossings(routing):
    """How often the path of each pair crosses each link: (link, source, destination)."""
    topology = routing.topology
    routers, ports = topology.neighbours.shape
    found = np.zeros((routers * ports, topology.nodes, topology.nodes))
    for source in range(topology.nodes):
        for destination in set(range(topology.nodes)) - {source}:
            for drawn in range(routing.draws):
                for hop in routing.hops(source, destination, drawn)[:-1]:
                    found[hop.router * ports + hop.port, source, destination] += 1
    return found / routing.draws


def carried(found, destinations):
    return found[:, np.arange(found.shape[1]), destinations].sum(axis=1)


WORDS = (
    "mesh:x=3,y=2",
    "ring:n=5",
    "ring:n=6,routing=updown",
    "hypercube:n=2",
    "mesh:x=5,y=1",
    "mesh:x=3,y=2,routing=o1turn",
    "mesh:x=3,y=2,routing=valiant",
    "ccc:n=3,routing=valiant",
    "mesh:x=3,y=2,routing=romm",
    "hypercube:n=3,routing=romm",
)


@pytest.mark.parametrize("word", WORDS)
def test_no_permutation_loads_a_link_more(word):
    routing = Network.from_word(word).routing
    found = crossings(routing)
    every = [carried(found, to).max() for to in permutations(range(routing.topology.nodes))]
    assert worst_case(routing).load == pytest.approx(max(every))
    assert len(set(every)) > 1


@pytest.mark.parametrize("seed", range(8))
def test_paths_that_cross_a_link_twice_count_twice(seed):
    """Of random ways; the assignment is SciPy's, of a dense matrix for each link."""
    links = RandomLinks(size=7, more=3, links_seed=seed)
    routing = Network(links, routing=RandomRouting.drawn(seed, 2)).routing
    found = crossings(routing)
    most = [matrix[linear_sum_assignment(matrix, maximize=True)].sum() for matrix in found]
    assert worst_case(routing).load == max(most)
    if seed == 0:
        assert found.max() > 1  # or the weights are not tested


@pytest.mark.parametrize(
    ("word", "load"),
    [
        # A row's last link: its sources are the other k - 1 of the row, for k nodes of a column.
        *(("mesh:x=4,y=4", 3), ("mesh:x=8,y=8", 7)),
        # Link of dimension i: from 2^i sources to 2^(n-1-i) destinations, all pairs of them.
        *(("hypercube:n=4", 2), ("hypercube:n=5", 4), ("hypercube:n=6", 4)),
        # Half of a ring of 7 without a tie: the three behind a link to the three before it.
        ("ring:n=7", 3),
    ],
)
def test_figures_by_hand(word, load):
    assert worst_case(Network.from_word(word).routing).load == load


NETWORKS = ("mesh:x=4,y=3", "torus:x=4,y=4", "ccc:n=3", "moebius:n=4,routing=spr",
            "mesh:x=2,y=2,nodes_per_router=3", "mesh:x=3,y=2,classes=2,pipeline=2")  # fmt: skip


@pytest.mark.parametrize("word", NETWORKS)
def test_the_permutation_is_one_and_loads_its_link_so(word):
    network = Network.from_word(word)
    worst, topology = worst_case(network.routing), network.topology
    nodes = np.arange(topology.nodes)
    assert sorted(worst.destinations.tolist()) == nodes.tolist()
    assert topology.may_send(nodes, worst.destinations).all()
    rates = np.zeros((topology.nodes, topology.nodes))
    rates[nodes, worst.destinations] = 1
    loads = network.channel_loads(rates)
    assert loads[worst.link] == worst.load == loads.max()


def test_crossings_are_bounded_by_their_sources_and_destinations():
    routing = Network.from_word("mesh:x=3,y=1").routing
    (link,) = [
        one for one in all_crossings(routing) if one.link == routing.topology.ports.index("R")
    ]
    assert link.pairs.tolist() == [[0, 1], [0, 2]]
    assert (link.times.tolist(), link.bound) == ([1, 1], 1)
