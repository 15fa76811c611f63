"""What a drawing highlights."""

from collections import Counter
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from helpers.pictures import SVG, arrows, badges_of, fills, parsed, texts
from helpers.ring import Ring, RingRouting
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Hypercube, Moebius, Network, WkRecursive
from knotwork.drawing.boxes import links_of
from knotwork.drawing.highlights import (
    CENTRE,
    DESTINATION,
    PASSED,
    SOURCE,
    highlight_broadcast,
    highlight_collectives,
    highlight_messages,
)
from knotwork.drawing.svg import draw_network
from knotwork.errors import ConfigurationError


@given(
    st.sampled_from([(2, 1), (2, 4), (3, 2), (3, 3), (4, 2), (5, 1)]),
    st.sampled_from(["label", "address", "mask"]),
    st.sampled_from(["unicast", "shortest"]),
    st.data(),
)
def test_an_arrow_to_every_other_node_leaves_where_its_self_routed_packet_came_from(
    size, rule, routing, data
):
    topology = WkRecursive(w=size[0], levels=size[1])
    source = data.draw(st.integers(0, topology.nodes - 1))
    shown = highlight_broadcast(Network(topology, broadcast=rule, routing=routing), source)
    unicast = Network(topology).routing
    arrows = {arrow.after: arrow for arrow in shown.arrows}
    assert len(arrows) == len(shown.arrows) == topology.nodes - 1
    label = topology.label
    for node, arrow in arrows.items():
        path = unicast.path(source, node)
        step, _, carried = arrow.badge.partition("·")
        assert (arrow.router, step) == (path[-2], f"{len(path) - 1}")
        assert bool(carried) == (rule == "label")
        assert topology.neighbours[arrow.router, arrow.port] == node
        assert arrow.tooltip == f"step {len(path) - 1}: {label(path[-2])} to {label(node)}"
    steps = [int(arrow.badge.partition("·")[0]) for arrow in shown.arrows]
    assert steps == sorted(steps)
    counted = f"{max(steps)} step{'s' * (max(steps) > 1)}"
    nodes = f"{len(arrows)} node{'s' * (len(arrows) > 1)}"
    assert shown.title == f"broadcast from {label(source)} to {nodes}: {counted}"
    assert Counter(shown.parts.values()) == {SOURCE: 1, DESTINATION: len(arrows)}
    assert shown.parts[source] == SOURCE


def test_paths_of_messages_are_drawn_with_their_numbers():
    # Figure 3.1 of the thesis: each of eight paths of two hops begins where the one before has its
    # second hop, so every channel is held by one message and wanted by another.
    pairs = [(0, 7), (4, 3), (7, 1), (3, 5), (1, 6), (5, 2), (6, 0), (2, 4)]
    network = Network(Moebius(n=3), routing="set_spr")
    shown = highlight_messages(network, pairs)
    assert shown.title == "paths of 8 messages"
    found = {(arrow.router, arrow.after): arrow.badge for arrow in shown.arrows}
    ring = [0, 4, 7, 3, 1, 5, 6, 2, 0]
    wanted = ["1,8", "1,2", "2,3", "3,4", "4,5", "5,6", "6,7", "7,8"]
    assert found == dict(zip(pairwise(ring), wanted, strict=True))
    assert set(shown.parts.values()) == {SOURCE}
    shown = highlight_messages(network, [(0, 3), (0, 1)])
    assert shown.parts == {0: SOURCE, 2: PASSED, 3: DESTINATION, 1: DESTINATION}
    assert shown.legend == (SOURCE, DESTINATION, PASSED)
    assert "paths of 8 messages, routing=set_spr" in texts(parsed(network, messages=pairs))


def test_routes_and_trees_of_broadcasts_are_drawn_over_their_links():
    network = Network(WkRecursive(w=4, levels=2))
    root = ET.fromstring(draw_network(network, broadcast=1))
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert "broadcast from 01 to 15 nodes: 3 steps, routing=unicast" in words
    assert words[-3:] == ["source", "destination", "step·label"]
    # From 01: to its cluster with (0,1), to others with (1,0), the digit of the cluster left.
    labels = ["1·(0,1)", "1·(1,0)", "2·(1,0)", "3·(1,0)", "4·(1,0)"]
    assert [words.count(label) for label in labels] == [3, 1, 5, 6, 0]
    assert len([path for path in root.iter(f"{SVG}path") if path.get("class") == "route"]) == 15
    faint = [path for path in root.iter(f"{SVG}path") if path.get("opacity")]
    assert len(faint) == len(links_of(network.topology)) - 15
    root = parsed(Network(Ring(nodes=9), routing=RingRouting), route=(7, 2))
    assert "route 0111 to 0010: 4 hops, routing=shortest" in texts(root)
    badges = [text for text in texts(root) if "·vc" in text]
    assert badges == ["1·vc0", "2·vc1", "3·vc1", "4·vc1"]  # the dateline is the link from 8 to 0
    assert len([path for path in root.iter(f"{SVG}path") if path.get("class") == "route"]) == 4
    assert len(list(root.iter(f"{SVG}polygon"))) == 4
    assert {"source", "destination"} <= set(texts(root))


