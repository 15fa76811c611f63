"""Answers of a resolved network; each is that of the key or routing that decides it."""

import pytest
from knotwork import Moebius, Network
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
