"""The wrapper with interfaces: clean, and the network in it."""

import re

import pytest
from helpers.emitted import lint, module_ports, verilog_of
from knotwork.emit.flows.systemverilog import wrapper_text
from knotwork.emit.ports import has_config, has_monitor, inject_widths
from knotwork.tools import run_tool

WORDS = [
    "hypercube:n=2,data_width=8,name=noc",
    "ccc:n=3,routing=lc2,name=noc",
    "mesh:x=2,y=1,counters=yes,watchdog=9,name=noc",
]

_TOP = """
module top (input logic clk, input logic rst, output logic [{last}:0] refused);
  noc_inject_if inject [0:{last}] ();
  noc_eject_if eject [0:{last}] ();
  for (genvar i = 0; i <= {last}; i = i + 1) begin : node
    {joins}
  end
  noc_sv network (.clk(clk), .rst(rst), .inject(inject), .eject(eject), .refused(refused));
endmodule
"""


def echo_top(network):
    """Design in which every node sends back what it receives, to node 0."""
    joins = ["inject[i].tvalid = eject[i].tvalid", "eject[i].tready = inject[i].tready"]
    given = {"tdata": "eject[i].tdata", "tlast": "eject[i].tlast"}
    zero = "'0"
    joins += [f"inject[i].{name} = {given.get(name, zero)}" for name in inject_widths(network)]
    text = "\n    ".join(f"assign {join};" for join in joins)
    return _TOP.format(last=network.topology.nodes - 1, joins=text)


@pytest.mark.parametrize("word", WORDS)
def test_the_wrapper_is_clean_in_a_design(word, tmp_path):
    network, text = verilog_of(word)
    (tmp_path / "noc.v").write_text(text)
    (tmp_path / "wrapper.sv").write_text(wrapper_text(network))
    (tmp_path / "top.sv").write_text(echo_top(network))
    # The design reads neither `tid` nor flags, and has nothing to load or to read a monitor.
    waivers = [f'lint_off -file "*{name}"' for name in ("noc.v", "top.sv")]
    waivers += [f"lint_off -rule {rule}" for rule in ("DECLFILENAME", "UNUSEDSIGNAL")]
    if has_config(network) or has_monitor(network):
        waivers.append("lint_off -rule UNDRIVEN")
    (tmp_path / "own.vlt").write_text("\n".join(["`verilator_config", *waivers]) + "\n")
    files = [tmp_path / name for name in ("own.vlt", "noc.v", "wrapper.sv")]
    assert lint(tmp_path / "top.sv", *files, top="top") == ""
    broken = wrapper_text(network).replace("output logic [", "output logic [1+", 1)
    (tmp_path / "wrapper.sv").write_text(broken.replace("refused[0]", "refuse[0]"))
    assert "%Error" in lint(tmp_path / "top.sv", *files, top="top")


def test_every_port_of_the_network_is_connected():
    network, text = verilog_of(WORDS[2])
    connected = re.findall(r"^    \.(\w+)\(", wrapper_text(network), re.MULTILINE)
    assert sorted(connected) == sorted(module_ports(text, network.name))


def test_slang_elaborates_it_in_a_design(tmp_path):
    network, text = verilog_of(WORDS[0])
    (tmp_path / "noc.v").write_text(text)
    (tmp_path / "top.sv").write_text(wrapper_text(network) + echo_top(network))
    script = "read_slang -j 1 -D SYNTHESIS --top top noc.v top.sv; stat"
    output = run_tool(["yosys", "-p", script], tmp_path)
    assert re.search(r"^=== top", output, re.MULTILINE)
    assert "$adff" in output or "$dff" in output or "$sdff" in output
