"""The network within a system."""

from knotwork.system import network_within, network_within_word


def test_keys_of_nodes_are_left_out():
    network = network_within(["mesh", "x=2", "y=3", "node.width=64", "keep=yes"])
    assert (network.topology.nodes, network.hardware.data_width) == (6, 32)
    assert network.name == "mesh_x2_y3"
    assert network_within_word("mesh:x=2,y=3,node.1.clock=own").name == "mesh_x2_y3"
