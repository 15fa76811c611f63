"""Routing trees: every path is in them once, and dfr's are binomial."""

from math import comb

import pytest
from knotwork import Hypercube, Moebius, Network
from knotwork.routing.walks.routing_trees import routing_tree
from knotwork.topology import LOCAL

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
