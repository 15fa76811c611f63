"""Table of the options of packet routers: what chooses one, which exclude each other."""

import pytest
from helpers.refusals import refuses
from knotwork import Network
from knotwork.parameters.options import (
    OPTIONS,
    chosen_options,
    impossible_pairs,
    possible_defaults,
    require_possible,
)
from knotwork.routing.network_keys import all_network_keys, options_of
from knotwork.topology import TOPOLOGIES


def names(keys):
    return [one.option.name for one in chosen_options(keys)]


def test_the_table_is_sound():
    known = [option.name for option in OPTIONS]
    assert len(set(known)) == len(known)
    for option in OPTIONS:
        assert set(option.impossible_with) <= set(known) - {option.name}
        assert not option.is_chosen_by(option.without) or option.key in ("routing", "dead")
    pairs = [{one.name, other.name} for one, other, _ in impossible_pairs()]
    assert [pair for pair in pairs if pairs.count(pair) > 1] == []  # each stands once


def test_every_option_is_one_of_some_network():
    found = {option.name for name in TOPOLOGIES for option in options_of(name)}
    assert found == {option.name for option in OPTIONS}
    assert options_of("lcan") == []
    for name in TOPOLOGIES.shipped:
        keys = all_network_keys(name)
        assert {option.key for option in options_of(name)} <= {*keys, "latency"}
    assert "broadcast" not in {option.name for option in options_of("mesh")}
    assert "long links" in {option.name for option in options_of("graph")}


def test_its_example_chooses_an_option():
    for option in OPTIONS:
        keys = dict(word.split("=") for word in option.example.split() if "=" in word)
        if option.name not in ("lanes", "long links"):  # which depend on the network
            assert option.name in names(keys)
            assert names({option.key: option.without}) == [] or option.key in ("routing", "dead")


def test_values_may_be_texts_or_what_they_stand_for():
    assert names({"parity": "yes", "counters": True, "watchdog": 7, "classes": 2}) == [
        *("parity", "classes", "counters", "watchdog"),
    ]
    assert names({"parity": False, "counters": "no", "watchdog": 0, "classes": "1"}) == []
    assert names({"tables": "fixed", "pipeline": 2, "vc_scheme": "ascents"}) == []
    assert names({"parity": None}) == []


def test_two_that_exclude_each_other_are_refused():
    keys = {"multicast": True, "tables": "loaded"}
    with refuses(
        "x: multicast must be no with tables=loaded, because a table need not keep the order that "
        "relays need, not yes"
    ):
        require_possible(keys, owner="x")
    require_possible(keys | {"multicast": False}, owner="x")


def test_a_default_that_others_exclude_gives_way():
    defaults = {"broadcast": "label", "parity": False}
    assert possible_defaults({"tables": "loaded"}, defaults) == {"broadcast": "no"}
    assert possible_defaults({"tables": "loaded", "broadcast": "mask"}, defaults) == {}
    assert possible_defaults({"parity": True}, defaults) == {}


@pytest.mark.parametrize(
    ("word", "line"),
    {
        "mesh:x=3,y=3,parity=yes": "mesh: parity must be no with pipeline=1, whose routers have no "
        "options, not yes; pipeline=2 has them all",
        "mesh:x=3,y=3,watchdog=9": "mesh: watchdog must be 0 with pipeline=1, whose routers have "
        "no options, not 9; pipeline=2 has them all",
        "mesh:x=3,y=3,classes=2": "mesh: classes must be 1 with pipeline=1, whose routers have no "
        "options, not 2; pipeline=2 has them all",
        "mesh:x=3,y=3,tables=loaded": "mesh: tables must be fixed with pipeline=1, whose routers "
        "have no options, not loaded; pipeline=2 has them all",
        "mesh:x=3,y=3,virtual_channels=2": "mesh: virtual_channels must be 1 with pipeline=1, not "
        "2; pipeline=2 has more",
        "torus:x=5,y=5": "torus: pipeline must be 2 or 3 with routing=dimension_order, which needs "
        "2 virtual channels, not 1",
        "wk:w=3,levels=2": "wk: pipeline must be 2 or 3 with routing=unicast, which needs 2 "
        "virtual channels, not 1",
    }.items(),
)
def test_plain_routers_have_no_options(word, line):
    with refuses(line):
        Network.from_word(f"{word},pipeline=1")


@pytest.mark.parametrize(
    "word",
    ["mesh:x=3,y=3", "mesh:x=3,y=3,nodes_per_router=2", "torus:x=5,y=5,routing=updown",
     "mesh:x=3,y=3,dead=0-1", "wk:w=3,levels=2,routing=updown", "mesh:x=3,y=3,parity=no"],
)  # fmt: skip
def test_plain_routers_have_one_virtual_channel_and_any_number_of_nodes(word):
    network = Network.from_word(f"{word},pipeline=1")
    assert (network.virtual_channels, network.cycles_per_hop) == (1, 1)
