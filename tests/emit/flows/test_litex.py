"""The LiteX wrapper, in a design of LiteX that Verilator runs."""

import importlib.util
import json
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers.edalize_tools import edalize_environment
from helpers.emitted import OF_BRIDGES, module_ports, system_and_verilog
from helpers.faults import changing
from knotwork import Network
from knotwork.emit import write_network
from knotwork_soc import System
from knotwork_soc.emit import write_system

pytest.importorskip("litex", reason="LiteX is not installed")
EXAMPLES = Path(__file__).parents[3] / "hdl" / "docs" / "examples"

_BENCH = """
`timescale 1ns/1ps
module bench;
  reg clk = 0, rst = 1;
  wire done, wrong;
  integer cycles = 0;
  always #5 clk = !clk;
  top top (.clk(clk), .rst(rst), .done(done), .wrong(wrong));
  always @(posedge clk) begin
    cycles <= cycles + 1;
    rst <= cycles < 8;
    if (cycles > 8 && wrong) $fatal(1, "a manager read what it did not write");
    if (cycles > 8 && done) begin $display("done in %0d cycles", cycles); $finish; end
    if (cycles == 20000) $fatal(1, "it stands still");
  end
endmodule
"""


def load_wrapper(path, kind):
    """Class of a wrapper that `generate --for litex` wrote."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, kind)


def run_litex_design(folder, change=lambda text: text):
    """Exit status of the example with four managers and two memories, and what it printed."""
    files = folder / "files"
    system = System.from_words([str(EXAMPLES / "litex_soc.toml")])
    write_system(system, files, flows=["litex"])
    subprocess.run([sys.executable, EXAMPLES / "litex_soc.py", files], check=True)
    (files / "bench.sv").write_text(_BENCH)
    chip = files / "chip.v"
    chip.write_text(change(chip.read_text()))
    environment = edalize_environment(folder / "programs")
    run = partial(
        subprocess.run, cwd=files, env=environment, capture_output=True, text=True, check=False
    )
    options = ["--binary", "--timing", "-CFLAGS", "-O0", "-Wno-fatal", "--top-module", "bench"]
    made = run(["verilator", *options, "-o", "bench", "bench.sv", "top.v", "chip.v"])
    assert made.returncode == 0, made.stderr
    done = run([files / "obj_dir" / "bench"])
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_four_managers_and_two_memories_of_litex_meet_over_a_mesh(tmp_path):
    # Not in Icarus, which does not get past time 0 of the Verilog that LiteX writes.
    status, told = run_litex_design(tmp_path)
    assert status == 0, told
    assert re.search(r"done in \d+ cycles", told)


@pytest.mark.fault
@pytest.mark.slow
def test_the_managers_of_the_design_see_a_fault(tmp_path):
    broken = changing("(s_axil_0_wdata)", "(s_axil_0_wdata ^ 32'd1)", places=None)
    status, told = run_litex_design(tmp_path, broken)
    assert status != 0
    assert "a manager read what it did not write" in told


@pytest.mark.parametrize("keys", [{}, {"counters": True, "watchdog": 9}])
def test_streams_and_monitors_have_interfaces_of_the_ports_widths(keys, tmp_path):
    network = Network.from_word("hypercube:n=2,data_width=64,name=noc")
    network = Network(network.topology, data_width=64, name="noc", **keys)
    write_network(network, tmp_path, flows=["litex"])
    sources = []
    made = load_wrapper(tmp_path / "noc_litex.py", "Noc")(
        SimpleNamespace(add_source=sources.append)
    )
    assert sources == [str(tmp_path / "noc.v")]
    assert [len(node.inject.data) for node in made.nodes] == [64] * 4
    assert [len(node.eject.id) for node in made.nodes] == [2] * 4
    assert list(made.monitors) == ["s_axil_monitor"] * bool(keys)
    assert list(made.signals) == ["alarm"] * bool(keys)
    ports = module_ports((tmp_path / "noc.v").read_text(), "noc")
    assert {pin.partition("_")[2] for pin in made._pins} == ports.keys()
    assert json.loads((tmp_path / "manifest.json").read_text())["top"] == "noc"


def test_monitors_of_planes_have_interfaces_too(tmp_path):
    system, _ = system_and_verilog(OF_BRIDGES)
    write_system(system, tmp_path, flows=["litex"])
    made = load_wrapper(tmp_path / "chip_litex.py", "Chip")(clocks={3: "memory"})
    planes = ("requests", "responses")
    assert list(made.monitors) == [f"{plane}_s_axil_monitor" for plane in planes]
    assert {f"{plane}_alarm" for plane in planes} <= made.signals.keys()
    assert len(made.nodes[0].bus.aw.addr) == 32
