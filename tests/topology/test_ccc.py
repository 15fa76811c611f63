import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork import CubeConnectedCycles, Moebius
from knotwork.topology import metrics
from knotwork.topology.ccc import BACKWARD, FORWARD, LATERAL

# Section 1 of the specification: n, x, y, simple edges, nodes with and without a lateral link,
# diameter, mean distance.
TABLE = [
    (2, 1, 1, 3, 2, 2, 3, 1.6667),
    (3, 2, 1, 8, 8, 0, 4, 2.2857),
    (4, 2, 2, 20, 8, 8, 6, 3.0667),
    (5, 3, 2, 44, 24, 8, 7, 3.9355),
    (6, 4, 2, 96, 64, 0, 8, 4.6984),
    (7, 4, 3, 160, 64, 64, 12, 6.7244),
    (8, 5, 3, 336, 160, 96, 13, 7.8235),
    (9, 6, 3, 704, 384, 128, 15, 8.8806),
    (10, 7, 3, 1472, 896, 128, 17, 9.8152),
    (11, 8, 3, 3072, 2048, 0, 18, 10.6028),
    (12, 8, 4, 5120, 2048, 2048, 24, 14.9487),
    (13, 9, 4, 10496, 4608, 3584, 25, 16.2099),
    (14, 10, 4, 21504, 10240, 6144, 27, 17.4731),
]

cycles = st.builds(CubeConnectedCycles, n=st.integers(2, 11))


@pytest.mark.parametrize(("n", "x", "y", "edges", "with_l", "without", "diameter", "mean"), TABLE)
def test_the_table_of_the_specification(n, x, y, edges, with_l, without, diameter, mean):
    ccc = CubeConnectedCycles(n=n)
    assert (ccc.cube_bits, ccc.cycle_bits, ccc.cycle_length) == (x, y, 2**y)
    assert ccc.nodes == ccc.routers == 2**n
    links, simple = metrics.link_counts(ccc.neighbours)
    assert simple == edges
    assert links == 2**n + x * 2 ** (x - 1)
    lateral = ccc.neighbours[:, LATERAL] >= 0
    assert (lateral.sum(), (~lateral).sum()) == (with_l, without)
    assert metrics.degrees(ccc.neighbours) == (3 if without == 0 else 2, 3)
    assert ccc.diameter == diameter
    assert ccc.average_distance == pytest.approx(mean, abs=5e-5)


def test_sixteen_nodes_by_hand_and_many_by_one_cycle():
    # Two bits of place: 0110 is place 2 of cycle 1, which has no lateral link (x = 2).
    ccc = CubeConnectedCycles(n=4)
    assert ccc.ports == ("local", "F", "B", "L")
    assert ccc.neighbours[0b0110].tolist() == [-1, 0b0111, 0b0101, -1]
    assert ccc.neighbours[0b0111].tolist() == [-1, 0b0100, 0b0110, -1]
    assert ccc.neighbours[0b0100].tolist() == [-1, 0b0101, 0b0111, 0b0000]
    assert ccc.neighbours[0b0101].tolist() == [-1, 0b0110, 0b0100, 0b1101]
    assert ccc.connected_ports(0b0110) == (0, FORWARD, BACKWARD)
    assert ccc.cycle_position(0b0110) == 2
    counts = CubeConnectedCycles(n=16).distance_counts
    assert counts.sum() == 4**16
    assert counts[0] == 2**16
    assert Moebius(n=16).distance_counts is None  # every router stands for itself


@given(ccc=cycles, data=st.data())
def test_the_links_of_a_node(ccc, data):
    router = data.draw(st.integers(0, ccc.nodes - 1))
    cycle, place = divmod(router, ccc.cycle_length)
    ahead = cycle * ccc.cycle_length + (place + 1) % ccc.cycle_length
    assert ccc.neighbours[router, FORWARD] == ahead
    assert ccc.neighbours[ahead, BACKWARD] == router
    across = (cycle ^ 2**place) * ccc.cycle_length + place if place < ccc.cube_bits else -1
    assert ccc.neighbours[router, LATERAL] == across
    assert ccc.is_link_marked(router, LATERAL)
    assert not ccc.is_link_marked(router, FORWARD)


def in_rings(ccc):
    """Middles of the cycles in the drawing, and the places round them."""
    rings = ccc.layout().reshape(-1, ccc.cycle_length, 2)
    middles = rings.mean(axis=1)
    return middles, rings - middles[:, None]


@pytest.mark.parametrize("n", range(2, 11))
def test_cycles_are_drawn_apart_with_lateral_links_where_they_face(n):
    middles, around = in_rings(CubeConnectedCycles(n=n))
    radius = np.hypot(*around.transpose(2, 0, 1))
    assert radius == pytest.approx(radius[0, 0])
    sides = np.hypot(*(around - np.roll(around, 1, axis=1)).transpose(2, 0, 1))
    assert sides == pytest.approx(sides[0, 0])
    between = np.hypot(*(middles[:, None] - middles).transpose(2, 0, 1))
    np.fill_diagonal(between, np.inf)
    assert between.min() > 2.5 * radius[0, 0]
    ccc = CubeConnectedCycles(n=n)
    middles, around = in_rings(ccc)
    radius = np.hypot(*around[0, 0])
    for place in range(min(ccc.cube_bits, 2)):  # those to the nearest rings
        away = middles[np.arange(len(middles)) ^ 1 << place] - middles
        cosine = (around[:, place] * away).sum(axis=1) / radius / np.hypot(*away.T)
        if n < 7:
            assert cosine.min() > 0.7  # within 45 degrees
        # On longer rings more links draw at a ring, but the shortest ones most.
        assert place or cosine.mean() > 0.7
