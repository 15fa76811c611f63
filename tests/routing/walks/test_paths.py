"""Paths that share no router, by a search of their own, and routing trees."""

from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest
import rustworkx as rx
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Hypercube, Moebius, Network, Petersen, Tcpg, Torus
from knotwork.routing.walks.paths import disjoint_paths, routing_tree
from knotwork.topology import LOCAL


def checked(neighbours, source, target):
    """Paths that follow links, from end to end, without a common router."""
    paths = disjoint_paths(neighbours, source, target)
    for path in paths:
        assert (path[0], path[-1]) == (source, target)
        assert all(b in neighbours[a] for a, b in pairwise(path))
    inner = [router for path in paths for router in path[1:-1]]
    assert len(inner) == len(set(inner))
    assert source not in inner
    assert target not in inner
    assert len({tuple(path) for path in paths}) == len(paths)
    return [len(path) - 1 for path in paths]


def test_petersen_graph():
    # Liu and Han, section 2.1: 1, 4, 4 between neighbours, else 2, 3, 3.
    topology = Petersen()
    for source, target in combinations(range(10), 2):
        near = target in topology.neighbours[source]
        hops = checked(topology.neighbours, source, target)
        assert hops == ([1, 4, 4] if near else [2, 3, 3])


@pytest.mark.parametrize("target", [1, 3, 7, 15])
def test_hypercube(target):
    # d paths of length d, and n - d of length d + 2.
    d = target.bit_count()
    hops = checked(Hypercube(n=4).neighbours, 0, target)
    assert hops == [d] * d + [d + 2] * (4 - d)


@pytest.mark.parametrize(
    ("topology", "count"),
    [
        (Tcpg(k=2, m=2), 7),  # the global minimum cuts are the degrees
        (Tcpg(k=1, m=1), 5),
        (Moebius(n=4, twist=1), 4),
        (Torus(x=4, y=4, directions="one"), 2),
    ],
    ids=str,
)
def test_as_many_as_links_of_a_router(topology, count):
    for target in range(1, topology.nodes, 7):
        assert len(checked(topology.neighbours, 0, target)) == count


@settings(max_examples=40, deadline=None)
@given(st.integers(4, 8), st.integers(0, 2**28 - 1))
def test_as_many_as_routers_that_part_the_ends(size, bits):
    """Menger's theorem, on graphs small enough to try every set of routers."""
    pairs = list(combinations(range(size), 2))
    links = [pair for place, pair in enumerate(pairs) if bits >> place & 1 and pair != (0, 1)]
    neighbours = np.full((size, size), -1)
    for a, b in links:
        neighbours[a, b], neighbours[b, a] = b, a
    hops = checked(neighbours, 0, 1)
    others = range(2, size)
    for count in range(size - 1):
        for removed in combinations(others, count):
            graph = rx.PyGraph()
            graph.add_nodes_from(range(size))
            kept = [(a, b) for a, b in links if not {a, b} & set(removed)]
            graph.add_edges_from_no_data(kept)
            if not rx.has_path(graph, 0, 1):
                assert len(hops) == count
                return
    raise AssertionError("ends without a link are parted by all others")


WORDS = (
    *("moebius:n=5,routing=spr", "moebius:n=5,routing=approx_spr", "ccc:n=5", "wk:w=3,levels=2"),
    *("tcpg:k=1,m=2", "torus:x=4,y=3", "lcan:d=2,u=2,levels=3", "cm5:levels=2"),
    *("torus:x=3,y=3,router=deflection", "fattree:r=4,u=2", "hypercube:n=1"),
)


@pytest.mark.parametrize("word", WORDS)
def test_the_way_down_to_each_node_is_its_path(word):
    routing = Network.from_word(word).routing
    nodes = routing.topology.nodes
    for source in {0, nodes // 3, nodes - 1}:
        tree, reached = routing_tree(routing, source), []
        for visit in tree:
            for node in visit.nodes:
                reached.append(node)
                way, ports, here = [visit.router], [], visit
                while here.before >= 0:
                    ports.insert(0, here.port)
                    here = tree[here.before]
                    way.insert(0, here.router)
                assert here.port == LOCAL
                hops = routing.hops(source, node)
                assert way == [hop.router for hop in hops]
                assert ports == [hop.port for hop in hops[:-1]]
                assert visit.depth == len(hops) - 1
        assert sorted(reached) == [node for node in range(nodes) if node != source]
        assert all(visit.before < place for place, visit in enumerate(tree))
        ways = [(visit.before, visit.port) for visit in tree]
        assert len(set(ways)) == len(ways)


@pytest.mark.parametrize("topology", [Moebius(n=4, twist=1), Hypercube(n=4)])
def test_dfr_and_ecube_have_binomial_trees(topology):
    """Theorem 7 of the thesis, figure 3.5: through dimension i there are 2^i nodes."""
    n, routing = topology.n, Network(topology).routing
    for source in range(topology.nodes):
        tree = routing_tree(routing, source)
        depths = [visit.depth for visit in tree]
        assert [depths.count(k) for k in range(n + 1)] == [comb(n, k) for k in range(n + 1)]
        size = [1] * len(tree)
        for place in range(len(tree) - 1, 0, -1):
            size[tree[place].before] += size[place]
        assert all(
            size[place] == 2 ** (visit.port - 1) for place, visit in enumerate(tree) if visit.port
        )


def test_a_router_that_packets_pass_by_a_second_way_is_there_twice():
    # ccc n=5, source 3: node 0 lies on another node's path, but is not reached by that way.
    routing = Network.from_word("ccc:n=5").routing
    tree = routing_tree(routing, 3)
    passed = [visit for visit in tree[1:] if not visit.nodes]
    assert [visit.router for visit in passed] == [0]
    assert len(tree) == 33
    through = [routing.path(3, node) for node in range(32)]
    ways = {tuple(path[: path.index(0) + 1]) for path in through if 0 in path}
    assert len(ways) == 2
