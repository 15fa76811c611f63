"""Trees of collectives span their groups along the links, as shallow as these allow."""

import re

import networkx as nx
import numpy as np
import pytest
from helpers.long_links import graph_of
from helpers.operations import Average, SaturatingAdd, operation_of
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork.gateware.collectives.tree import CollectiveGroup
from knotwork.routing.collectives import (
    MessageFormat,
    Operation,
    collective_tree,
    merged,
    merging_of,
)
from knotwork_sim.model.collectives import CollectiveModel

NETWORKS = (
    "mesh:x=4,y=3",
    "torus:x=5,y=4",
    "mesh:x=3,y=3,dead=1-4",
    "mesh:x=2,y=3,nodes_per_router=2",
    "hypercube:n=4",
    "moebius:n=4",
    "ccc:n=3",
    "wk:w=4,levels=2",
    "tcpg:k=1,m=1",
    "lcan:d=2,u=2,levels=3",
    "fattree:r=4,4,u=2,2",
    "cm5:levels=2",
    "ring:n=5,directions=one",
)


def _graph(topology):
    routers, ports = np.nonzero(topology.neighbours >= 0)
    ends = topology.neighbours[routers, ports].tolist()
    graph = nx.Graph(zip(routers.tolist(), ends, strict=True))
    graph.add_nodes_from(range(topology.routers))
    return graph


def _some_groups(topology):
    yield tuple(range(topology.nodes))
    rng = np.random.default_rng(topology.nodes)
    for size in (1, 2, max(3, topology.nodes // 3)):
        yield tuple(rng.choice(topology.nodes, min(size, topology.nodes), replace=False).tolist())


@pytest.mark.parametrize("word", NETWORKS)
def test_a_tree_spans_its_group_along_links_and_is_as_shallow_as_they_allow(word):
    topology = Network.from_word(word).topology
    graph = _graph(topology)
    hops = dict(nx.all_pairs_shortest_path_length(graph))
    for group in _some_groups(topology):
        tree = collective_tree(topology, group)
        served = {topology.router_of(node) for node in group}
        children = [branch.child for router in tree.routers for branch in router.branches]
        edges = [
            (router.router, tree.routers[branch.child].router)
            for router in tree.routers
            for branch in router.branches
            if branch.child is not None
        ]
        assert all(graph.has_edge(*edge) for edge in edges)
        assert sorted(c for c in children if c is not None) == list(range(1, len(tree.routers)))
        assert sorted(tree.order) == sorted(group)
        assert tree.depth == min(max(hops[router][one] for one in served) for router in hops)
        for router in tree.routers:
            assert router.hops == hops[tree.centre][router.router]
            assert router.branches  # none is there for nothing


@pytest.mark.parametrize("word", NETWORKS)
def test_members_below_a_branch_are_consecutive_in_the_trees_order(word):
    tree = collective_tree(topology := Network.from_word(word).topology, range(topology.nodes))
    text = ",".join(map(str, tree.order)) + ","
    for router in tree.routers:
        for branch in router.branches:
            assert ",".join(map(str, branch.members)) + "," in text
            if branch.child is not None:
                below = [m for b in tree.routers[branch.child].branches for m in b.members]
                assert branch.members == tuple(below)


def test_links_take_the_cycles_of_the_network():
    """Along a line of five routers whose links take 1, 2, 3 and 4 cycles, one way."""
    line = [(0, 1, 1), (1, 2, 2), (2, 3, 3), (3, 4, 4), (4, 0, 9)]
    tree = collective_tree(graph_of(line, directed=True), [1, 2, 3])
    assert tree.centre == 2
    branches = [b for router in tree.routers for b in router.branches if b.child is not None]
    assert [(b.members, b.up, b.down) for b in branches] == [((1,), 2, 2), ((3,), 3, 3)]
    assert tree.cycles == 6


@pytest.mark.parametrize(
    "word", ["mesh:x=8,y=8", "hypercube:n=6", "wk:w=4,levels=3", "torus:x=5,y=5"]
)
def test_ready_passes_two_routers_of_the_way_down_at_most(word):
    """The lower one has two branches at most, and the upper one waits for no other router."""
    topology = Network.from_word(word).topology
    tree = collective_tree(topology, range(topology.nodes))
    passing = [
        [
            branch.child
            for branch in router.branches
            if branch.child and not tree.has_skid_down(branch)
        ]
        for router in tree.routers
    ]
    assert any(passing)
    for below in passing:
        assert len(below) <= 1
        for child in below:
            assert len(tree.routers[child].branches) <= 2
            assert not passing[child]


@pytest.mark.parametrize(
    "cycles", [[0, 3], [0, 0, 0], [0, 1, 1, 1, 1], [0, 0, 1, 2, 3], [0, 2, 2, 3, 5]]
)
def test_branches_are_combined_two_at_a_time_as_soon_as_their_order_allows(cycles):
    """Compared with all ways to put brackets around them."""

    def every(first, last):
        if first == last:
            yield cycles[first], first
        for at in range(first, last):
            for one, left in every(first, at):
                for other, right in every(at + 1, last):
                    yield max(one, other) + 1, (left, right)

    merging, when = merging_of(cycles)
    ways = {way: cycles_of_way for cycles_of_way, way in every(0, len(cycles) - 1)}
    assert ways[merging] == when == min(ways.values())


MESH = Network.from_word("mesh:x=2,y=2").topology


@pytest.mark.parametrize(
    ("members", "line"),
    [
        ([], "collectives: a group must have a member, not none"),
        ([0, 4], "collectives: a group's members must be nodes of 0..3, not 4"),
        ([-1, 2], "collectives: a group's members must be nodes of 0..3, not -1"),
        ([0, 2, 2], "collectives: a group must name each member once, not 2 twice"),
    ],
)
def test_a_group_without_sense_is_refused(members, line):
    with pytest.raises(ConfigurationError, match=f"^{re.escape(line)}$"):
        collective_tree(MESH, members)


def test_messages_for_another_network_are_refused():
    tree, form = collective_tree(MESH, range(4)), MessageFormat(5, 32, (Operation("sum", 32),))
    line = "collectives: messages must be for the 4 nodes of mesh, not for 5"
    for use in (CollectiveGroup, CollectiveModel):
        with pytest.raises(ConfigurationError, match=f"^{line}$"):
            use(tree, form)


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (
            lambda: Operation("sums", 32),
            "collectives: an operation must be one of sum, min, max, and, or, xor, not 'sums'",
        ),
        (lambda: Operation("sum", 0), "collectives: sum: an element must have at least 1 bit"),
        (
            lambda: MessageFormat(4, 32, ()),
            "collectives: there must be an operation, not none",
        ),
    ],
)
def test_operations_without_sense_are_refused(make, line):
    with pytest.raises(ConfigurationError, match=f"^{re.escape(line)}"):
        make()


