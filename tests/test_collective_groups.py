"""Groups of a network: their names, members and trees; what is refused."""

import json
import pickle

import pytest
from knotwork import Mesh, Network
from knotwork.collective_groups import TreeCheck, check_tree
from knotwork.errors import ConfigurationError
from knotwork.routing.collectives import Operation

SMALL_NETWORKS = (
    "mesh:x=3,y=2",
    "torus:x=3,y=3,router=deflection",
    "ccc:n=3,routing=lc2",
    "moebius:n=3",
    "hypercube:n=4,multicast=yes",
    "wk:w=3,levels=2",
    "tcpg:k=1,m=1",
    "lcan:d=2,u=2,levels=3",
    "fattree:r=4,4,u=2,2",
    "mesh:x=3,y=3,dead=1-4",
    "mesh:x=2,y=2,nodes_per_router=2,pipeline=1",
    "mesh:x=2,y=2,classes=2",
)


@pytest.mark.parametrize("word", SMALL_NETWORKS)
def test_every_network_can_have_them(word):
    network = Network.from_word(word)
    assert network.collective_groups == ()
    (group,) = network.changed(collectives=True).collective_groups
    assert group.name == "collective"
    assert group.tree.members == tuple(range(network.topology.nodes))
    assert group.form.nodes == network.topology.nodes


def test_groups_are_numbered_in_their_order_and_members_rise():
    network = Network(Mesh(x=4, y=4), collectives=True, groups="all/9-11,0/@3.3,@0.0-@2.0")
    groups = network.collective_groups
    assert [group.name for group in groups] == ["collective0", "collective1", "collective2"]
    assert groups[0].tree.members == tuple(range(16))
    assert groups[1].tree.members == (0, 9, 10, 11)
    assert groups[2].tree.members == (*range(9), 15)


def test_operations_have_the_width_of_the_key():
    network = Network(
        Mesh(x=2, y=2), collectives=True, operations="xor,signed_max,max", element_width=16
    )
    (group,) = network.collective_groups
    assert group.form.operations == (
        Operation("xor", 16),
        Operation("max", 16, signed=True),
        Operation("max", 16),
    )


def test_they_survive_pickling_and_a_change_of_other_keys():
    network = Network(Mesh(x=2, y=2), collectives=True, groups=[[0, 1], "2-3"])
    for same in (pickle.loads(pickle.dumps(network)), network.changed(buffer_depth=4)):
        assert [group.tree.members for group in same.collective_groups] == [(0, 1), (2, 3)]


@pytest.mark.parametrize(
    ("words", "line"),
    {
        "groups=0-3/16": "mesh: groups: a node must be an index in 0..15 or @label, not '16'",
        "groups=99999999999999999999": "mesh: groups: a node must be an index in 0..15 or @label, "
        "not '99999999999999999999'",
        "groups=@9.9": "mesh: groups: a label must be one of @0.0..@3.3, not '@9.9'",
        "groups=all/2,0-3": "mesh: groups must name a node once in a group, not 2 twice in 2,0-3",
        "groups=3-0": "mesh: groups: a range must rise from its first node to its last, not be 3-0",
        "collective_width=8 operations=sum,min,or": "mesh: collective_width must be at least 9, "
        "the bits of a header, not 8",
    }.items(),
)
def test_what_does_not_fit_the_nodes_is_refused_in_one_line(words, line):
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_words(["mesh", "x=4", "y=4", "collectives=yes", *words.split()])
    assert str(refusal.value) == line


def test_the_watchdog_is_that_of_all_groups():
    network = Network(Mesh(x=2, y=2), collectives=True, groups="all/0-1", collective_watchdog=50)
    assert [group.watchdog for group in network.collective_groups] == [50, 50]
    plain = network.changed(collective_watchdog=0)
    assert [group.watchdog for group in plain.collective_groups] == [0, 0]


@pytest.mark.parametrize("word", SMALL_NETWORKS)
def test_the_check_finds_what_is_laid_sound(word):
    (group,) = Network.from_word(f"{word},collectives=yes").collective_groups
    found = check_tree(group.tree)
    assert found == TreeCheck(len(group.tree.routers) - 1, True, True, True)
    assert found.holds


def test_a_node_is_not_named_as_ports_of_groups_are(tmp_path):
    file = tmp_path / "named.json"
    nodes = [{"id": 0, "label": "cpu"}, {"id": 1, "label": "collective_cpu"}]
    graph = {"nodes": nodes, "links": [{"source": 0, "target": 1}]}
    file.write_text(json.dumps({"directed": False, "multigraph": False, "graph": {}, **graph}))
    words = ["graph", f"file={file}", "ports=names"]
    assert Network.from_words(words).port_names == ("cpu", "collective_cpu")
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_words([*words, "collectives=yes"])
    assert str(refusal.value) == (
        "graph: with ports=names and collectives=yes a node's label must not begin with "
        "collective_, as ports of groups do, not 'collective_cpu' of node 1"
    )
    assert Network.from_words([*words, "collectives=yes", "groups=all/0"]).collective_groups


class Broken:
    """A tree with other routers than it was laid with."""

    def __init__(self, tree, routers):
        self.topology, self.members, self.routers = tree.topology, tree.members, routers


def _with_child(tree, router, branch, child):
    """The same tree, a branch of a router leading elsewhere."""
    routers = [*tree.routers]
    branches = [*routers[router].branches]
    branches[branch] = branches[branch]._replace(child=child)
    routers[router] = routers[router]._replace(branches=tuple(branches))
    return Broken(tree, tuple(routers))


def test_the_check_finds_a_ring_and_a_way_without_link_and_a_member_that_is_left_out():
    (group,) = Network.from_word("mesh:x=3,y=3,collectives=yes").collective_groups
    tree = group.tree
    below = next(i for i, one in enumerate(tree.routers[1:], 1) if one.branches[-1].child)
    ring = check_tree(_with_child(tree, below, -1, below))
    assert (ring.acyclic, ring.along_links) == (False, False)
    corner = next(i for i, one in enumerate(tree.routers) if one.router in (0, 2, 6, 8))
    place = next(i for i, one in enumerate(tree.routers[0].branches) if one.child is not None)
    assert not check_tree(_with_child(tree, 0, place, corner)).along_links
    silent = tree.routers[1]._replace(branches=tree.routers[1].branches[1:])
    left_out = check_tree(Broken(tree, (tree.routers[0], silent, *tree.routers[2:])))
    assert not left_out.complete
