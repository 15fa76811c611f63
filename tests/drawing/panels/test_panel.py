"""One panel: links, and arrows in colours of their own."""

from helpers.long_links import network_of
from helpers.pictures import SVG
from knotwork import Hypercube, Network
from knotwork.drawing.highlights import Arrow, Highlight
from knotwork.drawing.style import FAINT, PALETTE
from knotwork.drawing.svg import draw_network, draw_steps

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


def test_links_of_several_cycles_say_how_many():
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
