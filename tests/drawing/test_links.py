"""Links of a network as a drawing lists them."""

from helpers.long_links import graph_of
from helpers.ring import Ring
from knotwork import Lcan
from knotwork.drawing.links import box_of, has_node_boxes, links_of


def test_links_are_listed_from_their_lower_router():
    links = links_of(Ring(nodes=5))
    assert [link.ends for link in links] == [(0, 1), (0, 4), (1, 2), (2, 3), (3, 4)]
    assert [link.ports for link in links] == [(1, 2), (2, 1), (1, 2), (1, 2), (1, 2)]
    assert {link.port for link in links} == {1}


def test_nodes_have_boxes_where_they_are_not_routers():
    direct, levels = Ring(nodes=5), Lcan(d=2, u=2, levels=2)
    assert not has_node_boxes(direct)
    assert [box_of(direct, node) for node in range(5)] == list(range(5))
    assert has_node_boxes(levels)
    assert [box_of(levels, node) for node in range(4)] == [4, 5, 6, 7]
    attached = [link for link in links_of(levels) if link.kind == 0]
    assert [link.ends for link in attached] == [(0, 4), (0, 5), (1, 6), (1, 7)]


def test_links_have_their_latency():
    links = links_of(graph_of([(0, 1, 3), (1, 2), (2, 0, 16)]))
    assert {(link.ends, link.latency) for link in links} == {((0, 1), 3), ((1, 2), 1), ((0, 2), 16)}
    assert {link.latency for link in links_of(Ring(nodes=5))} == {1}
