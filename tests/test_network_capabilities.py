"""Answers of a resolved network; each is that of the key or routing that decides it."""

from fractions import Fraction

import pytest
from helpers.long_links import network_of
from knotwork import Mesh, Moebius, Network, with_classes
from knotwork.errors import ConfigurationError
from knotwork.parameters import ROUTER_PARAMETERS, Limit, PacketParameters


@pytest.mark.parametrize(
    ("word", "answers"),
    [
        ("moebius:n=4,routing=spr,pipeline=2", {"virtual_channels": 2, "cycles_per_hop": 2}),
        ("hypercube:n=3,parity=yes", {"has_parity": True, "flag_width": 1}),
        ("hypercube:n=3,multicast=yes", {"has_multicast": True, "virtual_channels": 3}),
        ("wk:w=3,levels=2", {"has_broadcast": True, "has_multicast": False}),
        ("wk:w=3,levels=2,broadcast=no", {"has_broadcast": False}),
        ("ccc:n=4,routing=lc2,words=3", {"router_class": "batch", "longest_packet": 3}),
        ("lcan:d=2,u=2,levels=2", {"router_class": "circuit", "longest_packet": 16}),
        ("mesh:x=2,y=2,router=deflection,source=no", {"has_source": False, "longest_packet": 1}),
        ("mesh:x=2,y=2,router=deflection,sequence_width=5", {"sequence_width": 5}),
        ("mesh:x=2,y=2,allow_deadlock=yes", {"allows_deadlock": True, "longest_packet": None}),
    ],
)
def test_answers(word, answers):
    network = Network.from_word(word)
    assert {name: getattr(network, name) for name in answers} == answers
    assert network.router_class in ROUTER_PARAMETERS


def test_networks_are_resolved_and_buffers_hold_a_round_of_credits():
    network = Network(Moebius(n=4, twist=0))
    hardware = PacketParameters.of(network.hardware)
    assert hardware.virtual_channels == network.virtual_channels == 1
    assert network.parameters["virtual_channels"] == 1
    assert Network(Moebius(n=8, twist=0), routing="spr").parameters["virtual_channels"] == 3
    network = network_of([(0, 1, 5), (1, 2)], buffer_depth=6)
    assert (network.latency(0, 1), network.latency(1, 2)) == (5, 1)
    assert (network.depth_behind(0, 1), network.depth_at(0, 1)) == (12, 12)
    assert (network.depth_behind(1, 2), network.depth_at(1, 2), network.depth_at(1, 0)) == (6, 6, 6)
    assert (network.deepest_buffer, network.buffer_depth_over(16)) == (12, 34)
    plain = Network(Moebius(n=4, twist=0))
    assert (plain.latency(0, 1), plain.depth_at(0, 1), plain.depth_behind(0, 1)) == (1, 16, 16)
    assert (plain.deepest_buffer, plain.buffers_behind) == (16, None)
    network = network_of([(0, 1, 5), (1, 2)], buffer_depth=5, pipeline=3)
    assert (network.depth_behind(0, 1), network.depth_behind(1, 2)) == (13, 5)


def test_long_links_need_credits():
    with pytest.raises(ConfigurationError) as error:
        network_of([(0, 1, 5), (1, 2)], pipeline=1)
    assert str(error.value) == (
        "graph: latency must be 1 with pipeline=1, whose routers have no options, not 5; "
        "pipeline=2 has them all"
    )


@pytest.mark.parametrize(
    ("word", "cycles"), [("mesh:x=3,y=2,pipeline=1", 1), ("hypercube:n=3", 2),
                         ("hypercube:n=3,pipeline=3", 2), ("mesh:x=3,y=2,router=deflection", 2)]
)  # fmt: skip
def test_a_cycle_of_the_crossbar_is_not_on_the_way_to_a_node(word, cycles):
    network = Network.from_word(word)
    assert network.cycles_to_node == cycles
    assert network.has_crossbar_stage == (network.cycles_per_hop == 3)


