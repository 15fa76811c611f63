"""The LiteX wrapper, in a design of LiteX that Verilator runs."""

import importlib.util
import json
import re
import subprocess
from functools import partial
from types import SimpleNamespace

import pytest
from helpers.edalize_tools import edalize_environment
from helpers.emitted import module_ports
from knotwork import Network
from knotwork.emit import write_network
from knotwork.emit.system import write_system
from knotwork.system import System

pytest.importorskip("litex", reason="LiteX is not installed")
from litex.gen import LiteXModule
from litex.gen.fhdl.verilog import convert
from litex.soc.interconnect import axi
from migen import ClockDomain, ClockSignal, If, Module, ResetSignal, Signal
from migen.genlib.fsm import FSM, NextState, NextValue

MANAGERS, MEMORIES, SIZE = (0, 1, 2, 3), (4, 5), 0x1000
WORDS = [
    *("mesh", "x=3", "y=2", "name=chip", "node.bus=axi_lite", "node.side=initiator"),
    *(f"node.{node}.side=target" for node in MEMORIES),
    *(
        f"map.memory{n}.{key}"
        for n, node in enumerate(MEMORIES)
        for key in (f"base={n * SIZE}", f"size={SIZE}", f"node={node}")
    ),
]

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


class Manager(Module):
    """Writes words of its own into both memories in turn, and reads each back.

    `done` rises at its end, `wrong` with the first answer that is not what was written.
    """

    def __init__(self, bus, number, *, words, size):
        self.done, self.wrong = Signal(), Signal()
        self.word = word = Signal(max=words)
        address, data = Signal(bus.address_width), Signal(bus.data_width)
        sent, given = Signal(), Signal()
        self.comb += [
            address.eq((word[0] * size) | (number << 8) | (word[1:] << 2)),
            data.eq(word * 0x9E3779B1 + (number + 1) * 0x1000193),
            *(channel.addr.eq(address) for channel in (bus.aw, bus.ar)),
            bus.w.data.eq(data),
            bus.w.strb.eq(2 ** len(bus.w.strb) - 1),
        ]
        self.submodules.fsm = fsm = FSM(reset_state="WRITE")
        fsm.act(
            "WRITE",
            bus.aw.valid.eq(~sent),
            bus.w.valid.eq(~given),
            bus.b.ready.eq(1),
            If(bus.aw.valid & bus.aw.ready, NextValue(sent, 1)),
            If(bus.w.valid & bus.w.ready, NextValue(given, 1)),
            If(
                bus.b.valid,
                NextValue(sent, 0),
                NextValue(given, 0),
                If(bus.b.resp != 0, NextValue(self.wrong, 1)),
                NextState("READ"),
            ),
        )
        fsm.act(
            "READ",
            bus.ar.valid.eq(~sent),
            bus.r.ready.eq(1),
            If(bus.ar.valid & bus.ar.ready, NextValue(sent, 1)),
            If(
                bus.r.valid,
                NextValue(sent, 0),
                If((bus.r.resp != 0) | (bus.r.data != data), NextValue(self.wrong, 1)),
                If(word == words - 1, NextState("DONE")).Else(
                    NextValue(word, word + 1), NextState("WRITE")
                ),
            ),
        )
        fsm.act("DONE", self.done.eq(1))


def load_wrapper(path, kind):
    """Class of a wrapper that `generate --for litex` wrote."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, kind)


class Soc(LiteXModule):
    """Managers at the first nodes, LiteX's memories at the others."""

    def __init__(self, wrapper, *, managers, memories, words, size):
        for name in ("clk", "rst", "done", "wrong"):
            setattr(self, name, Signal(name_override=name))
        self.cd_sys = ClockDomain()
        self.comb += [ClockSignal("sys").eq(self.clk), ResetSignal("sys").eq(self.rst)]
        self.network = network = wrapper()
        parts = []
        for node in managers:
            part = Manager(network.nodes[node].bus, len(parts), words=words, size=size)
            self.submodules += part
            parts.append(part)
        for node in memories:
            self.submodules += axi.AXILiteSRAM(size, bus=network.nodes[node].bus)
        done = wrong = 1
        for part in parts:
            done = part.done & done
        self.comb += self.done.eq(done)
        wrong = parts[0].wrong
        for part in parts[1:]:
            wrong = wrong | part.wrong
        self.comb += self.wrong.eq(wrong)


def soc_verilog(soc):
    """Verilog that LiteX makes of it: text, and files with the contents of memories."""
    made = convert(soc, ios={soc.clk, soc.rst, soc.done, soc.wrong}, name="top")
    return str(made), made.data_files


def run_litex_design(folder, change=lambda text: text):
    """Exit status of a design of LiteX with four managers and two memories, and what it printed."""
    files = folder / "files"
    write_system(System.from_words(WORDS), files, flows=["litex"])
    wrapper = load_wrapper(files / "chip_litex.py", "Chip")
    soc = Soc(wrapper, managers=MANAGERS, memories=MEMORIES, words=24, size=SIZE)
    text, data = soc_verilog(soc)
    for name, content in (data | {"top.v": text, "bench.sv": _BENCH}).items():
        (files / name).write_text(content)
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


@pytest.mark.slow
def test_the_managers_of_the_design_see_a_fault(tmp_path):
    def broken(text):
        return re.sub(r"\(s_axil_0_wdata\)", "(s_axil_0_wdata ^ 32'd1)", text)

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