def test_elements_are_combined_as_branches_are():
    combine = "({}{})".format
    for merging, order in (
        (0, "a"),
        ((0, 1), "(ab)"),
        (((0, 1), 2), "((ab)c)"),
        ((0, (1, (2, 3))), "(a(b(cd)))"),
        (((0, 1), (2, 3)), "((ab)(cd))"),
    ):
        assert merged(merging, combine, "abcd") == order


@pytest.mark.parametrize(
    ("word", "order"),
    [
        # Node 3 is below node 1, which offers after a merge, so later than node 2.
        ("mesh:x=2,y=2", "((ac)(bd))"),
        # A row whose centre is node 1: its own element with that of 0, then those of 2 and 3.
        ("mesh:x=4,y=1", "((ba)(cd))"),
        # Node 1 is the centre: with node 4, below which is none, then with what two merges give.
        ("mesh:x=3,y=2", "((be)((ad)(cf)))"),
        # Those of the centre, and of the other router, before the link between them.
        ("mesh:x=2,y=1,nodes_per_router=3", "((a(bc))(d(ef)))"),
    ],
)
def test_a_tree_combines_what_is_there_first(word, order):
    topology = Network.from_word(word).topology
    tree = collective_tree(topology, range(topology.nodes))
    assert tree.combined("({}{})".format, dict(enumerate("abcdef"))) == order


def test_a_merge_takes_the_cycles_of_its_slowest_operation():
    fast, slow = operation_of(Average, 8), operation_of(SaturatingAdd, 16)
    form = MessageFormat(4, 32, (fast, slow, Operation("sum", 32)))
    assert form.merge_cycles == 2
    assert MessageFormat(4, 32, (fast,)).merge_cycles == 0
    assert not form.passes_by_zeros


@pytest.mark.parametrize("word", NETWORKS)
@pytest.mark.parametrize("latency", [0, 3])
def test_an_answer_takes_the_cycles_of_the_merges_on_the_slowest_members_way(word, latency):
    """Links and merges from each member to the centre, where it waits for none at a merge."""
    topology = Network.from_word(word).topology
    tree = collective_tree(topology, range(topology.nodes))
    slow = type("Slow", (SaturatingAdd,), {"latency": latency})
    form = MessageFormat(topology.nodes, 32, (operation_of(slow, 32),))

    def merges_above(merging, place):
        if isinstance(merging, int):
            return 0 if merging == place else None
        found = [above for part in merging if (above := merges_above(part, place)) is not None]
        return found[0] + 1 if found else None

    def slowest(index, since):
        """Cycles from a router's offer until the centre's, and so from those below it."""
        for place, branch in enumerate(tree.routers[index].branches):
            merges = merges_above(tree.routers[index].merging, place)
            # A link's last cycle is that of the first merge's register.
            joined = since + merges * (1 + latency)
            if branch.child is None:
                yield joined
            else:
                yield from slowest(branch.child, joined + branch.up - (merges > 0))

    def deepest(index):
        below = tree.routers[index].branches
        return max([0, *(b.down + deepest(b.child) for b in below if b.child is not None)])

    expected = max(slowest(0, 0)) + deepest(0)
    assert tree.message_cycles(form) == expected
    assert tree.answer_cycles(5, form) == expected + 3 + 5
    if not latency:
        assert tree.answer_cycles(5) == tree.answer_cycles(5, form)


def test_what_does_not_fit_a_beat_is_refused():
    with pytest.raises(ConfigurationError, match=r"a beat must have at least 9 bits, .* not 8"):
        MessageFormat(64, 8, (Operation("sum", 8),))
    with pytest.raises(ConfigurationError, match=r"sum: the bits of an element must divide .* 40"):
        MessageFormat(64, 40, (Operation("sum", 32),))
