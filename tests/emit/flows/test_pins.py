"""The top of five pins."""

import json
import re
from collections import Counter

import pytest
from helpers.emitted import lint, module_ports, verilog_of
from knotwork.emit import write_network
from knotwork.emit.flows.constraints import RAM_STYLE, with_hints
from knotwork.emit.flows.fusesoc import pins_name, pins_verilog, top_pins
from knotwork.emit.ports import network_ports
from knotwork.tools import run_tool
from knotwork_soc import System
from knotwork_soc.emit import write_system
from knotwork_soc.emit.package import system_top


def lint_of_pins(name, folder):
    """Verilator's lint of the top of pins around a network or a system."""
    files = (folder / f"{name}{end}" for end in ("_pins.v", ".vlt", ".v"))
    return lint(*files, top=f"{name}_pins")


@pytest.mark.parametrize(
    "word", ["hypercube:n=2", "ccc:n=3,routing=lc2", "mesh:x=2,y=1,tables=loaded"]
)
def test_every_port_of_the_network_is_behind_the_pins(word, tmp_path):
    network, _ = verilog_of(word)
    top = pins_verilog(network)
    assert module_ports(top, pins_name(network)) == {
        **dict.fromkeys(("clk", "rst", "shift_in", "load"), ("input", 1)),
        "shift_out": ("output", 1),
    }
    write_network(network, tmp_path, flows=["fusesoc"])
    assert "PIN" not in lint_of_pins(network.name, tmp_path)
    path = tmp_path / f"{network.name}_pins.v"
    path.write_text(top.replace(".rst(reset),", ".rst(),", 1))
    assert "PIN" in lint_of_pins(network.name, tmp_path)


@pytest.mark.parametrize("reset", ["high", "low"])
def test_every_clock_of_a_system_has_a_pin(reset, tmp_path):
    words = ["hypercube", "n=1", "node.1.clock=own", "keep=yes", "name=chip", f"reset={reset}"]
    system = System.from_words(words)
    top = top_pins(system_top(system))
    assert module_ports(top, "chip_pins") == {
        **dict.fromkeys(("clk", "clk_1", "rst", "shift_in", "load"), ("input", 1)),
        "shift_out": ("output", 1),
    }
    assert top.count("<= ~rst;") == (2 if reset == "low" else 0)
    write_system(system, tmp_path, flows=["fusesoc"])
    assert "PIN" not in lint_of_pins("chip", tmp_path)


def test_synthesis_keeps_a_register_for_every_port(tmp_path):
    network, text = verilog_of("hypercube:n=1,data_width=8,buffer_depth=2")
    (tmp_path / "all.v").write_text(text + pins_verilog(network))
    script = f"read_verilog all.v; synth_ecp5 -top {pins_name(network)} -json all.json"
    run_tool(["yosys", "-q", "-p", script], tmp_path)
    modules = json.loads((tmp_path / "all.json").read_text())["modules"]
    nets = modules[pins_name(network)]["netnames"]
    into, out = network_ports(network)
    registers = {
        bit
        for cell in modules[pins_name(network)]["cells"].values()
        if cell["type"] == "TRELLIS_FF"
        for bit in cell["connections"]["Q"]
    }
    assert len(registers.intersection(nets["held"]["bits"])) == sum(into.values())
    assert len(registers.intersection(nets["seen"]["bits"])) == sum(out.values())


WORD = "mesh:x=2,y=1,data_width=8,name=noc"


def cells(folder, text):
    """Cells that Yosys makes of it for an ECP5."""
    (folder / "noc.v").write_text(text)
    script = "read_verilog noc.v; synth_ecp5 -top noc -json noc.json"
    run_tool(["yosys", "-q", "-p", script], folder)
    found = json.loads((folder / "noc.json").read_text())["modules"]["noc"]["cells"].values()
    return Counter(cell["type"] for cell in found if cell["type"] != "$scopeinfo")


def test_every_memory_has_the_attribute():
    _, text = verilog_of(WORD)
    hinted = with_hints(text)
    memories = re.findall(r"^ *reg [^;=]*\[0:\d+\];", text, re.MULTILINE)
    assert hinted.count(RAM_STYLE) == len(memories) > 0
    assert hinted.replace(RAM_STYLE, "") == text


def test_other_tools_take_it_as_it_was(tmp_path):
    network, text = verilog_of(WORD)
    assert cells(tmp_path, with_hints(text)) == cells(tmp_path, text)
    write_network(network, tmp_path / "hinted", hints=True)
    verilog = tmp_path / "hinted" / "noc.v"
    assert verilog.read_text() == with_hints(text)
    assert lint(verilog, tmp_path / "hinted" / "noc.vlt", top="noc") == ""
