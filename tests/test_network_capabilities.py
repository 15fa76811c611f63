"""Answers of a resolved network; each is that of the key or routing that decides it."""

import pytest
from helpers.long_links import network_of
from knotwork import Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.parameters import ROUTER_PARAMETERS, PacketParameters


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


def test_a_network_is_resolved_when_it_exists():
    network = Network(Moebius(n=4, twist=0))
    hardware = PacketParameters.of(network.hardware)
    assert hardware.virtual_channels == network.virtual_channels == 1
    assert network.parameters["virtual_channels"] == 1
    assert Network(Moebius(n=8, twist=0), routing="spr").parameters["virtual_channels"] == 3


def test_buffers_behind_long_links_hold_a_round_of_credits():
    network = network_of([(0, 1, 5), (1, 2)], buffer_depth=6)
    assert (network.latency(0, 1), network.latency(1, 2)) == (5, 1)
    assert (network.depth_behind(0, 1), network.depth_at(0, 1)) == (12, 12)
    assert (network.depth_behind(1, 2), network.depth_at(1, 2), network.depth_at(1, 0)) == (6, 6, 6)
    assert (network.deepest_buffer, network.buffer_depth_over(16)) == (12, 34)
    plain = Network(Moebius(n=4, twist=0))
    assert (plain.latency(0, 1), plain.depth_at(0, 1), plain.depth_behind(0, 1)) == (1, 16, 16)
    assert (plain.deepest_buffer, plain.buffers_behind) == (16, None)


@pytest.mark.parametrize("keys", [{"pipeline": 1}, {"buffer_depth": 3}, {"parity": "yes"}])
def test_long_links_need_credits(keys):
    with pytest.raises(ConfigurationError) as error:
        network_of([(0, 1, 5), (1, 2)], **keys)
    assert str(error.value) == (
        "graph: links must take 1 cycle but between packet routers with pipeline=2, buffer_depth "
        "of 4 or more, and neither parity, multicasts nor escapes, not up to 5"
    )


def test_long_links_make_two_cycles_per_hop_the_default():
    assert network_of([(0, 1, 5)]).parameters["pipeline"] == 2
    assert network_of([(0, 1)]).parameters["pipeline"] == 1
