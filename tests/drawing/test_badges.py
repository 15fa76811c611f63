"""Places of badges."""

import numpy as np
import pytest
from helpers.pictures import badges_of, parsed
from knotwork import Hypercube, Moebius, Network
from knotwork.drawing.badges import Badge, badge_places


def test_a_badge_keeps_off_nodes_badges_and_curves_where_it_can():
    line = np.linspace((0.0, 0.0), (200.0, 0.0), 201)
    crossing = np.linspace((100.0, -60.0), (100.0, 60.0), 201)

    def places(curves, nodes):
        badges = [Badge("1", curve, (0.5, 0.4, 0.6)) for curve in curves]
        return badge_places(badges, np.array(nodes), np.array([12.0, 12.0]))

    far = [[500.0, 500.0]]
    assert [list(place) for place in places([line], far)] == [[100.0, 0.0]]
    assert list(places([line], [[105.0, 20.0]])[0]) == [80.0, 0.0]
    assert list(places([line, crossing], far)[0]) == [80.0, 0.0]
    assert [list(place) for place in places([line, line], far)] == [[100.0, 0.0], [80.0, 0.0]]
    everywhere = [[80.0, 0.0], [100.0, 0.0], [120.0, 0.0]]
    assert list(places([line], everywhere)[0]) == [100.0, 0.0]


@pytest.mark.parametrize(
    ("topology", "source"),
    [(Hypercube(n=3), 5), (Moebius(n=3, twist=1), 1), (Moebius(n=4), 9), (Moebius(n=5), 3)],
    ids=lambda value: getattr(value, "instance_name", None),
)
def test_badges_of_a_multicast_do_not_overlap(topology, source):
    members = [node for node in range(topology.nodes) if node != source]
    badges = badges_of(parsed(Network(topology), multicast=(source, members)))
    assert len(badges) >= len(members)
    for i, (_, (x, y, width, height)) in enumerate(badges):
        for _, (u, v, other_width, other_height) in badges[:i]:
            apart = x >= u + other_width or u >= x + width
            assert apart or y >= v + other_height or v >= y + height
