"""What no drawing may do: cut something off, lay a box over a box or a link under a foreign one."""

import re
from itertools import product

import numpy as np
import pytest
from helpers.pictures import SVG, boxes_of, corners_of, parsed, points_of, rects_of
from knotwork import Network, Torus
from knotwork.drawing.svg import ROUTER_LIMIT
from knotwork.errors import ConfigurationError
from knotwork.topology import TOPOLOGIES

MOST_NODES = 64
FONT_SIZE, LETTER, LINE = 13, 7.83, 16  # of a label: DejaVu Sans Mono
PAGE = 785, 540  # points of a sheet of A4 between margins of 1 cm


SPANS = {
    "n": range(1, 7),
    "twist": (0, 1),
    "w": range(2, 17),
    "k": range(1, 9),
    "m": (1,),
    **dict.fromkeys(("x", "y"), range(2, MOST_NODES // 2 + 1)),
    **dict.fromkeys(("d", "f"), range(2, 17)),
    **dict.fromkeys(("u", "s"), (1, 2, 3, 4, 8)),
    "levels": range(1, 7),
    "copies": range(1, 4),
    "directions": ("one", "two"),
    "interconnect": ("complete", "tree"),
}
"""Values of keys, of which small networks are made."""


def _drawable():
    """Every network of few nodes, but for fat trees and graphs, whose switches are any."""
    for name in set(TOPOLOGIES.shipped) - {"fattree", "graph", "cm5"}:
        spans = {key: SPANS[key] for key in TOPOLOGIES[name].keys() & SPANS.keys()}
        for values in product(*spans.values()):
            keys = dict(zip(spans, values, strict=True))
            try:
                network = Network.from_texts(name, keys)
            except ConfigurationError:
                continue  # no such network
            topology = network.topology
            if topology.nodes <= MOST_NODES and topology.routers + topology.nodes <= ROUTER_LIMIT:
                yield network


def _faults(root):
    """Links under foreign boxes, and what reaches out of the picture."""
    _, _, width, height = map(float, root.get("viewBox").split())
    inside, found = np.array([width, height]), []
    boxes = boxes_of(root)
    names = [label for label, _ in boxes]
    lows = np.array([box[:2] for box in boxes.values()])
    sizes = np.array([box[2:] for box in boxes.values()])
    highs = lows + sizes
    if (lows < 0).any() or (highs > inside).any():
        found.append("a box outside")
    for number, low in enumerate(lows):
        over = ((low < highs[:number]) & (highs[number] > lows[:number])).all(axis=1)
        found += [f"{names[number]} over {names[other]}" for other in np.nonzero(over)[0]]
    for box in rects_of(root):
        found += [f"{line} out of its box" for line in _too_long(root, box)]
    for path in root.iter(f"{SVG}path"):
        title = path.find(f"{SVG}title").text
        ends = title.partition(":")[0].split(" - ")
        corners = corners_of(path)
        low, high = corners.min(axis=0), corners.max(axis=0)
        near = ((lows < high) & (lows + sizes > low)).all(axis=1)
        near &= ~np.isin(names, ends)
        points = points_of(path, 1001)
        if (points < 0).any() or (points > inside).any():
            found.append(f"{title} outside")
        met = (points[:, None] > lows[near]) & (points[:, None] < (lows + sizes)[near])
        if met.all(axis=2).any():
            found.append(f"{title} under a box")
    for text in root.iter(f"{SVG}text"):
        scale = _scale(root, text)
        letter = float(text.get("font-size") or 13) * (0.65 if text.get("font-weight") else 0.6)
        if text.get("text-anchor") is None and text.get("x"):
            reach = scale * (float(text.get("x")) + letter * len(text.text or ""))
            if reach > width and text.text not in names:
                found.append(f"{text.text} cut off")
    return found


def _too_long(root, box):
    """Lines of a label that reach out of their box."""
    group = next(group for group in root.iter(f"{SVG}g") if box in list(group))
    for text in group.findall(f"{SVG}text"):
        down = float(text.get("y")) - float(box.get("y"))
        if len(text.text) * LETTER > float(box.get("width")) or not (
            LINE - 4 <= down <= float(box.get("height"))
        ):
            yield text.text


def _scale(root, text):
    for group in root.findall(f"{SVG}g"):
        if text in list(group) and group.get("transform"):
            return float(re.search(r"scale\(([\d.]+)\)", group.get("transform"))[1])
    return 1.0


SIZES = {
    "hypercube": ("hypercube:n=3", "hypercube:n=5", "hypercube:n=7"),
    "moebius": ("moebius:n=3", "moebius:n=5", "moebius:n=7"),
    "moebius, twisted": ("moebius:n=3,twist=1", "moebius:n=4,twist=1", "moebius:n=6,twist=1"),
    "ccc": ("ccc:n=3", "ccc:n=6", "ccc:n=8"),
    "wk of three": ("wk:w=3,levels=2", "wk:w=3,levels=3", "wk:w=3,levels=5"),
    "wk of four": ("wk:w=4,levels=2", "wk:w=4,levels=3", "wk:w=4,levels=4"),
    "wk of more": ("wk:w=5,levels=2", "wk:w=8,levels=2", "wk:w=6,levels=3"),
    "tcpg": ("tcpg:k=1,m=1", "tcpg:k=1,m=2", "tcpg:k=2,m=3"),
    "rp": ("rp:k=2", "rp:k=6", "rp:k=16"),
    "petersen": ("petersen", "rp:k=1", "petersen:petersen_code=word"),
    "ring": ("ring:n=6", "ring:n=24", "ring:n=128"),
    "mesh": ("mesh:x=3,y=3", "mesh:x=8,y=8", "mesh:x=16,y=16"),
    "mesh in space": ("mesh:x=2,y=2,z=2", "mesh:x=4,y=4,z=4", "mesh:x=8,y=8,z=4"),
    "torus": ("torus:x=3,y=3", "torus:x=8,y=8", "torus:x=16,y=16"),
    "torus in space": ("torus:x=2,y=2,z=2", "torus:x=4,y=4,z=4", "torus:x=8,y=8,z=4"),
    "torus one way": tuple(
        f"torus:x={side},y={side},directions=one,virtual_channels=2" for side in (3, 6, 12)
    ),
    "several nodes": (
        "mesh:x=3,y=3,nodes_per_router=2",
        "torus:x=4,y=4,nodes_per_router=4",
        "hypercube:n=5,nodes_per_router=2",
    ),
    "lcan": ("lcan:d=2,u=2,levels=3", "lcan:d=4,u=2,levels=3", "lcan:d=4,u=4,levels=3"),
    "lcan, a tree": tuple(
        f"lcan:{sizes},interconnect=tree"
        for sizes in ("d=2,u=1,levels=3", "d=4,u=2,levels=3", "d=4,u=2,levels=5")
    ),
    "fattree": ("fattree:r=2,2,u=2,1", "fattree:r=4,4,u=2,1", "fattree:r=4,4,4,u=2,2,1"),
    "cm5": ("cm5:levels=2", "cm5:levels=3", "cm5:levels=4"),
    "baseline": ("baseline:levels=2", "baseline:levels=4", "baseline:levels=6"),
    "sw_banyan": (
        "sw_banyan:f=2,s=2,levels=2",
        "sw_banyan:f=3,s=2,levels=3",
        "sw_banyan:f=2,s=3,levels=4",
    ),
    "trac": ("trac:levels=2", "trac:levels=3", "trac:levels=4"),
    "kyklos": ("kyklos:k=2,levels=3", "kyklos:k=2,levels=5", "kyklos:k=4,levels=3,copies=4"),
    "banyan": ("banyan:d=2,u=2,levels=3", "banyan:d=3,u=2,levels=3", "banyan:d=4,u=4,levels=3"),
}
"""Networks of all families: a small one, a middle one and a large one."""


def _letters(root):
    """Height of a label in points, where the drawing fills a sheet of A4 with margins."""
    _, _, width, height = map(float, root.get("viewBox").split())
    long, short = max(width, height), min(width, height)
    return FONT_SIZE * min(PAGE[0] / long, PAGE[1] / short)


@pytest.mark.parametrize("family", SIZES)
def test_a_family_is_clear_at_two_sizes_and_its_labels_can_be_read_in_print(family):
    for word, least in zip(SIZES[family][:2], (5, 2.5), strict=True):
        root = parsed(Network.from_word(word))
        assert _faults(root) == [], word
        assert _letters(root) >= least, word


@pytest.mark.slow
@pytest.mark.parametrize("family", SIZES)
def test_a_family_is_clear_at_its_third_size(family):
    assert _faults(parsed(Network.from_word(SIZES[family][2]))) == []


@pytest.mark.parametrize(("grow", "fault"), [(40, "over"), (-12, "out of its box")])
def test_a_box_that_is_too_large_or_too_small_is_found(grow, fault):
    root = parsed(Network.from_word("mesh:x=3,y=3"))
    for box in rects_of(root):
        box.set("width", f"{float(box.get('width')) + 2 * grow}")
        box.set("x", f"{float(box.get('x')) - grow}")
    assert any(fault in found for found in _faults(root))


ODD_SIZES = [
    *("rp:k=3", "hypercube:n=1", "moebius:n=5,twist=1", "wk:w=7,levels=2", "torus:x=2,y=2"),
    *("torus:x=2,y=24", "torus:x=21,y=3", "fattree:r=8,8,u=4,1", "kyklos:k=3,levels=2,copies=3"),
    *(pytest.param(f"hypercube:n={n}", marks=pytest.mark.slow) for n in (8, 9, 10)),
    *(pytest.param(f"moebius:n={n}", marks=pytest.mark.slow) for n in (8, 9)),
]


@pytest.mark.parametrize("word", ODD_SIZES)
def test_no_link_lies_under_a_foreign_node_and_nothing_is_cut_off(word):
    assert _faults(parsed(Network.from_word(word))) == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_that_holds_of_all_networks_of_up_to_64_nodes():
    networks = list(_drawable())
    assert len(networks) > 300
    faults = {network.name: _faults(parsed(network)) for network in networks}
    assert {name: found for name, found in faults.items() if found} == {}


def test_words_grow_and_one_way_links_have_arrow_heads():
    small, large = (parsed(Network(Torus(x=x, y=3))) for x in (3, 30))
    heads = [next(iter(root.iter(f"{SVG}text"))) for root in (small, large)]
    widths = [float(root.get("viewBox").split()[2]) for root in (small, large)]
    scales = [_scale(root, head) for root, head in zip((small, large), heads, strict=True)]
    assert scales[0] == 1.0
    assert scales[1] == pytest.approx(widths[1] / 1000, rel=0.1)
    topology = Torus(x=4, y=3, directions="one")
    root = parsed(Network(topology))
    boxes = {label: box for (label, _), box in boxes_of(root).items()}
    heads = [head for head in root.iter(f"{SVG}polygon") if head.get("class") == "one-way"]
    paths = list(root.iter(f"{SVG}path"))
    assert len(heads) == len(paths) == int((topology.neighbours >= 0).sum())
    assert not list(parsed(Network(Torus(x=4, y=3))).iter(f"{SVG}polygon"))  # both ways
    receivers = [path.find(f"{SVG}title").text.partition(":")[0].split(" - ")[1] for path in paths]
    for head, receiver in zip(heads, receivers, strict=True):
        tip = np.array(head.get("points").split()[0].split(","), float)
        x, y, width, height = boxes[receiver]
        assert np.all(
            np.abs(tip - [x + width / 2, y + height / 2]) < [width / 2 + 6, height / 2 + 6]
        )
