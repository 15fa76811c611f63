"""Panels: what each step of a schedule highlights, and how several stand side by side."""

from itertools import combinations
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from helpers.long_links import network_of
from helpers.pictures import SVG, badges_of, boxes_of
from knotwork import CubeConnectedCycles, FatTree, Hypercube, Lcan, Network
from knotwork.cli.answers.steps import draw_schedule
from knotwork.cli.message_options import MessageRequest
from knotwork.drawing.boxes import box_of
from knotwork.drawing.highlights import DESTINATION, SOURCE, Arrow, Highlight, highlight_steps
from knotwork.drawing.marks import FAINT, PALETTE
from knotwork.drawing.svg import draw_network, draw_steps


def drawn(word, name="random"):
    (text,) = draw_schedule(Network.from_word(word), MessageRequest(name, None, None, None, 1))
    return ET.fromstring(text)


def rectangles(panel):
    """Place and size of each box and badge, and whether it is a badge."""
    for box in panel.iter(f"{SVG}rect"):
        if box.get("x"):
            place = [float(box.get(key)) for key in ("x", "y", "width", "height")]
            yield place, box.get("stroke") == "#ffffff"


WORDS = ["ccc:n=3", "hypercube:n=4", "lcan:d=4,u=2,levels=2", "lcan:d=3,u=2,levels=3"]


@pytest.mark.parametrize("word", WORDS)
def test_badges_cover_nothing_and_all_is_inside(word):
    root = drawn(word)
    _, _, width, height = map(float, root.get("viewBox").split())
    panels = [group for group in root.iter(f"{SVG}g") if group.get("class") == "panel"]
    assert len(panels) > 1
    extents = []
    for panel in panels:
        found = list(rectangles(panel))
        for ((x, y, w, h), badge), ((u, v, p, q), other) in combinations(found, 2):
            apart = x >= u + p or u >= x + w or y >= v + q or v >= y + h
            assert apart or not (badge or other)
        (caption,) = [text for text in panel.findall(f"{SVG}text") if text.get("fill") != "#ffffff"]
        middle, half = float(caption.get("x")), 15 * 0.65 * len(caption.text) / 2
        lows = [min(place[i] for place, _ in found) for i in (0, 1)]
        highs = [max(place[i] + place[i + 2] for place, _ in found) for i in (0, 1)]
        assert min(lows[0], middle - half) >= 0
        assert max(highs[0], middle + half) <= width
        assert float(caption.get("y")) + 2 < lows[1]
        assert highs[1] < height
        extents.append((lows[0], float(caption.get("y")) - 15, highs[0], highs[1]))
    assert sum(is_badge for panel in panels for _, is_badge in rectangles(panel)) >= 16
    for (a, b, c, d), (x, y, z, w) in combinations(extents, 2):
        assert a >= z or x >= c or b >= w or y >= d


def test_one_step_has_no_caption_of_its_own():
    root = drawn("lcan:d=2,u=2,levels=3", "complement")
    assert not [group for group in root.iter(f"{SVG}g") if group.get("class") == "panel"]
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert "complement: 1 step, network cycle 1 of 1: 8 circuits, routing=scheduled" in texts
    assert sorted(text for text, _ in badges_of(root)) == [f"{i:03b}" for i in range(8)]
    assert len(boxes_of(root)) == 8 + 12


def test_links_of_panels_are_faint_or_say_their_cycles():
    arrows = (Arrow(0, 1, 1, "", "a", colour=3), Arrow(3, 2, 1, "x", "b", colour=5))
    shown = Highlight("step", arrows, {}, "packet", (), is_plain=True)
    root = ET.fromstring(draw_steps(Network(Hypercube(n=2)), [shown], "all"))
    ways = [path for path in root.iter(f"{SVG}path") if path.get("class") == "route"]
    assert [path.get("stroke") for path in ways] == [PALETTE[2], PALETTE[4]]
    groups = [group for group in root.iter(f"{SVG}g") if group.find(f"{SVG}path") is not None]
    assert {group.get("stroke") for group in groups} == {FAINT}
    links = [path for group in groups for path in group.findall(f"{SVG}path")]
    assert [path.get("opacity") for path in links] == ["0.22"] * 4
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert "dimension 0" not in texts
    assert texts.count("x") == 1
    network = network_of([(0, 1, 3), (1, 2), (2, 0, 16)])
    root = ET.fromstring(draw_network(network))
    told = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "latency"]
    assert sorted(told) == ["16", "3"]
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert "0 - 1: link0, 3 cycles" in titles
    assert "1 - 2: link0" in titles
    words = "3 nodes, 3 links, numbers on links: their cycles, routing=updown"
    assert words in [text.text for text in root.iter(f"{SVG}text")]
    assert "latency" not in draw_network(network_of([(0, 1)]))
    assert "latency" not in draw_network(network, route=(0, 1))  # hops have badges


