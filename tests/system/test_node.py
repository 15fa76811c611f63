"""Keys of a node, and which of them go together."""

import pytest
from knotwork.errors import ConfigurationError
from knotwork.system.node import NodeParameters, resolved_node

ALL = NodeParameters(width=64)


def test_own_keys_stand_above_those_of_all_nodes():
    node = resolved_node(3, NodeParameters(clock="own"), ALL, 32)
    assert (node.index, node.bus, node.width, node.has_own_clock) == (3, "stream", 64, True)
    assert resolved_node(0, NodeParameters(), NodeParameters(), 32).width == 32
    assert resolved_node(0, NodeParameters(width=8), ALL, 32).width == 8


def test_a_bus_has_a_side_and_no_width_of_its_own():
    keys = NodeParameters(bus="axi4", side="target")
    node = resolved_node(1, keys, ALL, 32)
    assert (node.is_target, node.is_initiator, node.is_stream, node.width) == (
        True,
        False,
        False,
        0,
    )


def test_nothing_has_no_clock():
    node = resolved_node(1, NodeParameters(bus="none"), NodeParameters(clock="own"), 32)
    assert not node.has_own_clock


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (
            {"bus": "axi4", "side": "target", "width": 64},
            "node 2: width must go with bus=stream, not bus=axi4, whose data_width is the bus's",
        ),
        ({"bus": "apb"}, "node 2: side must be given, one of initiator, target, with bus=apb"),
        ({"side": "target"}, "node 2: side must go with a memory-mapped bus, not bus=stream"),
        (
            {"bus": "none", "side": "target"},
            "node 2: side must go with a memory-mapped bus, not bus=none",
        ),
        (
            {"width": 24},
            "node 2: width must divide the network's data_width of 32, or be a multiple of it, "
            "not 24",
        ),
        ({"bus": "none", "width": 8}, "node 2: width must go with bus=stream, not bus=none"),
        (
            {"bus": "axi4", "side": "target", "clock": "mesochronous"},
            "node 2: clock=mesochronous must go with bus=stream, not bus=axi4",
        ),
        (
            {"bus": "none", "clock": "own"},
            "node 2: clock must go with a node that has ports, not bus=none",
        ),
    ],
)
def test_keys_that_do_not_go_together_are_refused(keys, line):
    with pytest.raises(ConfigurationError) as refused:
        resolved_node(2, NodeParameters(**keys), NodeParameters(), 32)
    assert str(refused.value) == line


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"width": 7}, "node: width must be an integer in 8..1024, not 7"),
        (
            {"clock": "slow"},
            "node: clock must be one of network, own, mesochronous, not 'slow'",
        ),
        (
            {"bus": "axi"},
            "node: bus must be one of stream, axi4, axi_lite, wishbone, apb, none, not 'axi'; "
            "did you mean axi4?",
        ),
    ],
)
def test_values_out_of_range_are_refused(keys, line):
    with pytest.raises(ConfigurationError) as refused:
        NodeParameters(**keys)
    assert str(refused.value) == line
