"""Colours of links."""

import pytest
from helpers.colour_vision import VISIONS, contrast, nearest
from helpers.pictures import SVG, parsed
from knotwork import Hypercube, Network
from knotwork.drawing.style import FAINT, INK, PALETTE, PAPER, PART_FILLS, kind_colour


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


@pytest.mark.parametrize("vision", VISIONS)
def test_the_colour_blind_tell_links_and_boxes_apart(vision):
    # A distance of 2.3 is just seen; thin lines take more.
    assert nearest(PALETTE, vision)[0] > 14
    assert nearest([*PART_FILLS.values(), PAPER], vision)[0] > 8


def test_red_and_green_would_not_do():
    assert nearest(["#a65f00", "#6b8e00"], "deutan")[0] < 14
    assert nearest(["#a65f00", "#6b8e00"], "normal")[0] > 40


def test_links_stand_out_from_the_paper():
    assert min(contrast(colour, PAPER) for colour in (*PALETTE, FAINT)) >= 3  # WCAG 2.2, 1.4.11
    assert min(contrast(INK, fill) for fill in PART_FILLS.values()) >= 7  # 1.4.6, for letters
