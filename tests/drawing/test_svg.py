import numpy as np
import pytest
from helpers.pictures import SVG, arrows, badges_of, fills, middle_of, parsed, texts
from helpers.ring import Ring, RingRouting
from knotwork import CubeConnectedCycles, FatTree, Hypercube, Moebius, Network, WkRecursive
from knotwork.drawing.svg import PALETTE, draw_network
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
    routing = RingRouting if topology.name == "ring" else None
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


def test_twisted_links_are_dashed_and_the_legend_says_so():
    root = parsed(Network(Moebius(n=4, twist=1)))
    for path in root.iter(f"{SVG}path"):
        name = path.find(f"{SVG}title").text
        ends, _, kind = name.partition(": ")
        x, dimension = int(ends.split(" - ")[0], 2), int(kind.split()[0].removeprefix("dim"))
        above = (x | 1 << 4) >> (dimension + 1) & 1
        twisted = dimension > 0 and above == 1
        assert (path.get("stroke-dasharray") is not None) == twisted
        assert name.endswith("(twisted)") == twisted
    assert {"plain", "twisted", "dim0", "dim3"} <= set(texts(root))
    assert "twisted" not in texts(parsed(Network(Hypercube(n=4))))


def test_a_dimension_has_one_colour_of_its_own():
    root = parsed(Network(Hypercube(n=5)))
    groups = [group for group in root.iter(f"{SVG}g") if group.find(f"{SVG}path") is not None]
    assert [group.get("stroke") for group in groups] == list(PALETTE[:5])
    for dimension, group in enumerate(groups):
        kinds = {path.find(f"{SVG}title").text.partition(": ")[2] for path in group}
        assert kinds == {f"dim{dimension}"}


def test_the_title_tells_network_and_parameters():
    root = parsed(Network(Moebius(n=3, twist=1)))
    assert root.find(f"{SVG}title").text == "moebius n=3 twist=1"
    assert texts(root)[:2] == ["moebius n=3 twist=1", "8 nodes, 12 links, routing=dfr"]


def test_a_route_is_numbered_with_its_virtual_channels():
    root = parsed(Network(Ring(nodes=9), routing=RingRouting), route=(7, 2))
    assert "route 0111 to 0010: 4 hops, routing=shortest" in texts(root)
    badges = [text for text in texts(root) if "·vc" in text]
    assert badges == ["1·vc0", "2·vc1", "3·vc1", "4·vc1"]  # the dateline is the link from 8 to 0
    assert len([path for path in root.iter(f"{SVG}path") if path.get("class") == "route"]) == 4
    assert len(list(root.iter(f"{SVG}polygon"))) == 4
    assert {"source", "destination"} <= set(texts(root))


def test_a_route_to_the_node_itself_has_no_arrow():
    root = parsed(Network(Hypercube(n=3)), route=(5, 5))
    assert "route 101 to 101: 0 hops, routing=ecube" in texts(root)
    assert not list(root.iter(f"{SVG}polygon"))


def test_a_multicast_is_numbered_with_its_rounds():
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


def test_a_multicast_to_one_node():
    root = parsed(Network(Hypercube(n=3)), multicast=(0, [4]))
    assert "multicast from 000 to 1 node: 1 round, routing=ecube" in texts(root)
    assert "passed" not in texts(root)


@pytest.mark.parametrize(
    ("topology", "source"),
    [(Hypercube(n=3), 5), (Moebius(n=3, twist=1), 1), (Moebius(n=4), 9), (Moebius(n=5), 3)],
    ids=lambda value: getattr(value, "instance_name", None),
)
def test_badges_of_a_multicast_do_not_overlap(topology, source):
    members = [node for node in range(topology.nodes) if node != source]
    badges = badges_of(parsed(Network(topology), multicast=(source, members)))
    assert len(badges) >= len(members)
    for i, (_, (x, y, width, height)) in enumerate(badges):
        for _, (u, v, other_width, other_height) in badges[:i]:
            apart = x >= u + other_width or u >= x + width
            assert apart or y >= v + other_height or v >= y + height


