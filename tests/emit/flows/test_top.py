"""What other people's tools see of a top: its buses, by the names of its ports."""

import pytest
from helpers.systems import OF_BRIDGES, OF_STREAMS, system_and_verilog
from knotwork import Network
from knotwork.emit.flows import network_top
from knotwork.emit.flows.top import router_cells, stream_interfaces, whole_interfaces
from knotwork.emit.ports import network_ports
from knotwork.emit.system.top import system_top


def test_a_nodes_streams_are_one_each_way():
    into, out = stream_interfaces(3, "clk_3")
    assert (into.prefix, into.is_driven, into.clock) == ("s_axis_3", True, "clk_3")
    assert (out.prefix, out.is_driven, out.clock) == ("m_axis_3", False, "clk_3")


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("mesh:x=2,y=2", {}),
        ("mesh:x=2,y=2,counters=yes", {"p_s_axil_monitor": "axi_lite"}),
        ("mesh:x=2,y=2,routing=updown,tables=loaded", {"p_s_axis_config": "stream"}),
        ("ccc:n=3,routing=lc2", {"p_s_axis_config": "stream"}),
    ],
)
def test_tables_and_monitors_have_buses_of_their_own(word, found):
    network = Network.from_word(word)
    made = whole_interfaces(network, lambda name: f"p_{name}")
    assert {each.prefix: each.bus for each in made} == found
    assert all((each.registers is not None) == (each.bus == "axi_lite") for each in made)


def test_a_router_is_a_cell_by_its_name():
    cells = ("router_0_0", "router_0_1", "router_1_0", "router_1_1")
    assert router_cells(Network.from_word("mesh:x=2,y=2")) == cells


def buses_and_others(top):
    """Ports by the buses they are of; those of none."""
    ports = [*top.inputs, *top.outputs]
    found = {
        each.prefix: [name for name in ports if name.startswith(f"{each.prefix}_")]
        for each in top.interfaces
    }
    return found, set(ports) - {name for names in found.values() for name in names}


@pytest.mark.parametrize("words", [OF_BRIDGES, OF_STREAMS])
def test_no_bus_of_a_system_is_without_ports(words):
    system, _ = system_and_verilog(words)
    top = system_top(system)
    found, _ = buses_and_others(top)
    assert all(found.values())
    assert {each.clock for each in top.interfaces} == set(top.clocks)


def test_no_bus_of_a_network_is_without_ports():
    network = Network.from_word("mesh:x=2,y=2,counters=yes")
    top = network_top(network)
    found, others = buses_and_others(top)
    assert all(found.values())
    assert others == {"alarm", *(f"refused_{node}" for node in range(4))}
    assert (top.inputs, top.outputs) == network_ports(network)
