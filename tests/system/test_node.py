"""Keys of a node, and which of them go together."""

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
