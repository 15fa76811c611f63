"""Constraints for vendors' tools, run by Tcl: what they name is in the Verilog."""

import re

import pytest
from helpers.emitted import verilog_of
from knotwork.emit.flows.constraints import quartus_files, vivado_files

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


LARGER = [
    pytest.param(word, marks=pytest.mark.slow) for word in ("wk:w=3,levels=2", "tcpg:k=1,m=1")
]


@pytest.mark.parametrize("word", ["mesh:x=3,y=2", *LARGER])
def test_every_router_has_a_pblock(word):
    network, text = verilog_of(word)
    ((name, script),) = vivado_files(network).items()
    assert name == f"{network.name}_vivado.tcl"
    told = commands(script)
    assert ("create_clock", "-name", "clk", "-period", "10.0", "clk") in told
    made = [words[1] for words in told if words[0] == "create_pblock"]
    instances = re.findall(r"^  \w+ (router_\w+) \($", text, re.MULTILINE)
    assert made == instances
    cells = [words[2] for words in told if words[0] == "add_cells_to_pblock"]
    assert cells == instances


def test_within_a_design_no_clock_is_made():
    network, _ = verilog_of("mesh:x=3,y=2")
    (script,) = vivado_files(network).values()
    told = commands(script, before="set network soc/noc/")
    assert not any(words[0] == "create_clock" for words in told)
    assert ("get_cells", "soc/noc/router_0.0".replace(".", "_")) in told


def test_quartus_gets_a_clock():
    network, _ = verilog_of("mesh:x=3,y=2")
    ((name, script),) = quartus_files(network).items()
    assert name.endswith("_quartus.sdc")
    told = commands(script)
    assert ("create_clock", "-name", "clk", "-period", "10.0", "clk") in told
    assert ("derive_clock_uncertainty",) in told
