"""One panel: links, and arrows in colours of their own."""

from helpers.pictures import SVG
from knotwork import Hypercube, Network
from knotwork.drawing.highlights import Arrow, Highlight
from knotwork.drawing.style import FAINT, PALETTE
from knotwork.drawing.svg import draw_steps

from xml.etree import ElementTree as ET  # isort: skip


def test_links_are_grey_and_faint_where_arrows_have_their_own_colours():
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
