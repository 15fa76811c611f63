"""Top of a system, as other people's tools see it."""

import pytest
from helpers.systems import OF_BRIDGES, OF_STREAMS, ports_of, system_and_verilog
from knotwork_soc import System
from knotwork_soc.emit.nodes import clock_ports, named, outside_ports
from knotwork_soc.emit.package import node_interfaces, system_top


def test_its_regions_stand_behind_the_buses_of_their_nodes():
    system, _ = system_and_verilog(OF_BRIDGES)
    top = system_top(system)
    assert {name: prefix for name, (_, prefix) in top.regions.items()} == {
        "registers": "apbm_2",
        "ram": "m_axi_3",
        "rom": "m_axi_3",
    }
    assert top.clocks == {"clk": "rst_n", "clk_3": "rst_n_3"}
    assert top.is_reset_low
    assert top.description == "Network-on-chip with ports of 4 nodes"


def test_a_node_without_a_bus_has_no_interface():
    system, _ = system_and_verilog(OF_STREAMS)
    bridges, _ = system_and_verilog(OF_BRIDGES)
    assert [len(node_interfaces(system, node)) for node in system.nodes] == [2, 2]
    (bus,) = node_interfaces(bridges, bridges.nodes[0])
    assert (bus.prefix, bus.bus, bus.is_driven, bus.is_mapped) == ("s_axi_0", "axi4", True, True)


@pytest.mark.parametrize(
    ("pin", "name"),
    [
        ("s_axis_tdata", "s_axis_7_tdata"),
        ("m_axi_awaddr", "m_axi_7_awaddr"),
        ("s_axil_wdata", "s_axil_7_wdata"),
        ("wbs_adr", "wbs_7_adr"),
        ("apbm_psel", "apbm_7_psel"),
        ("requests_s_axis_tdata", "requests_s_axis_7_tdata"),
        ("streams_m_axis_tvalid", "streams_m_axis_7_tvalid"),
        ("refused", "refused_7"),
        ("sparse", "sparse_7"),
    ],
)
def test_what_names_a_node_stands_behind_the_prefix(pin, name):
    assert named(pin, "7") == name
    assert named(pin, "gpu_s_axi") == name.replace("7", "gpu_s_axi")


def test_a_planes_monitor_is_told_of_by_its_plane():
    words = (
        "hypercube n=2 watchdog=100 node.bus=none node.1.bus=axi4 node.1.side=target "
        "node.0.bus=axi4 node.0.side=initiator map.a.base=0 map.a.size=4K map.a.node=1"
    )
    two, one = (System.from_words(each.split()) for each in (words, "hypercube n=2 watchdog=9"))
    names = {port.name for port in outside_ports(two.planes[0])}
    assert {"alarm", "s_axil_monitor_awaddr"} <= names
    assert not any(name.startswith(("s_axis", "m_axis", "refused")) for name in names)
    assert two.planes[0].outside("alarm") == "requests_alarm"
    assert one.planes[0].outside("alarm") == "alarm"


def test_nodes_have_clocks_of_their_own():
    system = System.from_words(["hypercube", "n=2", "node.3.clock=own", "reset=low"])
    assert list(clock_ports(system)) == [("clk", "rst_n"), ("clk_3", "rst_n_3")]


def test_a_nodes_ports_are_those_of_its_keys():
    ports = ports_of("hypercube n=2 node.1.width=64 keep=yes user_width=5")
    assert ports["s_axis_1_tdata"] == (64, True)
    assert ports["s_axis_1_tkeep"] == (8, True)
    assert ports["s_axis_1_tuser"] == (5, True)
    assert ports["m_axis_1_tid"] == (2, False)
    assert ports["m_axis_0_tkeep"] == (4, False)
    assert ports["sparse_2"] == ports["refused_2"] == (1, False)


def test_a_packets_user_stands_above_the_networks():
    """A broadcast's mark stays bit 0 of `tuser`."""
    ports = ports_of("wk w=2 levels=2 broadcast=address max_packet=8 user_width=5")
    assert ports["s_axis_1_tuser"] == (6, True)
    assert ports["m_axis_1_tuser"] == (5, False)