def test_arrows_both_ways_on_a_link_stand_side_by_side():
    # 0-MC_4: 5 -> 15 ends with the link from 14 to 15, and 15 -> 14 goes back by it.
    root = parsed(Network(Moebius(n=4)), multicast=(5, (0, 2, 3, 8, 11, 14, 15)))
    drawn = arrows(root)
    (back,) = drawn["round 3: 1111 to 1110"]
    there = drawn["round 1: 0101 to 1111"][-1]
    ends = [
        np.array([path.get("d")[1:].partition("Q")[0].split(), path.get("d").split()[-2:]], float)
        for path in (there, back)
    ]
    along = ends[0][1] - ends[0][0]
    across = np.array([-along[1], along[0]]) / np.hypot(*along)
    assert abs((ends[1][0] - ends[0][0]) @ across) == pytest.approx(12, abs=0.2)
    (link,) = [
        path
        for path in root.iter(f"{SVG}path")
        if path.find(f"{SVG}title").text.startswith("1110 - 1111")
    ]
    assert link.get("opacity") is not None  # not a third line between the two


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


@pytest.mark.parametrize(
    "topology",
    [
        *(Moebius(n=n, twist=twist) for n in (3, 4) for twist in (0, 1)),
        *(CubeConnectedCycles(n=n) for n in range(2, 8)),
        *(WkRecursive(w=w, levels=2) for w in range(2, 9)),
        *(WkRecursive(w=w, levels=3) for w in range(2, 6)),
    ],
    ids=lambda topology: topology.instance_name,
)
def test_nodes_do_not_overlap(topology):
    root = parsed(Network(topology))
    boxes = [
        tuple(float(box.get(key)) for key in ("x", "y", "width", "height"))
        for group in root.iter(f"{SVG}g")
        for box in group.iter(f"{SVG}rect")
    ]
    assert len(boxes) == topology.nodes
    for i, (x, y, width, height) in enumerate(boxes):
        for u, v, _, _ in boxes[:i]:
            assert abs(x - u) > width or abs(y - v) > height


@pytest.mark.parametrize("n", [2, 3])
def test_both_links_of_a_cycle_of_two_are_seen(n):
    topology = CubeConnectedCycles(n=n)
    links = {}
    for path in parsed(Network(topology)).iter(f"{SVG}path"):
        links.setdefault(path.find(f"{SVG}title").text, []).append(path)
    doubles = [paths for paths in links.values() if len(paths) == 2]
    assert len(doubles) == 2**topology.cube_bits
    for first, second in doubles:
        assert np.hypot(*(middle_of(first) - middle_of(second))) > 8  # more than three lines wide
    x = topology.cube_bits
    assert sum(map(len, links.values())) == 2**n + x * 2 ** (x - 1)


def test_lateral_links_are_dashed_and_cycles_have_one_colour():
    root = parsed(Network(CubeConnectedCycles(n=5)))
    for path in root.iter(f"{SVG}path"):
        ends, _, kind = path.find(f"{SVG}title").text.partition(": ")
        a, b = (int(end, 2) for end in ends.split(" - "))
        lateral = a % 4 == b % 4
        assert kind == ("L (lateral)" if lateral else "F")
        assert (path.get("stroke-dasharray") is not None) == lateral
    assert {"plain", "lateral", "F", "L"} <= set(texts(root))


def test_a_route_over_one_of_two_links_leaves_the_other():
    # 01 to 11: back to place 0, over the lateral link, and forward to place 1 by the other link.
    root = parsed(Network(CubeConnectedCycles(n=2)), route=(1, 3))
    assert [text for text, _ in badges_of(root)] == ["1·vc0", "2·vc1", "3·vc1"]
    links = [path for path in root.iter(f"{SVG}path") if path.get("class") != "route"]
    faint = [path.find(f"{SVG}title").text for path in links if path.get("opacity")]
    assert sorted(faint) == ["00 - 01: F", "10 - 11: F"]
