"""Inputs that are unknown until the reset ends: then nothing is, in a simulator that has x."""

import shutil
import subprocess
from functools import partial

import pytest
from helpers.emitted import OF_BRIDGES, OF_STREAMS, module_ports, system_and_verilog, verilog_of

pytestmark = pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")

_TEXT = """\
module tb;
  reg clk = 0, rst, unknown;
  always #5 clk = !clk;
{wires}
  top dut (
{pins}
  );
  initial begin
    repeat (3) @(negedge clk);  // nobody drives the reset yet
    rst = 1;
    repeat (20) @(negedge clk);
    rst = 0;
    unknown = 0;
    repeat (40) begin
      @(negedge clk);
{checks}
    end
    $display("ended");
    $finish;
  end
endmodule
"""


def bench_of(ports):
    """Every input is x until the reset ends, and 0 from then on."""
    pins, wires, checks = [], [], []
    for name, (way, width) in ports.items():
        value = name
        if way == "output":
            wires.append(f"  wire [{width - 1}:0] {name};")
            checks.append(f'      if (^{name} === 1\'bx) $display("{name} is x");')
        elif name.startswith("clk"):
            value = "clk"
        elif name.startswith("rst"):
            value = "!rst" if name.startswith("rst_n") else "rst"
        else:
            value = f"{{{width}{{unknown}}}}"
        pins.append(f"    .{name}({value})")
    return _TEXT.format(pins=",\n".join(pins), wires="\n".join(wires), checks="\n".join(checks))


def run(name, verilog, folder):
    text = bench_of(module_ports(verilog, name)).replace("  top dut", f"  {name} dut")
    (folder / "top.v").write_text(verilog)
    (folder / "tb.sv").write_text(text)
    step = partial(subprocess.run, cwd=folder, check=True, capture_output=True, text=True)
    step(["iverilog", "-g2012", "-o", "tb", "top.v", "tb.sv"])
    return step(["vvp", "-n", "tb"]).stdout


@pytest.mark.parametrize(
    "word",
    [
        "hypercube:n=2,data_width=8,buffer_depth=2,name=noc",
        "moebius:n=2,pipeline=2,virtual_channels=2,name=noc",
        "hypercube:n=2,multicast=yes,max_packet=8,name=noc",
        "wk:w=2,levels=2,max_packet=4,name=noc",
        "mesh:x=3,y=2,parity=yes,name=noc",
        "lcan:d=2,u=2,levels=2,max_packet=4,name=noc",
        "lcan:d=2,u=2,levels=2,routing=scheduled,max_packet=4,name=noc",
        "banyan:d=3,u=2,levels=2,max_packet=4,cycle=adaptive,name=noc",
        "ccc:n=2,routing=lc2,words=2,name=noc",
        "ccc:n=2,routing=lc2,control=entry,words=2,name=noc",
        "torus:x=3,y=2,router=deflection,sequence_width=3,name=noc",
        "torus:x=3,y=2,directions=one,router=deflection,source=no,name=noc",
        "petersen",
    ],
)
def test_networks_of_every_kind(word, tmp_path):
    network, text = verilog_of(word)
    assert run(network.name, text, tmp_path).split("\n") == ["ended", ""]


@pytest.mark.parametrize("words", [OF_STREAMS, OF_BRIDGES], ids=["streams", "bridges"])
def test_systems(words, tmp_path):
    system, text = system_and_verilog(words)
    assert run(system.name, text, tmp_path).split("\n") == ["ended", ""]
