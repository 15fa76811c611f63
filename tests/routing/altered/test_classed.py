"""Routings of networks with classes of traffic: those of a network without, in own channels."""

import pickle

import pytest
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork.routing.altered import ClassedRouting
from knotwork.routing.deadlock import check_deadlock

WORDS = (
    *("hypercube:n=3", "moebius:n=3,twist=1", "moebius:n=3,routing=spr", "ccc:n=3"),
    *("wk:w=3,levels=2,broadcast=no", "tcpg:k=1,m=1,broadcast=no", "petersen", "rp:k=2"),
    *("torus:x=4,y=2", "mesh:x=3,y=2,z=2", "ring:n=5", "torus:x=3,y=3,directions=one"),
    *("mesh:x=3,y=3,routing=shortest", "mesh:x=3,y=3,dead=0,routing=updown"),
)


def words(word, count):
    return f"{word}{',' if ':' in word else ':'}classes={count}"


@pytest.mark.parametrize("word", WORDS)
def test_paths_are_those_of_the_network_without_in_channels_of_the_class(word):
    network, whole = Network.from_word(words(word, 2)), Network.from_word(word)
    routing, share = ClassedRouting.of(network.routing), whole.virtual_channels
    assert (routing.name, network.virtual_channels) == (whole.routing.name, 2 * share)
    nodes = whole.topology.nodes
    for number in range(2):
        for source in range(nodes):
            to = (source * 5 + 3) % nodes
            known = whole.routing.hops(source, to)
            hops = routing.hops(number * nodes + source, number * nodes + to)
            assert [hop.router for hop in hops] == [hop.router for hop in known]
            assert [hop.port - 1 for hop in hops[:-1]] == [hop.port for hop in known[:-1]]
            assert hops[-1].port == number
            assert [hop.virtual_channel - number * share for hop in hops[:-1]] == [
                hop.virtual_channel for hop in known[:-1]
            ]


@pytest.mark.parametrize("word", WORDS)
def test_no_turn_joins_two_classes_and_the_check_counts_the_channels_of_all(word):
    network, whole = Network.from_word(words(word, 2)), Network.from_word(word)
    share = whole.virtual_channels
    for router in range(network.topology.routers):
        turns, known = network.routing.turns(router), whole.routing.turns(router)
        assert len(turns) == 2 * len(known)
        for came, into, goes, out in turns:
            classes = {into // share} if came > 1 else {came, into // share}
            classes.add(out // share if goes > 1 else goes)
            assert len(classes) == 1
    report, alone = check_deadlock(network.routing), whole.deadlock_report
    assert report.deadlock_free
    assert report.channels == 2 * alone.channels
    assert report.dependencies == 2 * alone.dependencies


def test_a_class_may_have_several_lanes():
    network = Network.from_word("mesh:x=3,y=2,classes=2,virtual_channels=6")
    whole = Network.from_word("mesh:x=3,y=2,virtual_channels=3")
    found = {0: set(), 1: set()}
    for source in range(6):
        for to in range(6):
            lane = whole.routing.lane_of(source, to)
            for number, lanes in found.items():
                ends = (source << 1 | number, to << 1 | number)
                assert network.routing.lane_of(*ends) == 3 * number + lane
                lanes.add(3 * number + lane)
    assert found == {0: {0, 1, 2}, 1: {3, 4, 5}}


def test_comes_again_from_another_process():
    network = Network.from_word("mesh:x=3,y=2,classes=2")
    again = pickle.loads(pickle.dumps(network))
    assert type(again.routing) is type(network.routing)
    assert again.routing.turns(3) == network.routing.turns(3)


@pytest.mark.parametrize(
    ("word", "line"),
    [
        (
            "torus:x=5,y=5,classes=5",
            "torus: classes must be at most 4 with routing=dimension_order, which needs 2 of at "
            "most 8 virtual channels for each, not 5",
        ),
        (
            "mesh:x=2,y=2,classes=3,virtual_channels=4",
            "mesh: virtual_channels must be a multiple of 3 for routing=dimension_order with "
            "classes=3, not 4",
        ),
        (
            "torus:x=5,y=5,classes=2,virtual_channels=6",
            "torus: virtual_channels must be a multiple of 4 for routing=dimension_order with "
            "classes=2, not 6",
        ),
        (
            "mesh:x=2,y=2,classes=2,virtual_channels=1",
            "mesh: virtual_channels must be a multiple of 2 for routing=dimension_order with "
            "classes=2, not 1",
        ),
    ],
)
def test_channels_must_be_shared_evenly(word, line):
    with pytest.raises(ConfigurationError) as refused:
        Network.from_word(word)
    assert str(refused.value) == line


def test_too_few_channels_of_a_class_fail_the_check():
    report = Network.from_word("torus:x=5,y=5,classes=2,virtual_channels=2").deadlock_report
    assert not report.deadlock_free
