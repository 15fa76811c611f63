"""Parts of drawings: boxes, links and their curves, arrows, badges, legend, colours, formats."""

import struct
from dataclasses import dataclass
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from helpers.long_links import graph_of
from helpers.pictures import (
    SVG,
    VISIONS,
    arrows,
    badges_of,
    contrast,
    corners_of,
    nearest,
    parsed,
    rects_of,
    texts,
)
from helpers.ring import Ring
from knotwork import CubeConnectedCycles, FatTree, Hypercube, Lcan, Moebius, Network, Torus
from knotwork.drawing import formats
from knotwork.drawing.boxes import box_of, has_node_boxes, links_of
from knotwork.drawing.curves import Curve, clearances, closest, fitting, link_curves
from knotwork.drawing.formats import KINDS, picture
from knotwork.drawing.marks import (
    FAINT,
    INK,
    PALETTE,
    PAPER,
    PART_FILLS,
    Badge,
    badge_places,
    kind_colour,
)
from knotwork.drawing.svg import LIMIT, draw_network, notebook_picture
from knotwork.errors import ConfigurationError


def test_arrows_over_links_and_beside_each_other():
    root = parsed(Network(Hypercube(n=3)), route=(5, 5))
    assert "route 101 to 101: 0 hops, routing=ecube" in texts(root)
    assert not list(root.iter(f"{SVG}polygon"))
    # 01 to 11: back to place 0, over the lateral link, and forward to place 1 by the other link.
    root = parsed(Network(CubeConnectedCycles(n=2)), route=(1, 3))
    assert [text for text, _ in badges_of(root)] == ["1·vc0", "2·vc1", "3·vc1"]
    links = [path for path in root.iter(f"{SVG}path") if path.get("class") != "route"]
    faint = [path.find(f"{SVG}title").text for path in links if path.get("opacity")]
    assert sorted(faint) == ["00 - 01: F", "10 - 11: F"]
    # 0-MC_4: 5 -> 15 ends with the link from 14 to 15, and 15 -> 14 goes back by it.
    root = parsed(Network(Moebius(n=4)), multicast=(5, (0, 2, 3, 8, 11, 14, 15)))
    drawn = arrows(root)
    (back,) = drawn["round 3: 1111 to 1110"]
    there = drawn["round 1: 0101 to 1111"][-1]
    ends = [corners_of(path)[[0, -1]] for path in (there, back)]
    along = ends[0][1] - ends[0][0]
    across = np.array([-along[1], along[0]]) / np.hypot(*along)
    assert abs((ends[1][0] - ends[0][0]) @ across) == pytest.approx(12, abs=0.2)
    (link,) = [
        path
        for path in root.iter(f"{SVG}path")
        if path.find(f"{SVG}title").text.startswith("1110 - 1111")
    ]
    assert link.get("opacity") is not None  # not a third line between the two


def test_a_badge_keeps_off_nodes_badges_and_curves_where_it_can():
    line = np.linspace((0.0, 0.0), (200.0, 0.0), 201)
    crossing = np.linspace((100.0, -60.0), (100.0, 60.0), 201)

    def places(curves, nodes):
        badges = [Badge("1", curve, (0.5, 0.4, 0.6)) for curve in curves]
        return badge_places(badges, np.array(nodes), np.array([12.0, 12.0]))

    far = [[500.0, 500.0]]
    assert [list(place) for place in places([line], far)] == [[100.0, 0.0]]
    assert list(places([line], [[105.0, 20.0]])[0]) == [80.0, 0.0]
    assert list(places([line, crossing], far)[0]) == [80.0, 0.0]
    assert [list(place) for place in places([line, line], far)] == [[100.0, 0.0], [80.0, 0.0]]
    everywhere = [[80.0, 0.0], [100.0, 0.0], [120.0, 0.0]]
    assert list(places([line], everywhere)[0]) == [100.0, 0.0]


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


