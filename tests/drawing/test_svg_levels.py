from itertools import pairwise

import numpy as np
import pytest
from helpers.pictures import SVG, badges_of, boxes_of, corners_of, parsed, texts
from knotwork import Cm5, FatTree, Lcan, Network
from knotwork.drawing.marks import PALETTE

LEVELS = pytest.mark.parametrize(
    "topology",
    [
        *(Lcan(d=2, u=2, levels=levels) for levels in (1, 3, 4)),
        *(Lcan(d=4, u=2, levels=2), Lcan(d=3, u=2, levels=2), Lcan(d=2, u=3, levels=3)),
        *(Cm5(levels=2), Lcan(d=4, u=2, levels=3, interconnect="tree")),
        *(FatTree(r=(2, 2, 2), u=(1, 2, 1)), FatTree(r=(2, 4, 2), u=(2, 8, 1))),
    ],
    ids=lambda topology: topology.instance_name,
)


@LEVELS
def test_levels_stand_above_each_other_and_apart(topology):
    root = parsed(Network(topology), route=(0, topology.nodes - 1))
    boxes, rows = boxes_of(root), {}
    for (label, radius), (_, y, _, _) in boxes.items():
        rows.setdefault(-1 if radius == "12" else int(label.partition("_")[0]), set()).add(y)
    heights = [rows[level] for level in range(-1, topology.levels)]
    assert all(len(row) == 1 for row in heights)
    assert all(min(low) > min(high) + 40 for low, high in pairwise(heights))
    for path in root.iter(f"{SVG}path"):
        if not topology.is_tree and path.get("class") != "route":
            assert "L" in path.get("d")  # straight, so no other box is in its way
    titles = [text for text in root.iter(f"{SVG}text") if text.get("font-weight") == "bold"]
    assert 44 + 12.8 * len(titles[0].text) < float(root.get("viewBox").split()[2])


def test_links_to_pes_are_plain_and_bundles_have_one_colour():
    root = parsed(Network(FatTree(r=(2, 3, 2), u=(4, 2, 1))))
    groups = [group for group in root.iter(f"{SVG}g") if group.find(f"{SVG}path") is not None]
    assert [group.get("stroke") for group in groups[1:]] == list(PALETTE[:3])
    assert groups[0].get("stroke") not in PALETTE
    assert [len(group) for group in groups] == [12, 2 * 4 + 2, 2 * 4 + 2, 2 * 4]
    entries = ["to a node", "child 0", "child 1", "child 2", "node", "router"]
    assert texts(root)[-6:] == entries


def test_circuits_lead_from_pe_to_pe():
    root = parsed(Network(Lcan(d=2, u=2, levels=3)), route=(0, 5))
    assert "route 000 to 101: 6 links, routing=updown" in texts(root)
    assert [text for text, _ in badges_of(root)] == ["1", "2", "3", "4", "5", "6"]
    middles = {
        (round(x + width / 2), round(y + height / 2)): label
        for (label, _), (x, y, width, height) in boxes_of(root).items()
    }
    ways = [path for path in root.iter(f"{SVG}path") if path.get("class") == "route"]
    boxes = [middles[tuple(np.round(corners_of(path)[0]).tolist())] for path in ways]
    assert boxes == ["000", "0_0", "1_0", "2_0", "1_2", "0_2"]
    filled = {}
    for box in root.iter(f"{SVG}rect"):
        if box.get("stroke-width") == "2.2":
            filled.setdefault(box.get("fill"), []).append(box.find(f"{SVG}title").text)
    routers = ["0_0: router 0", "0_2: router 2", "1_0: router 4", "1_2: router 6", "2_0: router 8"]
    assert sorted(filled.values()) == [["000: node 0"], routers, ["101: node 5"]]
    assert texts(root)[-4:] == ["source", "destination", "passed", "link"]
    faint = [path for path in root.iter(f"{SVG}path") if path.get("opacity")]
    assert len(faint) == 8 + 16 - 6
    root = parsed(Network(Cm5(levels=2), routing="updown"), route=(7, 7))
    assert "route 13 to 13: 2 links, routing=updown" in texts(root)
    assert [text for text, _ in badges_of(root)] == ["1", "2"]
    assert len(list(root.iter(f"{SVG}polygon"))) == 2
