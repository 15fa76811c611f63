"""Colours of links."""

from helpers.pictures import SVG, parsed
from knotwork import Hypercube, Network
from knotwork.drawing.style import FAINT, PALETTE, kind_colour


def test_a_dimension_has_one_colour_of_its_own():
    root = parsed(Network(Hypercube(n=5)))
    groups = [group for group in root.iter(f"{SVG}g") if group.find(f"{SVG}path") is not None]
    assert [group.get("stroke") for group in groups] == list(PALETTE[:5])
    for dimension, group in enumerate(groups):
        kinds = {path.find(f"{SVG}title").text.partition(": ")[2] for path in group}
        assert kinds == {f"dim{dimension}"}


def test_links_to_nodes_are_grey_and_colours_repeat():
    assert kind_colour(0) == FAINT
    assert kind_colour(1) == kind_colour(1 + len(PALETTE)) == PALETTE[0]
