from dataclasses import dataclass
from xml.etree import ElementTree as ET

import pytest
from helpers.ring import Ring
from knotwork import Lcan, Moebius, Network
from knotwork.drawing.notebook import LIMIT, notebook_picture
from knotwork.drawing.svg import draw_network


def test_a_network_is_shown_as_it_is_drawn():
    network = Network(Moebius(n=3, twist=1), routing="spr")
    assert notebook_picture(network) == draw_network(network)
    assert notebook_picture(Moebius(n=3, twist=1)) == draw_network(Network(Moebius(n=3, twist=1)))


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


def test_anything_else_is_no_picture():
    with pytest.raises(TypeError, match="a network or a topology must be shown, not 3"):
        notebook_picture(3)
    assert notebook_picture(OwnRing(nodes=5)).startswith("<svg ")
