"""Top of a system, as other people's tools see it."""

import pytest
from helpers.emitted import module_ports
from helpers.systems import OF_BRIDGES, OF_STREAMS, system_and_verilog
from knotwork.emit.system.top import node_interfaces, system_top


@pytest.mark.parametrize("words", [OF_BRIDGES, OF_STREAMS])
def test_its_ports_are_those_of_the_verilog(words):
    system, text = system_and_verilog(words)
    top = system_top(system)
    clocks = {name: 1 for pair in top.clocks.items() for name in pair}
    ways = {"input": clocks | dict(top.inputs), "output": dict(top.outputs)}
    found = module_ports(text, "chip")
    for way, widths in ways.items():
        assert widths == {name: bits for name, (its, bits) in found.items() if its == way}


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
    assert [len(node_interfaces(node)) for node in system.nodes] == [2, 2]
    (bus,) = node_interfaces(bridges.nodes[0])
    assert (bus.prefix, bus.bus, bus.is_driven, bus.is_mapped) == ("s_axi_0", "axi4", True, True)
