"""Names of a system's ports."""

import pytest
from helpers.systems import ports_of
from knotwork.emit.system.ports import clock_ports, numbered, outside_ports
from knotwork.system import System


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
def test_a_nodes_number_stands_behind_the_prefix(pin, name):
    assert numbered(pin, 7) == name


def test_a_planes_monitor_is_told_of_by_its_plane():
    words = (
        "mesh x=2 y=2 watchdog=100 node.bus=none node.1.bus=axi4 node.1.side=target "
        "node.0.bus=axi4 node.0.side=initiator map.a.base=0 map.a.size=4K map.a.node=1"
    )
    two, one = (System.from_words(each.split()) for each in (words, "mesh x=2 y=2 watchdog=9"))
    names = {port.name for port in outside_ports(two.planes[0])}
    assert {"alarm", "s_axil_monitor_awaddr"} <= names
    assert not any(name.startswith(("s_axis", "m_axis", "refused")) for name in names)
    assert two.planes[0].outside("alarm") == "requests_alarm"
    assert one.planes[0].outside("alarm") == "alarm"


def test_nodes_have_clocks_of_their_own():
    system = System.from_words(["mesh", "x=2", "y=2", "node.3.clock=own", "reset=low"])
    assert list(clock_ports(system)) == [("clk", "rst_n"), ("clk_3", "rst_n_3")]


def test_a_nodes_ports_are_those_of_its_keys():
    ports = ports_of("mesh x=2 y=2 node.1.width=64 keep=yes user_width=5")
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
