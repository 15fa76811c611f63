from collections import Counter
from xml.etree import ElementTree as ET

import pytest
from helpers.ring import Ring
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Hypercube, Network, WkRecursive
from knotwork.drawing.highlights import DESTINATION, SOURCE, links_of, ways_of_broadcast
from knotwork.drawing.svg import draw_network
from knotwork.errors import ConfigurationError

SVG = "{http://www.w3.org/2000/svg}"


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
    ways = ways_of_broadcast(Network(topology, broadcast=rule, routing=routing), source)
    unicast = Network(topology).routing
    arrows = {arrow.after: arrow for arrow in ways.arrows}
    assert len(arrows) == len(ways.arrows) == topology.nodes - 1
    label = topology.label
    for node, arrow in arrows.items():
        path = unicast.path(source, node)
        assert (arrow.router, arrow.badge) == (path[-2], f"{len(path) - 1}")
        assert topology.neighbours[arrow.router, arrow.port] == node
        assert arrow.says == f"step {len(path) - 1}: {label(path[-2])} to {label(node)}"
    steps = [int(arrow.badge) for arrow in ways.arrows]
    assert steps == sorted(steps)
    counted = f"{max(steps)} step{'s' * (max(steps) > 1)}"
    nodes = f"{len(arrows)} node{'s' * (len(arrows) > 1)}"
    assert ways.title == f"broadcast from {label(source)} to {nodes}: {counted}"
    assert Counter(ways.parts.values()) == {SOURCE: 1, DESTINATION: len(arrows)}
    assert ways.parts[source] == SOURCE


def test_the_tree_of_a_broadcast_is_drawn_over_its_links():
    network = Network(WkRecursive(w=4, levels=2))
    root = ET.fromstring(draw_network(network, broadcast=1))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert "broadcast from 01 to 15 nodes: 3 steps, routing=unicast" in texts
    assert texts[-3:] == ["source", "destination", "step"]
    assert [texts.count(f"{step}") for step in (1, 2, 3, 4)] == [4, 5, 6, 0]
    assert len([path for path in root.iter(f"{SVG}path") if path.get("class") == "route"]) == 15
    faint = [path for path in root.iter(f"{SVG}path") if path.get("opacity")]
    assert len(faint) == len(links_of(network.topology)) - 15


@pytest.mark.parametrize(
    ("network", "complaint"),
    [
        (
            Network(WkRecursive(w=3, levels=2), broadcast="no"),
            "wk_w3_levels2: broadcast must be a rule for routers to branch by, not no",
        ),
        (Network(Hypercube(n=3)), "broadcast: a network must be one of wk, tcpg, not hypercube"),
    ],
    ids=["no", "never"],
)
def test_a_broadcast_needs_routers_that_branch(network, complaint):
    with pytest.raises(ConfigurationError) as refused:
        draw_network(network, broadcast=0)
    assert str(refused.value).startswith(complaint)


def test_links_are_listed_from_their_lower_router():
    links = links_of(Ring(nodes=5))
    assert [link.ends for link in links] == [(0, 1), (0, 4), (1, 2), (2, 3), (3, 4)]
    assert [link.ports for link in links] == [(1, 2), (2, 1), (1, 2), (1, 2), (1, 2)]
    assert {link.port for link in links} == {1}
