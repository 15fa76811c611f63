"""Panels side by side: none is cut off, and nothing covers anything that must be read."""

from itertools import combinations
from xml.etree import ElementTree as ET

import pytest
from helpers.pictures import SVG, badges_of, boxes_of
from knotwork import Network
from knotwork.cli.answers.steps import draw_schedule
from knotwork.cli.message_options import Asked


def drawn(word, name="random"):
    (text,) = draw_schedule(Network.from_word(word), Asked(name, None, None, None, 1))
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