def test_every_node_has_a_box_apart_from_the_others():
    boxes = [
        tuple(float(box.get(key)) for key in ("x", "y", "width", "height"))
        for box in rects_of(parsed(Network(CubeConnectedCycles(n=5))))
    ]
    assert len(boxes) == 32
    for i, (x, y, width, height) in enumerate(boxes):
        for u, v, _, _ in boxes[:i]:
            assert abs(x - u) > width or abs(y - v) > height


FIRST, LAST = np.array([0.0, 0.0]), np.array([10.0, 0.0])
BENT = Curve(FIRST, np.array([2.0, 6.0]), np.array([7.0, -3.0]), LAST)


def test_a_curve_is_straight_or_bowed_moved_cut_and_written():
    assert Curve.bowed(FIRST, LAST).is_straight
    bow = Curve.bowed(FIRST, LAST, 0.4)
    assert not bow.is_straight
    assert bow.points(np.array([0, 0.5, 1])) == pytest.approx(np.array([FIRST, [5, 2], LAST]))
    assert np.array(BENT.moved_aside(2.0)).tolist() == (np.array(BENT) + np.array([0, 2])).tolist()
    assert np.array(BENT.moved(FIRST + 3)).tolist() == (np.array(BENT) + 3).tolist()
    share = np.linspace(0, 1, 11)
    assert BENT.until(0.7).points(share) == pytest.approx(BENT.points(share * 0.7))
    assert BENT.reversed().points(share) == pytest.approx(BENT.points(1 - share))
    assert Curve.bowed(FIRST, LAST).path() == "M0.0 0.0L10.0 0.0"
    assert BENT.path() == "M0.0 0.0C2.0 6.0 7.0 -3.0 10.0 0.0"


def test_twisted_and_lateral_links_are_dashed_and_the_legend_says_so():
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
    root = parsed(Network(CubeConnectedCycles(n=5)))
    for path in root.iter(f"{SVG}path"):
        ends, _, kind = path.find(f"{SVG}title").text.partition(": ")
        a, b = (int(end, 2) for end in ends.split(" - "))
        lateral = a % 4 == b % 4
        assert kind == ("L (lateral)" if lateral else "F")
        assert (path.get("stroke-dasharray") is not None) == lateral
    assert {"plain", "lateral", "F", "L"} <= set(texts(root))


def test_links_and_boxes_are_listed_from_their_lower_router():
    links = links_of(Ring(nodes=5))
    assert [link.ends for link in links] == [(0, 1), (0, 4), (1, 2), (2, 3), (3, 4)]
    assert [link.ports for link in links] == [(1, 2), (2, 1), (1, 2), (1, 2), (1, 2)]
    assert {link.port for link in links} == {1}
    links = links_of(graph_of([(0, 1, 3), (1, 2), (2, 0, 16)]))
    assert {(link.ends, link.latency) for link in links} == {((0, 1), 3), ((1, 2), 1), ((0, 2), 16)}
    assert {link.latency for link in links_of(Ring(nodes=5))} == {1}
    direct, levels = Ring(nodes=5), Lcan(d=2, u=2, levels=2)
    assert not has_node_boxes(direct)
    assert [box_of(direct, node) for node in range(5)] == list(range(5))
    assert has_node_boxes(levels)
    assert [box_of(levels, node) for node in range(4)] == [4, 5, 6, 7]
    attached = [link for link in links_of(levels) if link.kind == 0]
    assert [link.ends for link in attached] == [(0, 4), (0, 5), (1, 6), (1, 7)]


def test_long_rows_are_left_at_once_and_lines_over_nodes_are_bowed():
    places = np.array([[0.0, 0.0], [100.0, 0.0], [200.0, 0.0], [0.0, 90.0]])
    ends = np.array([[0, 2], [0, 3]])
    (over, clear), blocked = link_curves(places, ends, np.array([12.0, 12.0]))
    assert blocked == 0
    assert clear.is_straight
    assert np.abs(over.points(np.linspace(0, 1, 101)) - places[1]).max(axis=1).min() >= 12
    around = [[x * 20.0, y * 20.0] for x in (-1, 0, 1) for y in (-1, 0, 1)]
    places = np.array([*around, [300.0, 0.0]])
    _, blocked = link_curves(places, np.array([[4, 9]]), np.array([12.0, 12.0]))
    assert blocked == 1
    # A bow that passes above the second node would meet the next row.
    row = np.stack([np.arange(32) * 80.0, np.zeros(32)], axis=1)
    places = np.concatenate([row, row + np.array([0, 84])])
    room = np.array([20.0, 16.0])
    (wrap,), blocked = link_curves(places, np.array([[0, 31]]), room)
    assert blocked == 0
    foreign = np.delete(places, [0, 31], axis=0)
    apart = np.abs(wrap.points(np.linspace(0, 1, 3001))[:, None] - foreign) / room
    assert apart.max(axis=2).min() >= 0.95


