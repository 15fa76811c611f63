"""Routings that a network has of its own."""

from helpers.ring import Ring
from knotwork import Network
from knotwork.routing import add_routing, all_routings_of, routings_of
from knotwork.routing.adaptive import Adaptive
from knotwork.routing.generated import UpDown
from knotwork.routing.romm import Romm
from knotwork.routing.valiant import Valiant
from knotwork.topology import TOPOLOGIES


def test_the_default_comes_first_and_others_are_not_counted():
    for name in TOPOLOGIES.shipped:
        own, all_of = routings_of(name), all_routings_of(name)
        assert next(iter(own)) == next(iter(all_of))
        assert own.items() <= all_of.items()
        assert not {"adaptive", "valiant", "romm"} & set(own)
        if TOPOLOGIES[name].is_direct:
            assert all_of["adaptive"] is Adaptive
            assert all_of["valiant"] is Valiant
            assert all_of["romm"] is Romm


def test_what_is_no_network_has_none():
    assert routings_of("nowhere") == {}


def test_a_graph_of_a_user_s_has_the_generated_ones():
    assert next(iter(routings_of(Ring).values())) is UpDown


def test_one_more_is_added_behind_the_others():
    class Other(UpDown):
        name = "other"

    add_routing("mesh", Other)
    assert list(routings_of("mesh")) == ["dimension_order", "o1turn", "other"]
    assert Network.from_word("mesh:x=2,y=2,routing=other").routing.name == "other"


def test_several_nodes_per_router_have_those_of_one():
    network = Network.from_word("mesh:x=2,y=2,nodes_per_router=2")
    assert list(routings_of(type(network.topology)))[:1] == ["dimension_order"]
