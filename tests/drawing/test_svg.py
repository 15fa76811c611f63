"""Whole drawings of networks."""

import pytest
from helpers.pictures import SVG, parsed, texts
from helpers.ring import Ring, RingRouting
from knotwork import (
    CubeConnectedCycles,
    FatTree,
    Hypercube,
    Moebius,
    Network,
    WkRecursive,
)
from knotwork.drawing.svg import draw_network
from knotwork.errors import ConfigurationError


@pytest.mark.parametrize(
    "topology",
    [
        *(Hypercube(n=1), Hypercube(n=4), Moebius(n=3, twist=1), Moebius(n=5), Ring(nodes=7)),
        *(CubeConnectedCycles(n=n) for n in (4, 6, 7)),
        *(WkRecursive(w=w, levels=levels) for w, levels in ((2, 3), (3, 3), (4, 3))),
    ],
    ids=lambda topology: topology.instance_name,
)
def test_every_node_and_link_is_drawn_once(topology):
    routing = RingRouting if topology.name == "loop" else None
    root = parsed(Network(topology, routing=routing))
    paths = list(root.iter(f"{SVG}path"))
    links = {frozenset((a, int(b))) for a in range(topology.nodes) for b in topology.neighbours[a]}
    links = {link for link in links if -1 not in link}
    names = [path.find(f"{SVG}title").text.partition(":")[0] for path in paths]
    labels = [topology.label(node) for node in range(topology.nodes)]
    assert {frozenset(name.split(" - ")) for name in names} == {
        frozenset(labels[node] for node in link) for link in links
    }
    assert len(names) == len(links)
    assert all(texts(root).count(label) == 1 for label in labels)


def test_everything_is_inside_the_picture():
    network = Network(Moebius(n=5, twist=1))
    root = parsed(network, route=(0, 31))
    _, _, width, height = map(float, root.get("viewBox").split())
    for box in root.iter(f"{SVG}rect"):
        if box.get("x") is None:
            continue
        x, y, w, h = (float(box.get(key)) for key in ("x", "y", "width", "height"))
        assert 0 <= x <= x + w <= width
        assert 0 <= y <= y + h <= height


def test_the_title_tells_network_and_parameters():
    root = parsed(Network(Moebius(n=3, twist=1)))
    assert root.find(f"{SVG}title").text == "moebius n=3 twist=1"
    assert texts(root)[:2] == ["moebius n=3 twist=1", "8 nodes, 12 links, routing=dfr"]


def test_drawing_twice_gives_the_same_bytes():
    network = Network(Moebius(n=4))
    assert draw_network(network, route=(1, 9)) == draw_network(network, route=(1, 9))


def test_too_many_routers_are_refused():
    with pytest.raises(ConfigurationError) as refusal:
        draw_network(Network(Hypercube(n=11)))
    assert str(refusal.value) == (
        "hypercube_n11: routers must be at most 1024 to be drawn, not 2048"
    )
    with pytest.raises(ConfigurationError) as refusal:
        draw_network(Network(FatTree(r=(16, 16, 4), u=(1, 1, 1))))
    assert str(refusal.value) == (
        "fattree_r16_16_4_u1_1_1: routers and nodes must be at most 1024 to be drawn, not 1093"
    )