def test_double_links_and_bundles_are_drawn_apart_but_not_as_a_circle():
    places = np.array([[0.0, 0.0], [100.0, 0.0]])
    curves, _ = link_curves(places, np.array([[0, 1], [1, 0]]), np.array([9.0, 9.0]))
    middles = [curve.points(np.array([0.5]))[0].tolist() for curve in curves]
    assert middles == [[50.0, -5.0], [50.0, 5.0]]
    places = np.array([[0.0, 0.0], [100.0, 0.0]])
    for many in (3, 5, 9):
        curves, _ = link_curves(places, np.array([[0, 1]] * many), np.array([1.0, 1.0]))
        bows = [curve.points(np.array([0.5]))[0, 1] for curve in curves]
        assert bows == pytest.approx(np.linspace(-10, 10, many))


def test_a_network_is_shown_as_it_is_drawn_and_nothing_else_is():
    network = Network(Moebius(n=3, twist=1), routing="spr")
    assert notebook_picture(network) == draw_network(network)
    assert notebook_picture(Moebius(n=3, twist=1)) == draw_network(Network(Moebius(n=3, twist=1)))
    with pytest.raises(TypeError, match="only a network or a topology can be displayed, not 3"):
        notebook_picture(3)
    assert notebook_picture(OwnRing(nodes=5)).startswith("<svg ")


@pytest.mark.parametrize("topology", [Moebius(n=9, twist=0), Lcan(d=2, u=2, levels=8)])
def test_a_note_stands_in_the_place_of_a_large_one(topology):
    for shown in (topology, Network(topology)):
        root = ET.fromstring(notebook_picture(shown))
        (text,) = (each.text for each in root if each.tag.endswith("text"))
        assert text.startswith(repr(shown))
        assert text.endswith(f"a notebook draws at most {LIMIT}.")
        assert len(root) == 2


@dataclass(frozen=True, kw_only=True)
class OwnRing(Ring):
    """Ring without a routing of its own."""

    name = "own_ring"


def test_distances_and_the_scale_at_which_boxes_fit():
    places = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 2.0]])
    room = np.array([[20.0, 10.0], [30.0, 10.0], [20.0, 10.0]])
    assert fitting(places, room) == 50.0  # the first two; the third has twenty for twenty below
    assert fitting(places, room * [1, 6]) == 60.0
    assert fitting(places[:2], room[:2] * [1, 9]) == 50.0
    places = np.array([[0.0, 0.0], [100.0, 0.0], [200.0, 0.0], [0.0, 90.0]])
    assert closest(places) == 90.0
    assert closest(places[:1]) == 1.0
    assert clearances(places, np.array([[0, 2], [0, 3]])).tolist() == [0.0, 100.0]


def test_colours_of_dimensions_stand_out_from_the_paper():
    root = parsed(Network(Hypercube(n=5)))
    groups = [group for group in root.iter(f"{SVG}g") if group.find(f"{SVG}path") is not None]
    assert [group.get("stroke") for group in groups] == list(PALETTE[:5])
    for dimension, group in enumerate(groups):
        kinds = {path.find(f"{SVG}title").text.partition(": ")[2] for path in group}
        assert kinds == {f"dim{dimension}"}
    assert kind_colour(0) == FAINT
    assert kind_colour(1) == kind_colour(1 + len(PALETTE)) == PALETTE[0]
    assert min(contrast(colour, PAPER) for colour in (*PALETTE, FAINT)) >= 3  # WCAG 2.2, 1.4.11
    assert min(contrast(INK, fill) for fill in PART_FILLS.values()) >= 7  # 1.4.6, for letters
    assert nearest(["#a65f00", "#6b8e00"], "deutan")[0] < 14
    assert nearest(["#a65f00", "#6b8e00"], "normal")[0] > 40


