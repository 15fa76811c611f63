"""Verilog of systems: clean, the same at every call, and that of the network where it is one."""

import pytest
from helpers.emitted import instances, module_ports, modules
from helpers.lint import lint
from knotwork.emit import network_verilog
from knotwork.emit.system import system_verilog, write_system
from knotwork.system import System

SYSTEMS = [
    "mesh x=2 y=2 node.1.width=64 node.2.width=8 node.3.bus=none keep=yes user_width=5 reset=low",
    "mesh x=2 y=2 node.1.width=64 name=chip",
    "mesh x=2 y=1 node.1.clock=own counters=yes reset_style=asynchronous name=chip",
    "mesh x=2 y=2 node.0.bus=axi4 node.0.side=initiator node.1.bus=apb node.1.side=target "
    "node.2.bus=wishbone node.2.side=target node.3.bus=axi_lite node.3.side=initiator "
    "node.3.clock=own node.1.clock=own map.a.base=0 map.a.size=4K map.a.node=1 map.b.base=4K "
    "map.b.size=4K map.b.node=2 name=chip",
]


def made(words):
    return System.from_words(words.split())


def test_a_network_alone_is_the_same_file():
    system = made("mesh x=2 y=2 node.width=32")
    assert system_verilog(system) == network_verilog(system.network)


@pytest.mark.parametrize("words", SYSTEMS)
def test_a_file_is_clean_and_the_same_again(words, tmp_path):
    system, again = made(words), made(words)
    verilog, waivers, *_ = write_system(system, tmp_path)
    assert lint(verilog, waivers, top=system.name) == ""
    assert verilog.read_text() == system_verilog(again)


def test_the_top_places_each_plane_and_what_stands_at_nodes():
    text = system_verilog(made("mesh x=2 y=2 node.1.width=64 name=chip"))
    assert instances(text, "chip_network") == ["streams"]
    assert instances(text, "chip_node_stream64") == ["node_1"]
    assert modules(text)[-1] == "chip"
    ports = module_ports(text, "chip")
    assert ports["s_axis_0_tdata"] == ("input", 32)
    assert ports["m_axis_1_tdata"] == ("output", 64)
    assert [name for name in ports if name.startswith("refused")] == [
        f"refused_{node}" for node in range(4)
    ]


def test_keep_hierarchy_goes_to_the_routers():
    text = system_verilog(made(SYSTEMS[1]), keep_hierarchy=True)
    assert '(* keep_hierarchy = "yes" *)\nmodule chip_network_router' in text
