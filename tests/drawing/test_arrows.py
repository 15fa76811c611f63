"""Arrows over links."""

import numpy as np
import pytest
from helpers.pictures import SVG, arrows, badges_of, corners_of, parsed, texts
from knotwork import CubeConnectedCycles, Hypercube, Moebius, Network


def test_a_route_to_the_node_itself_has_no_arrow():
    root = parsed(Network(Hypercube(n=3)), route=(5, 5))
    assert "route 101 to 101: 0 hops, routing=ecube" in texts(root)
    assert not list(root.iter(f"{SVG}polygon"))


def test_arrows_both_ways_on_a_link_stand_side_by_side():
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


def test_a_route_over_one_of_two_links_leaves_the_other():
    # 01 to 11: back to place 0, over the lateral link, and forward to place 1 by the other link.
    root = parsed(Network(CubeConnectedCycles(n=2)), route=(1, 3))
    assert [text for text, _ in badges_of(root)] == ["1·vc0", "2·vc1", "3·vc1"]
    links = [path for path in root.iter(f"{SVG}path") if path.get("class") != "route"]
    faint = [path.find(f"{SVG}title").text for path in links if path.get("opacity")]
    assert sorted(faint) == ["00 - 01: F", "10 - 11: F"]
