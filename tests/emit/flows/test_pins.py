"""The top of five pins."""

import json
import subprocess

import pytest
from helpers.emitted import module_ports, verilog_of
from helpers.lint import lint
from knotwork.emit.flows.pins import pins_name, pins_verilog, top_pins
from knotwork.emit.ports import network_ports
from knotwork.emit.system import system_verilog
from knotwork.emit.system.top import system_top
from knotwork.system import System
from knotwork.tools import find_tool


@pytest.mark.parametrize(
    "word", ["hypercube:n=2", "ccc:n=3,routing=lc2", "mesh:x=2,y=1,tables=loaded"]
)
def test_every_port_of_the_network_is_behind_the_pins(word, tmp_path):
    network, text = verilog_of(word)
    top = pins_verilog(network)
    assert module_ports(top, pins_name(network)) == {
        **dict.fromkeys(("clk", "rst", "shift_in", "load"), ("input", 1)),
        "shift_out": ("output", 1),
    }
    (tmp_path / "all.v").write_text(text + top)
    assert "PIN" not in lint(tmp_path / "all.v", top=pins_name(network))


@pytest.mark.parametrize("reset", ["high", "low"])
def test_every_clock_of_a_system_has_a_pin(reset, tmp_path):
    words = ["mesh", "x=2", "y=1", "node.1.clock=own", "keep=yes", "name=chip", f"reset={reset}"]
    system = System.from_words(words)
    top = top_pins(system_top(system))
    assert module_ports(top, "chip_pins") == {
        **dict.fromkeys(("clk", "clk_1", "rst", "shift_in", "load"), ("input", 1)),
        "shift_out": ("output", 1),
    }
    assert top.count("<= ~rst;") == (2 if reset == "low" else 0)
    (tmp_path / "all.v").write_text(system_verilog(system) + top)
    assert "PIN" not in lint(tmp_path / "all.v", top="chip_pins")


def test_synthesis_keeps_a_register_for_every_port(tmp_path):
    network, text = verilog_of("hypercube:n=1,data_width=8,buffer_depth=2")
    (tmp_path / "all.v").write_text(text + pins_verilog(network))
    script = f"read_verilog all.v; synth_ecp5 -top {pins_name(network)} -json all.json"
    subprocess.run([find_tool("yosys"), "-q", "-p", script], cwd=tmp_path, check=True, timeout=300)
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