@pytest.mark.parametrize(
    ("keys", "line"),
    {
        "pipeline=1": "mesh: classes must be 1 with pipeline=1, whose routers have no options, "
        "not 2; pipeline=2 has them all",
        "class_limits=1/4": "mesh: class_limits must be 2 numbers, one for each class, not 1/4",
        "class_limits=1,1/4,class_bursts=1,2,3": "mesh: class_bursts must be 2 numbers, one for "
        "each class, not 1,2,3",
        "class_bursts=1,2": "mesh: class_bursts must go with class_limits, not alone as 1,2",
        "class_limits=1,1/257": "packet router: class_limits must be fractions above 0 and up to "
        "1, over 256 at most, separated by commas, not '1,1/257'",
        "class_limits=1,1/0": "packet router: class_limits must be fractions above 0 and up to 1, "
        "over 256 at most, separated by commas, not '1,1/0'",
        "arbitration=weighted,class_weights=1,2,3": "mesh: class_weights must be 2 numbers, one "
        "for each class, not 1,2,3",
        "class_weights=3,1": "mesh: class_weights must go with arbitration=weighted, not with "
        "strict as 3,1",
        "arbitration=weighted,class_weights=0,16": "packet router: class_weights must be integers "
        "in 1..15 separated by commas, not (0, 16)",
        "arbitration=lottery": "packet router: arbitration must be one of strict, weighted, not "
        "'lottery'",
    }.items(),
)
def test_classes_need_credits(keys, line):
    with pytest.raises(ConfigurationError) as error:
        Network.from_word(f"mesh:x=3,y=2,classes=2,{keys}")
    assert str(error.value) == line
    network = Network.from_word("mesh:x=3,y=2,classes=2")
    assert (network.cycles_per_hop, network.traffic_classes) == (2, 2)


@pytest.mark.parametrize("key", ["class_limits=1/4", "class_bursts=4", "class_weights=4"])
def test_limits_are_of_classes(key):
    with pytest.raises(ConfigurationError) as error:
        Network.from_word(f"mesh:x=3,y=2,{key}")
    name, _, told = key.partition("=")
    assert str(error.value) == (
        f"mesh: {name} must be unnamed without classes of traffic, not {told}"
    )


def test_limits_of_each_class():
    network = Network.from_word("mesh:x=3,y=2,classes=3,class_limits=1,0.25,1/9,class_bursts=1,2,3")
    assert network.injection_limits == (
        None, Limit(Fraction(1, 4), 2), Limit(Fraction(1, 9), 3),
    )  # fmt: skip
    assert Network.from_word("mesh:x=3,y=2").injection_limits == (None,)
    assert Network.from_word("mesh:x=2,y=2,router=deflection").injection_limits == (None,)
    again = Network(with_classes(Mesh(x=3, y=2), 2), class_limits=[1, "1/20"])
    assert again.injection_limits == (None, Limit(Fraction(1, 20), 1))
    assert again.parameters["class_limits"] == "1,1/20"
    assert again.name == "mesh_x3_y2_classes2_class_limits1_1in20"


def test_weights_of_each_class():
    word = "mesh:x=3,y=2,classes=3"
    assert Network.from_word(word).class_weights == ()
    assert Network.from_word(f"{word},arbitration=strict").parameters.get("arbitration") is None
    even = Network.from_word(f"{word},arbitration=weighted")
    assert even.class_weights == (1, 1, 1)
    network = even.changed(class_weights="3,1,15")
    assert network.class_weights == (3, 1, 15)
    told = {key: network.parameters[key] for key in ("arbitration", "class_weights")}
    assert told == {"arbitration": "weighted", "class_weights": (3, 1, 15)}
    assert network.name == "mesh_x3_y2_classes3_arbitrationweighted_class_weights3_1_15"
    again = Network(with_classes(Mesh(x=3, y=2), 2), arbitration="weighted", class_weights=[3, 1])
    assert again.class_weights == (3, 1)
    assert Network.from_word("mesh:x=2,y=2,router=deflection").class_weights == ()
    with pytest.raises(ConfigurationError) as error:
        Network.from_word("mesh:x=3,y=2,arbitration=weighted")
    assert str(error.value) == (
        "mesh: arbitration must be strict without classes of traffic, not weighted"
    )
