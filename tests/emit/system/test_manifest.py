"""The manifest of a system."""

from knotwork.emit import manifest
from knotwork.emit.system import system_manifest
from knotwork.system import System


def test_it_tells_every_nodes_ports():
    words = "mesh x=2 y=2 node.1.width=64 node.2.bus=none reset=low name=chip"
    told = system_manifest(System.from_words(words.split()))
    assert told["top"] == "chip"
    assert told["reset"] == {"port": "rst_n", "active": "low", "synchronous": True}
    assert told["planes"] == [
        {"name": "streams", "module": "chip_network", "data_width": 32, "ports": []}
    ]
    one, none = told["nodes"][1], told["nodes"][2]
    assert (one["inject"], one["eject"], one["clock"]) == ("s_axis_1", "m_axis_1", "clk")
    assert one["ports"]["s_axis_1_tdata"] == {"bits": 64, "direction": "in"}
    assert one["ports"]["s_axis_1_tready"] == {"bits": 1, "direction": "out"}
    assert (none["bus"], none["ports"]) == ("none", {})


def test_that_of_a_network_alone_is_the_networks():
    system = System.from_words(["mesh", "x=2", "y=2"])
    assert system_manifest(system) == manifest(system.network)
