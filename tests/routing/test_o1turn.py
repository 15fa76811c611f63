"""O1TURN: each packet in dimension order, or in the opposite order."""

import itertools

import pytest
from helpers.refusals import refuses
from knotwork import Network
from knotwork.routing import check_deadlock
from knotwork.routing.walks.all_pairs import walk_all

WORDS = ("mesh:x=4,y=3", "mesh:x=3,y=2,z=2", "torus:x=5,y=4", "torus:x=4,y=4,z=3", "mesh:x=5,y=1")


def o1turn(word):
    return Network.from_word(f"{word},routing=o1turn")


def dimensions(topology, path):
    """Dimension of each hop, by the positions of its routers."""
    table = topology.position_table
    return [int((table[a] != table[b]).argmax()) for a, b in itertools.pairwise(path)]


@pytest.mark.parametrize("word", WORDS)
def test_the_draw_says_which_dimension_is_first(word):
    network = o1turn(word)
    topology, routing = network.topology, network.routing
    own = Network.from_word(word).routing
    for source in range(topology.nodes):
        for destination in range(topology.nodes):
            first, second = (routing.hops(source, destination, number) for number in range(2))
            assert first == own.hops(source, destination)
            along = dimensions(topology, [hop.router for hop in second])
            assert along == sorted(along, reverse=True)
            assert len(second) == len(first)
            classes = {hop.virtual_channel for hop in second[:-1]}
            assert classes <= set(range(own.classes, 2 * own.classes))


@pytest.mark.parametrize("word", WORDS)
def test_packets_cannot_deadlock(word):
    routing = o1turn(word).routing
    for enumerate_pairs in (True, False):
        report = check_deadlock(routing, enumerate_pairs=enumerate_pairs)
        assert report.deadlock_free
    assert not routing.in_order


@pytest.mark.parametrize("word", WORDS)
def test_turns_are_those_of_the_walks(word):
    routing = o1turn(word).routing
    walked = walk_all(routing, routing.router_groups).turns
    for router in range(routing.topology.routers):
        assert routing.class_turns(router) == walked[routing.router_groups[router]]


def test_a_square_mesh_carries_twice_as_much_of_a_transpose():
    nodes = range(64)
    rates = [[float(to == at % 8 * 8 + at // 8 != at) for to in nodes] for at in nodes]
    both = o1turn("mesh:x=8,y=8").channel_loads(rates).max()
    one = Network.from_word("mesh:x=8,y=8").channel_loads(rates).max()
    assert one == 7  # row r sends its 7 - r flits through the column of its corner
    assert both == one / 2


def test_what_it_cannot_be_is_refused():
    error = "mesh: virtual_channels must be at least 2 with routing=o1turn, not 1"
    with refuses(error):
        o1turn("mesh:x=3,y=3,virtual_channels=1")
