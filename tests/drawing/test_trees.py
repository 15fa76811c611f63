"""Pictures of routing trees."""

from itertools import combinations

import numpy as np
import pytest
from helpers.pictures import SVG, parsed, texts
from knotwork import Moebius, Network
from knotwork.drawing.highlights import PASSED, SOURCE
from knotwork.drawing.trees import tree_of
from knotwork.errors import ConfigurationError
from knotwork.routing.walks.paths import routing_tree

WORDS = (
    *("moebius:n=4", "moebius:n=5,routing=approx_spr", "ccc:n=5", "wk:w=8,levels=2"),
    *("mesh:x=8,y=8", "tcpg:k=1,m=2", "lcan:d=4,u=2,levels=3", "fattree:r=4,u=2", "hypercube:n=1"),
)


@pytest.fixture(params=WORDS)
def network(request):
    return Network.from_word(request.param)


def test_boxes_stand_in_rows_below_their_parents_and_links_keep_off_them(network):
    tree = tree_of(network, 1, limit=1024)
    places, halves = tree.boxes.places, tree.boxes.halves
    parents = {child: parent for parent, child in (link.ends for link in tree.links)}
    assert sorted(parents) == list(range(1, len(places)))
    rows = sorted(set(places[:, 1]))
    for child, parent in parents.items():
        assert rows.index(places[child, 1]) == rows.index(places[parent, 1]) + 1
    for one, other in combinations(range(len(places)), 2):
        apart = np.abs(places[one] - places[other]) - halves[one] - halves[other]
        assert apart.max() > 4
    along = np.linspace(0, 1, 201)
    for link, curve in zip(tree.links, tree.curves, strict=True):
        others = np.delete(np.arange(len(places)), list(link.ends))
        apart = np.abs(curve.points(along)[:, None] - places[others]) - halves[others]
        assert apart.max(axis=2).min(initial=1.0) > 0


def test_each_link_is_the_one_that_packets_take(network):
    topology, tree = network.topology, tree_of(network, 0, limit=1024)
    visits = routing_tree(network.routing, 0)
    label = topology.router_label
    expected = sorted(
        (label(visits[visit.before].router), label(visit.router), topology.ports[visit.port])
        for visit in visits[1:]
    )
    names = tree.boxes.labels
    drawn = []
    for link in tree.links:
        if link.kind:
            above, below = link.ends
            router = list(map(label, range(topology.routers))).index(names[above])
            # The link has the names of both its ports; the packet leaves by one of them.
            ways = [
                port
                for port in link.ports
                if 0 <= topology.neighbours[router, port] < topology.routers
                and label(topology.neighbours[router, port]) == names[below]
            ]
            (port,) = {*ways} & {v.port for v in visits if label(v.router) == names[below]}
            drawn.append((names[above], names[below], topology.ports[port]))
    assert sorted(drawn) == expected


def test_boxes_of_nodes_hang_where_their_packets_leave():
    tree = tree_of(Network.from_word("lcan:d=2,u=2,levels=3"), 0, limit=1024)
    labels = tree.boxes.labels
    above = {labels[b]: labels[a] for a, b in (link.ends for link in tree.links)}
    assert labels[0] == "000"
    assert above["0_0"] == "000"  # the switch over the source
    assert {node: above[node] for node in ("001", "010", "011", "110", "111")} == {
        "001": "0_0",
        "010": "0_1",
        "011": "0_1",
        "110": "0_3",
        "111": "0_3",
    }
    nodes = {labels[number] for number in tree.boxes.nodes}
    assert nodes == {f"{node:03b}" for node in range(8)}
    assert set(labels) - nodes == {labels[number] for number in tree.boxes.routers}
    assert tree.shown.title == "routing tree from 000 to 7 nodes: at most 6 links"


def test_the_largest_branch_is_on_the_left_and_what_is_only_passed_is_marked():
    tree = tree_of(Network(Moebius(n=4)), 0, limit=1024)
    below = [link.ends[1] for link in tree.links if link.ends[0] == 0]
    from_left = sorted(below, key=lambda number: tree.boxes.places[number, 0])
    assert [tree.boxes.labels[number] for number in from_left] == ["1000", "0100", "0010", "0001"]
    tree = tree_of(Network.from_word("ccc:n=5"), 3, limit=1024)
    labels = tree.boxes.labels
    (passed,) = (number for number, part in tree.shown.parts.items() if part == PASSED)
    assert labels.count(labels[passed]) == 2
    assert tree.shown.parts[0] == SOURCE
    assert tree.shown.legend == (SOURCE, PASSED)
    assert "passed" in texts(parsed(Network.from_word("ccc:n=5"), tree=3))


def test_trees_are_drawn_with_title_and_legend_unless_they_are_too_large():
    root = parsed(Network(Moebius(n=4)), tree=0)
    words = texts(root)
    assert words[:2] == [
        "moebius n=4 twist=0",
        "routing tree from 0000 to 15 nodes: at most 4 hops, routing=dfr",
    ]
    assert all(words.count(f"{node:04b}") == 1 for node in range(16))
    assert words[-7:] == ["dim0", "dim1", "dim2", "dim3", "plain", "twisted", "source"]
    paths = list(root.iter(f"{SVG}path"))
    names = [path.find(f"{SVG}title").text for path in paths]
    # Figure 3.5: 0000, then 1000; dimension 2 is twisted there, 1111; then E_1 and e_0.
    assert {"0000 - 1000: dim3", "1000 - 1111: dim2 (twisted)", "1111 - 1100: dim1 (twisted)"} <= {
        *names
    }
    assert len(names) == 15
    assert not any(path.get("opacity") for path in paths)
    with pytest.raises(ConfigurationError) as refusal:
        tree_of(Network.from_word("ccc:n=5"), 3, limit=32)
    assert str(refusal.value) == "ccc_n5: boxes of a tree must be at most 32 to be drawn, not 33"
    tree_of(Network.from_word("ccc:n=5"), 3, limit=33)