@pytest.mark.parametrize("vision", VISIONS)
def test_the_colour_blind_tell_links_and_boxes_apart(vision):
    # A distance of 2.3 is just seen; thin lines take more.
    assert nearest(PALETTE, vision)[0] > 14
    assert nearest([*set(PART_FILLS.values()), PAPER], vision)[0] > 8


DRAWN = draw_network(Network.from_word("moebius:n=3"), route=(1, 6))


def size_of(png):
    """Width and height that the head of a PNG tells."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", png[16:24])


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_drawing_gives_the_same_bytes(kind):
    assert picture(DRAWN, kind) == picture(DRAWN, kind)
    start = {"svg": b"<svg ", "png": b"\x89PNG", "pdf": b"%PDF-"}[kind]
    assert picture(DRAWN, kind).startswith(start)


def test_pngs_are_twice_as_large_as_drawings_and_fit_in_memory(monkeypatch):
    width, _ = size_of(picture(DRAWN, "png"))
    size = DRAWN.partition('width="')[2].partition('"')[0]
    assert width == pytest.approx(2 * float(size), abs=2)
    plain = DRAWN.replace("<text", "<desc").replace("</text", "</desc")
    with_text, without = (len(picture(each, "png")) for each in (DRAWN, plain))
    assert with_text > 1.2 * without
    wide, high = size_of(picture(DRAWN, "png"))
    monkeypatch.setattr(formats, "_MOST_PIXELS", 40_000)
    width, height = size_of(picture(DRAWN, "png"))
    assert 39_000 < width * height < 41_000
    assert width / height == pytest.approx(wide / high, rel=0.02)


def test_a_pdf_embeds_its_fonts_and_keeps_faint_lines_faint():
    data = picture(DRAWN, "pdf")
    assert b"DejaVuSans" in data
    assert b"DejaVuSansMono" in data
    assert b"Helvetica" not in data.replace(b"/BaseFont /Helvetica", b"")  # reportlab names one
    # Only what is not faint has opacity 1: a PDF says so in graphics states.
    data = picture(DRAWN, "pdf")
    assert b"/CA .22" in data or b"/CA 0.22" in data


def test_nodes_are_called_by_label_index_or_address():
    # Figure 4 of Liu and Han: Johnson codes of rows (k = 2) and of columns (m = 3), definition 7.
    rows, columns = ("00", "01", "11", "10"), ("000", "001", "011", "111", "110", "100")
    torus = Network(Torus(x=6, y=4, ring_code="johnson"))
    words = texts(parsed(torus, labels="address"))
    assert [row + column for row in rows for column in columns] == [
        word for word in words if len(word) == 5 and set(word) <= {"0", "1"}
    ]
    assert {str(node) for node in range(24)} <= set(texts(parsed(torus, labels="index")))
    # Switches keep their labels; PEs have addresses.
    words = texts(parsed(Network(Lcan(d=2, u=1, levels=2)), labels="address"))
    assert {"0_0", "1_0", "00", "01", "10", "11"} <= set(words)
    tree = texts(parsed(Network(Hypercube(n=2)), tree=0, labels="index"))
    assert {"0", "1", "2", "3"} <= set(tree)
    unfolded = texts(parsed(Network(Lcan(d=2, u=2, levels=2)), unfolded=True, labels="index"))
    assert unfolded.count("3") == 2


def test_titles_name_networks_and_too_many_routers_are_refused():
    root = parsed(Network(Moebius(n=3, twist=1)))
    assert root.find(f"{SVG}title").text == "moebius n=3 twist=1"
    assert texts(root)[:2] == ["moebius n=3 twist=1", "8 nodes, 12 links, routing=dfr"]
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
