"""Boxes of nodes and routers."""

import pytest
from helpers.pictures import parsed, rects_of
from knotwork import CubeConnectedCycles, Moebius, Network, WkRecursive


@pytest.mark.parametrize(
    "topology",
    [
        *(Moebius(n=n, twist=twist) for n in (3, 4) for twist in (0, 1)),
        *(CubeConnectedCycles(n=n) for n in range(2, 8)),
        *(WkRecursive(w=w, levels=2) for w in range(2, 9)),
        *(WkRecursive(w=w, levels=3) for w in range(2, 6)),
    ],
    ids=lambda topology: topology.instance_name,
)
def test_nodes_do_not_overlap(topology):
    root = parsed(Network(topology))
    boxes = [
        tuple(float(box.get(key)) for key in ("x", "y", "width", "height"))
        for box in rects_of(root)
    ]
    assert len(boxes) == topology.nodes
    for i, (x, y, width, height) in enumerate(boxes):
        for u, v, _, _ in boxes[:i]:
            assert abs(x - u) > width or abs(y - v) > height
