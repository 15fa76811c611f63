"""Ports of links: every link at both ends, and no more ports than meet at a router."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork.topology.graph_file.wiring import Link, join_links, unreached_pair, wire_links


@st.composite
def link_lists(draw):
    routers = draw(st.integers(2, 12))
    router = st.integers(0, routers - 1)
    link = st.tuples(router, router, st.booleans(), st.integers(1, 2))
    link = link.filter(lambda link: link[0] != link[1])
    return routers, [Link(*link) for link in draw(st.lists(link, min_size=1, max_size=40))]


def arcs(links):
    """Ways from router to router, with their latency, and how many there are."""
    return Counter(
        way
        for a, b, two_way, cycles in links
        for way in ((a, b, cycles), (b, a, cycles))[: 1 + two_way]
    )


@given(link_lists())
def test_joined_links_lead_the_same_ways(drawn):
    _, links = drawn
    found = join_links(links)
    assert arcs(found) == arcs(links)
    one_way = {(a, b, cycles) for a, b, two_way, cycles in found if not two_way}
    back = {(b, a, cycles) for a, b, cycles in one_way}
    assert not one_way & back  # all that go there and back are join_links


@given(link_lists(), st.integers(1, 3))
def test_every_link_has_a_port_at_both_ends(drawn, first):
    routers, links = drawn
    near, peers, latency = wire_links(routers, links, first=first)
    ends = [(router, port) for router, port in np.argwhere(near >= 0).tolist()]
    told = [(router, int(near[router, port]), int(latency[router, port])) for router, port in ends]
    assert Counter(told) == arcs(links)
    assert (latency[near < 0] == 1).all()
    into = [(int(near[end]), int(peers[end])) for end in ends]
    assert len(set(into)) == len(into)
    assert min(port for _, port in (*ends, *into)) == first
    sent = Counter(a for ways in arcs(links).elements() for a in ways[:1])
    came = Counter(b for ways in arcs(links).elements() for b in ways[1:2])
    assert near.shape == (routers, first + max(*sent.values(), *came.values()))
    for a, b, two_way, _ in links:
        if two_way:  # one port at each end serves both ways
            ports = [p for r, p in ends if r == a and near[r, p] == b]
            assert any((near[b, peers[a, p]], peers[b, peers[a, p]]) == (a, p) for p in ports)


@pytest.mark.parametrize(
    ("links", "pair"),
    [
        ([Link(0, 1, True)], (0, 2)),
        ([Link(0, 1, True), Link(1, 2, False)], (2, 0)),
        ([Link(0, 1, False), Link(1, 2, False), Link(2, 0, False)], None),
    ],
)
def test_pairs_without_a_way(links, pair):
    assert unreached_pair(3, links) == pair
