"""What no drawing may do: cut something off, or lay a link under a node that is not its own."""

import re

import numpy as np
import pytest
from helpers.pictures import SVG, boxes_of, corners_of, parsed, points_of
from knotwork import Network, Torus
from knotwork.drawing.svg import ROUTER_LIMIT
from knotwork.errors import ConfigurationError

MOST_NODES = 64
INTERCONNECTS = ("complete", "tree")


def _sizes(most=MOST_NODES):
    """Every network of so many nodes, but for the levels of switches: of those all equal ones."""
    yield "petersen"
    for n in range(1, 7):
        yield from (f"hypercube:n={n}", f"moebius:n={n}", f"moebius:n={n},twist=1")
        if n > 1:
            yield f"ccc:n={n}"
        yield f"baseline:levels={n}"
        banyans = ((f, s) for f in (2, 3, 4, 8) for s in (1, 2, 3, 4) if f**n <= most)
        yield from (f"sw_banyan:f={f},s={s},levels={n}" for f, s in banyans)
    for w in range(2, 17):
        yield from (f"wk:w={w},levels={levels}" for levels in range(1, 7) if w**levels <= most)
    yield from (f"rp:k={k}" for k in range(1, most // 10 + 1))
    yield "tcpg:k=1,m=1"
    yield from (f"kyklos:k=2,levels=4,copies={copies}" for copies in range(1, 5))
    yield from ("kyklos:k=2,levels=6", "kyklos:k=4,levels=3", "kyklos:k=8,levels=2,copies=2")
    yield from ("cm5:levels=2", "cm5:levels=3", "fattree:r=2,4,2,u=2,8,1", "fattree:r=8,8,u=4,1")
    yield from (f"trac:levels={levels}" for levels in (1, 2, 3))
    for x in range(2, most // 2 + 1):
        for y in range(2, most // x + 1):
            yield from (f"torus:x={x},y={y}", f"mesh:x={x},y={y}")
            yield f"torus:x={x},y={y},directions=one,virtual_channels=2"
    for d in range(2, most + 1):
        for levels in (levels for levels in range(1, 7) if d**levels <= most):
            for u in (1, 2, 4, 8, 16):
                yield from (
                    f"lcan:d={d},u={u},levels={levels},interconnect={i}" for i in INTERCONNECTS
                )


def _drawable():
    for word in dict.fromkeys(_sizes()):
        try:
            network = Network.from_word(word)
        except ConfigurationError:
            continue  # no such network
        topology = network.topology
        if topology.nodes <= MOST_NODES and topology.routers + topology.nodes <= ROUTER_LIMIT:
            yield word


def _faults(root):
    """Links under foreign boxes, and what reaches out of the picture."""
    _, _, width, height = map(float, root.get("viewBox").split())
    inside, found = np.array([width, height]), []
    boxes = boxes_of(root)
    names = [label for label, _ in boxes]
    lows = np.array([box[:2] for box in boxes.values()])
    sizes = np.array([box[2:] for box in boxes.values()])
    if (lows < 0).any() or (lows + sizes > inside).any():
        found.append("a box outside")
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


def _scale(root, text):
    for group in root.findall(f"{SVG}g"):
        if text in list(group) and group.get("transform"):
            return float(re.search(r"scale\(([\d.]+)\)", group.get("transform"))[1])
    return 1.0


QUICK = [
    *("petersen", "tcpg:k=1,m=1", "rp:k=1", "rp:k=2", "rp:k=3", "rp:k=6", "hypercube:n=1"),
    *("hypercube:n=6", "moebius:n=5,twist=1", "moebius:n=6", "ccc:n=6", "wk:w=7,levels=2"),
    *("torus:x=2,y=24", "torus:x=21,y=3", "torus:x=2,y=31", "torus:x=8,y=8", "torus:x=2,y=2"),
    *("torus:x=4,y=4,directions=one,virtual_channels=2", "lcan:d=4,u=4,levels=3"),
    *("baseline:levels=4", "fattree:r=8,8,u=4,1", "cm5:levels=2", "trac:levels=2"),
    *("kyklos:k=2,levels=3", "kyklos:k=3,levels=2,copies=3"),
]


@pytest.mark.parametrize("word", QUICK)
def test_no_link_lies_under_a_foreign_node_and_nothing_is_cut_off(word):
    assert _faults(parsed(Network.from_word(word))) == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_that_holds_of_all_networks_of_up_to_64_nodes():
    words = list(_drawable())
    assert len(words) > 300
    faults = {word: _faults(parsed(Network.from_word(word))) for word in words}
    assert {word: found for word, found in faults.items() if found} == {}


LARGE = [pytest.param("hypercube:n=10", marks=pytest.mark.slow), "hypercube:n=8", "tcpg:k=2,m=2"]


@pytest.mark.parametrize("word", LARGE)
def test_nothing_of_a_large_drawing_is_cut_off(word):
    found = _faults(parsed(Network.from_word(word)))
    assert [fault for fault in found if not fault.endswith("under a box")] == []


def test_the_words_grow_with_the_picture():
    small, large = (parsed(Network(Torus(x=x, y=3))) for x in (3, 30))
    heads = [next(iter(root.iter(f"{SVG}text"))) for root in (small, large)]
    widths = [float(root.get("viewBox").split()[2]) for root in (small, large)]
    scales = [_scale(root, head) for root, head in zip((small, large), heads, strict=True)]
    assert scales[0] == 1.0
    assert scales[1] == pytest.approx(widths[1] / 1000, rel=0.1)


def test_one_way_links_have_arrow_heads_at_their_receivers():
    topology = Torus(x=4, y=3, directions="one")
    root = parsed(Network(topology))
    boxes = {label: box for (label, _), box in boxes_of(root).items()}
    heads = [head for head in root.iter(f"{SVG}polygon") if head.get("class") == "one-way"]
    paths = list(root.iter(f"{SVG}path"))
    assert len(heads) == len(paths) == int((topology.neighbours >= 0).sum())
    receivers = [path.find(f"{SVG}title").text.partition(":")[0].split(" - ")[1] for path in paths]
    for head, receiver in zip(heads, receivers, strict=True):
        tip = np.array(head.get("points").split()[0].split(","), float)
        x, y, width, height = boxes[receiver]
        assert np.all(
            np.abs(tip - [x + width / 2, y + height / 2]) < [width / 2 + 6, height / 2 + 6]
        )


def test_links_both_ways_have_no_arrow_heads():
    assert not list(parsed(Network(Torus(x=4, y=3))).iter(f"{SVG}polygon"))