@pytest.mark.parametrize(
    ("network", "complaint"),
    [
        (
            Network(WkRecursive(w=3, levels=2), broadcast="no"),
            "wk_w3_levels2_broadcastno: broadcast must be one of the broadcast rules, not no",
        ),
        (Network(Hypercube(n=3)), "broadcast: a network must be one of wk, tcpg, not hypercube"),
    ],
    ids=["no", "never"],
)
def test_a_broadcast_needs_routers_that_branch(network, complaint):
    with pytest.raises(ConfigurationError) as refused:
        draw_network(network, broadcast=0)
    assert str(refused.value).startswith(complaint)


def test_a_broadcast_to_several_nodes_of_each_router():
    network = Network.from_word("wk:w=3,levels=2,nodes_per_router=2")
    topology, shown = network.topology, highlight_broadcast(network, 5)
    assert shown.title == "broadcast from 02.1 to 17 nodes: 3 steps"
    assert {arrow.after for arrow in shown.arrows} == set(range(9)) - {2}
    for arrow in shown.arrows:
        assert topology.neighbours[arrow.router, arrow.port] == arrow.after
    nodes = {9 + node: DESTINATION for node in range(18)} | {9 + 5: SOURCE}
    assert shown.parts == dict.fromkeys(range(9), PASSED) | nodes


@pytest.mark.parametrize(
    "word",
    ["mesh:x=3,y=3", "lcan:d=2,u=2,levels=2", "torus:x=3,y=3,directions=one,router=deflection"],
)
def test_a_groups_tree_is_drawn_over_its_links(word):
    network = Network.from_word(f"{word},collectives=yes,groups=all/0-2")
    topology, tree = network.topology, network.collective_groups[1].tree
    shown = highlight_collectives(network, 1)
    assert shown.title == f"collective1: tree of 3 members, depth {tree.depth}"
    assert shown.parts[tree.centre] == CENTRE
    between = [arrow for arrow in shown.arrows if max(arrow.router, arrow.after) < topology.routers]
    assert len(between) == len(tree.routers) - 1
    for arrow in between:
        assert topology.neighbours[arrow.router, arrow.port] == arrow.after
    to_centre = {
        arrow.badge for arrow in shown.arrows if tree.centre in (arrow.router, arrow.after)
    }
    assert len(to_centre) >= 1
    for badge in to_centre:
        first, _, last = badge.partition("-")
        assert 0 <= int(first) <= int(last or first) <= 2
    assert f"{shown.title}, routing" in " ".join(texts(parsed(network, collectives=1)))


def test_multicasts_are_numbered_with_their_rounds():
    # Section 7 of the specification: 5 -> 15 | 5 -> 3, 15 -> 8 | 5 -> 0, 3 -> 2, 15 -> 14, 8 -> 11.
    root = parsed(Network(Moebius(n=4)), multicast=(5, (0, 2, 3, 8, 11, 14, 15)))
    assert "multicast from 0101 to 7 nodes: 3 rounds, routing=dfr" in texts(root)
    drawn = {says: len(paths) for says, paths in arrows(root).items()}
    # 0001 is passed on the way to 0011 and to 0000: one arrow, both rounds.
    shared = "round 2: 0101 to 0011; round 3: 0101 to 0000"
    assert drawn == {
        "round 1: 0101 to 1111": 3,
        shared: 1,
        "round 2: 0101 to 0011": 1,
        "round 2: 1111 to 1000": 1,
        "round 3: 0101 to 0000": 1,
        "round 3: 0011 to 0010": 1,
        "round 3: 1111 to 1110": 1,
        "round 3: 1000 to 1011": 2,
    }
    shown = sorted(text for text, _ in badges_of(root))
    assert shown == ["1", "1", "1", "2", "2", "2,3", "3", "3", "3", "3", "3"]
    parts = fills(root)
    assert len(set(parts.values())) == 3
    assert [node for node in parts if parts[node] == parts[15]] == [0, 2, 3, 8, 11, 14, 15]
    assert [node for node in parts if parts[node] == parts[1]] == [1, 10, 13]
    assert [node for node in parts if parts[node] == parts[5]] == [5]
    assert {"source", "destination", "passed", "round"} <= set(texts(root))
    root = parsed(Network(Hypercube(n=3)), multicast=(0, [4]))
    assert "multicast from 000 to 1 node: 1 round, routing=ecube" in texts(root)
    assert "passed" not in texts(root)
