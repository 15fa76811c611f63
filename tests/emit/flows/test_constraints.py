"""Constraints for vendors' tools, run by Tcl: what they name is in the Verilog."""

import re

import pytest
from helpers.cases import slow
from helpers.emitted import verilog_of
from helpers.systems import OF_BRIDGES, system_and_verilog
from knotwork.emit.flows import network_top
from knotwork.emit.flows.constraints import quartus_files, vivado_files
from knotwork_soc.emit.package import system_top

tkinter = pytest.importorskip("tkinter")


def commands(text, *, before=""):
    """Commands that a Tcl script gives to a tool."""
    tcl, found = tkinter.Tcl(), []

    def heard(*words):
        found.append(words)
        return words[-1]

    tcl.createcommand("heard", heard)
    tcl.eval("proc unknown args {heard {*}$args}")
    tcl.eval(text.replace("set network {}", before or "set network {}"))
    return found


LARGER = [slow(word) for word in ("mesh:x=3,y=2", "wk:w=3,levels=2", "tcpg:k=1,m=1")]


@pytest.mark.parametrize("word", ["hypercube:n=2", *LARGER])
def test_every_router_has_a_pblock(word):
    network, text = verilog_of(word)
    ((name, script),) = vivado_files(network_top(network)).items()
    assert name == f"{network.name}_vivado.tcl"
    told = commands(script)
    assert ("create_clock", "-name", "clk", "-period", "10.0", "clk") in told
    made = [words[1] for words in told if words[0] == "create_pblock"]
    instances = re.findall(r"^  \w+ (router_\w+) \($", text, re.MULTILINE)
    assert made == instances
    cells = [words[2] for words in told if words[0] == "add_cells_to_pblock"]
    assert cells == instances


def test_within_a_design_no_clock_is_made():
    network, _ = verilog_of("hypercube:n=2")
    (script,) = vivado_files(network_top(network)).values()
    told = commands(script, before="set network soc/noc/")
    assert not any(words[0] == "create_clock" for words in told)
    assert ("get_cells", "soc/noc/router_00") in told


def test_routers_of_a_system_stand_in_its_planes():
    system, text = system_and_verilog(OF_BRIDGES)
    (script,) = vivado_files(system_top(system)).values()
    told = commands(script)
    clocks = [words[2] for words in told if words[0] == "create_clock"]
    assert clocks == ["clk", "clk_3"]
    cells = [words[1] for words in told if words[0] == "get_cells"]
    planes = re.findall(r"^  (\w+) (requests|responses) \($", text, re.MULTILINE)
    expected = [
        f"{plane}/{router}"
        for module, plane in planes
        for router in re.findall(
            r"^  \w+ (router_\w+) \($",
            text[text.index(f"module {module} (") :].split("endmodule")[0],
            re.MULTILINE,
        )
    ]
    assert cells == expected
    blocks = [words[1] for words in told if words[0] == "create_pblock"]
    assert blocks == [cell.replace("/", "_") for cell in cells]
    assert len(set(blocks)) == len(blocks) == 8


def test_quartus_gets_paths_between_clocks():
    system, _ = system_and_verilog(OF_BRIDGES)
    (script,) = quartus_files(system_top(system)).values()
    told = commands(script)
    assert [words[2] for words in told if words[0] == "create_clock"] == ["clk", "clk_3"]
    ways = {(words[2], words[4]) for words in told if words[0] == "set_max_delay"}
    assert ways == {("clk", "clk_3"), ("clk_3", "clk")}


def test_quartus_gets_a_clock():
    network, _ = verilog_of("hypercube:n=2")
    ((name, script),) = quartus_files(network_top(network)).items()
    assert name.endswith("_quartus.sdc")
    told = commands(script)
    assert ("create_clock", "-name", "clk", "-period", "10.000", "clk") in told
    assert ("derive_clock_uncertainty",) in told
