"""Questions that the parameters of every router class answer."""

import re

import pytest
from knotwork.parameters import (
    ROUTER_PARAMETERS,
    BatchParameters,
    CircuitParameters,
    DeflectionParameters,
    PacketParameters,
    RouterParameters,
)


@pytest.mark.parametrize("name", ROUTER_PARAMETERS)
def test_every_class_says_which_packets_it_takes(name):
    hardware = ROUTER_PARAMETERS[name]()
    assert 1 <= hardware.shortest_packet <= (hardware.longest_packet or hardware.shortest_packet)
    assert hardware.cycles_per_hop >= 1
    assert hardware.input_buffer >= 0


def test_keys_answer_for_their_class():
    assert PacketParameters(parity=True).has_parity
    assert PacketParameters(allow_deadlock=True).allows_deadlock
    assert PacketParameters(pipeline=2).cycles_per_hop == 2
    assert PacketParameters(buffer_depth=8).input_buffer == 8
    assert CircuitParameters(max_packet=5).longest_packet == 5
    assert BatchParameters(words=3).shortest_packet == BatchParameters(words=3).longest_packet == 3
    assert not DeflectionParameters(source=False).has_source
    assert DeflectionParameters(sequence_width=4).sequence_bits == 4


def test_virtual_channels_are_resolved_where_a_class_has_them():
    asked = PacketParameters()
    assert asked.asked_virtual_channels is None
    assert asked.resolved(3).virtual_channels == 3
    batch = BatchParameters()
    assert batch.resolved(1) is batch


def test_parameters_of_another_class_are_refused():
    words = "parameters must be PacketParameters, not BatchParameters"
    with pytest.raises(TypeError, match=f"^{re.escape(words)}$"):
        PacketParameters.of(BatchParameters())
    hardware: RouterParameters = PacketParameters()
    assert PacketParameters.of(hardware) is hardware