CIRCUITS = [
    Lcan(d=2, u=2, levels=3),
    Lcan(d=4, u=2, levels=2),
    FatTree(r=(3, 2, 2), u=(2, 3, 1)),
    Lcan(d=4, u=2, levels=3, interconnect="tree"),
]


def node_of(topology, label):
    return [topology.label(node) for node in range(topology.nodes)].index(label)


def steps_of(topology, routing, sources, destinations):
    made = Network(topology, routing=routing).routing.frames(sources, destinations)
    return highlight_steps(topology, made)


@pytest.mark.parametrize("topology", CIRCUITS, ids=lambda topology: topology.instance_name)
def test_circuits_of_a_step_lead_from_node_to_node_and_share_no_channel(topology):
    rng = np.random.default_rng(3)
    sources, destinations = rng.integers(topology.nodes, size=(2, topology.nodes))
    found = []
    steps = steps_of(topology, "scheduled", sources, destinations)
    for number, step in enumerate(steps, start=1):
        ways = {}
        for arrow in step.arrows:
            ways.setdefault((arrow.tooltip, arrow.colour), []).append(arrow)
        channels = [(arrow.router, arrow.port) for arrow in step.arrows]
        assert len(set(channels)) == len(channels)
        count = f"{len(ways)} circuit{'s' * (len(ways) != 1)}"
        assert step.title == f"network cycle {number} of {len(steps)}: {count}"
        for (text, _), arrows in ways.items():
            source, destination = (node_of(topology, word) for word in text.split(" to "))
            found.append((source, destination))
            assert arrows[0].router == box_of(topology, source)
            assert [a.after for a in arrows[:-1]] == [a.router for a in arrows[1:]]
            assert arrows[-1].after == box_of(topology, destination)
            assert [arrow.badge for arrow in arrows] == [
                *[""] * (len(arrows) - 1),
                topology.label(source),
            ]
            for arrow in arrows[1:-1]:  # each over a wire that there is
                assert topology.neighbours[arrow.router, arrow.port] == arrow.after
            last = arrows[-1]
            assert topology.attached[last.router, last.port] == destination
            assert step.parts[box_of(topology, destination)] == DESTINATION
            assert step.parts[box_of(topology, source)] in (SOURCE, DESTINATION)
    assert sorted(found) == sorted(zip(sources.tolist(), destinations.tolist(), strict=True))


BATCHES = [(Hypercube(n=4), "lc1", 7), (CubeConnectedCycles(n=4), "lc2", 20)]


@pytest.mark.parametrize(("topology", "routing", "count"), BATCHES)
def test_packets_of_a_batch_move_over_links_to_their_nodes(topology, routing, count):
    nodes = np.arange(16)
    destinations = np.array([int(f"{i:04b}"[::-1], 2) for i in nodes])  # reversal
    steps = steps_of(topology, routing, nodes, destinations)
    assert len(steps) == count
    place = nodes.copy()
    for number, step in enumerate(steps, start=1):
        moved = {arrow.tooltip for arrow in step.arrows}
        says = f"{len(moved)} packet{'s' * (len(moved) != 1)} moved"
        assert step.title == f"step {number} of {count}: {says}"
        at = place.copy()
        for arrow in step.arrows:
            source = node_of(topology, arrow.tooltip.split(" to ")[0])
            assert at[source] == arrow.router  # it goes on where it was
            assert topology.neighbours[arrow.router, arrow.port] == arrow.after
            at[source] = arrow.after
            assert arrow.colour == 1 + source
            assert arrow.badge in ("", topology.label(int(destinations[source])))
        place = at
        assert sorted(place.tolist()) == nodes.tolist()
        home = {int(place[s]) for s in nodes if place[s] == destinations[s]}
        assert step.parts == dict.fromkeys(home, DESTINATION)
    assert (place == destinations).all()


def test_messages_take_the_steps_of_several_batches():
    topology = Hypercube(n=3)
    sources, destinations = np.array([1, 1, 6]), np.array([4, 2, 3])
    steps = steps_of(topology, "lc1", sources, destinations)
    assert len(steps) == 2 * 5
    assert steps[0].title.startswith("batch 1 of 2, step 1 of 5: ")
    shown = {arrow.tooltip for step in steps for arrow in step.arrows}
    assert shown == {"001 to 100", "001 to 010", "110 to 011"}
    assert sorted(steps[4].parts) == [3, 4]
    assert sorted(steps[9].parts) == [2]
