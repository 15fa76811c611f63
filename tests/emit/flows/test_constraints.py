"""Constraint files say of every crossing, both ways, how long it may take, and are Tcl."""

import re
from pathlib import Path

import pytest
from helpers.cases import slow
from helpers.emitted import OF_BRIDGES, system_and_verilog, verilog_of
from knotwork.emit.flows import network_top
from knotwork.emit.flows.constraints import Paths, constraint_files, quartus_files, vivado_files
from knotwork.tools import run_tool
from knotwork_soc.emit.package import system_top

CLOCKS = ("clk", "clk_3", "clk_10")
PATHS = [
    Paths("clk", "clk_3", ["node_3/there/stage0", "node_3/data"]),
    Paths("clk_3", "clk", ["node_3/back/stage0"]),
    Paths("clk", "clk_10", ["node_10/there/stage0"], ["node_10/words"]),
    Paths("clk_10", "clk", ["node_10/back/stage0"]),
]
FILES = constraint_files("noc", CLOCKS, PATHS, megahertz=80)

STUBS = """
proc note {args} { global found; lappend found $args }
proc get_ports {name} { return "port:$name" }
proc get_cells {names} { return "cells:$names" }
proc get_pins {args} { return "outputs:[lindex $args end]" }
proc get_clocks {args} { return "clock:[lindex [split [lindex $args end] :] end]" }
proc get_property {args} { return [dict get {clock:clk 10 clock:clk_3 4 clock:clk_10 25} \
[lindex $args end]] }
foreach name {set_max_delay set_false_path create_clock} {
    proc $name {args} "note $name {*}\\$args"
}
set found {}
"""


def commands(text):
    """What a Tcl interpreter, which knows the commands, makes of a file."""
    tkinter = pytest.importorskip("tkinter")
    tcl = tkinter.Tcl()
    tcl.eval(STUBS)
    tcl.eval(text)
    return [tcl.splitlist(one) for one in tcl.splitlist(tcl.eval("set found"))]


@pytest.mark.parametrize(("mesochronous", "slow"), [((), 10), (("clk_10",), 5)])
def test_vivado_bounds_what_crosses_in_the_module_by_the_faster_clock(mesochronous, slow):
    """A mesochronous clock's paths may take half a period."""
    files = constraint_files("noc", CLOCKS, PATHS, mesochronous=mesochronous)
    start = ("set_max_delay", "-datapath_only", "-from")
    assert [tuple(one) for one in commands(files["noc.xdc"])] == [
        (*start, "clock:clk", "-to", "cells:node_3/there/stage0_reg* node_3/data_reg*", "4"),
        (*start, "clock:clk_3", "-to", "cells:node_3/back/stage0_reg*", "4"),
        (*start, "clock:clk", "-to", "cells:node_10/there/stage0_reg*", str(slow)),
        (
            *(*start, "clock:clk", "-through", "outputs:cells:node_10/words_reg*"),
            *("-to", "clock:clk_10", str(slow)),
        ),
        (*start, "clock:clk_10", "-to", "cells:node_10/back/stage0_reg*", str(slow)),
    ]


def test_sdc_bounds_a_mesochronous_clocks_paths_by_half_a_period():
    files = constraint_files("noc", CLOCKS, PATHS, megahertz=80, mesochronous=["clk_10"])
    found = [one for one in commands(files["noc.sdc"]) if one[0] == "set_max_delay"]
    assert sorted(float(one[-1]) for one in found) == [6.25, 6.25, 12.5, 12.5]


def test_sdc_has_every_clock_and_every_crossing():
    found = commands(FILES["noc.sdc"])
    clocks = [one for one in found if one[0] == "create_clock"]
    assert [(one[2], float(one[4])) for one in clocks] == [(clock, 12.5) for clock in CLOCKS]
    for command in ("set_max_delay", "set_false_path"):
        ways = {
            (one[-4:] if command == "set_false_path" else one[1:5])
            for one in found
            if one[0] == command
        }
        assert len(ways) == 4


@pytest.mark.slow
def test_nextpnr_takes_its_files(tmp_path: Path):
    text = "module noc(input clk, clk_3, clk_10, output reg a, b, c);\n" + "".join(
        f"always @(posedge {clock}) {reg} <= ~{reg};\n"
        for clock, reg in zip(CLOCKS, "abc", strict=True)
    )
    (tmp_path / "noc.v").write_text(text + "endmodule\n")
    for name, body in FILES.items():
        (tmp_path / name).write_text(body)
    for family, part, option in (("ecp5", "--25k", "--lpf"), ("ice40", "--hx8k", "--pcf")):
        script = f"read_verilog noc.v; synth_{family} -top noc -json noc.json"
        run_tool(["yosys", "-q", "-p", script], tmp_path)
        extra = ["--lpf-allow-unconstrained"] if family == "ecp5" else ["--pcf-allow-unconstrained"]
        constraints = f"noc.{option[2:]}"
        command = [f"nextpnr-{family}", part, "--json", "noc.json", option, constraints, *extra]
        run_tool([*command, "--report", "report.json"], tmp_path)
        report = (tmp_path / "report.json").read_text()
        bounds = [float(one) for one in re.findall(r'"constraint": ([\d.]+)', report)]
        assert bounds == pytest.approx([80.0] * 3, rel=0.01)


def commands_of_network(text, *, before=""):
    """Commands that a Tcl script gives to a tool."""
    tkinter = pytest.importorskip("tkinter")
    tcl, found = tkinter.Tcl(), []

    def record(*words):
        found.append(words)
        return words[-1]

    tcl.createcommand("record", record)
    tcl.eval("proc unknown args {record {*}$args}")
    tcl.eval(text.replace("set network {}", before or "set network {}"))
    return found


LARGER = [slow(word) for word in ("mesh:x=3,y=2", "wk:w=3,levels=2", "tcpg:k=1,m=1")]


@pytest.mark.parametrize("word", ["hypercube:n=2", *LARGER])
def test_every_router_has_a_pblock(word):
    network, text = verilog_of(word)
    ((name, script),) = vivado_files(network_top(network)).items()
    assert name == f"{network.name}_vivado.tcl"
    found = commands_of_network(script)
    assert ("create_clock", "-name", "clk", "-period", "10.0", "clk") in found
    made = [words[1] for words in found if words[0] == "create_pblock"]
    instances = re.findall(r"^  \w+ (router_\w+) \($", text, re.MULTILINE)
    assert made == instances
    cells = [words[2] for words in found if words[0] == "add_cells_to_pblock"]
    assert cells == instances


def test_within_a_design_no_clock_is_made():
    network, _ = verilog_of("hypercube:n=2")
    (script,) = vivado_files(network_top(network)).values()
    found = commands_of_network(script, before="set network soc/noc/")
    assert not any(words[0] == "create_clock" for words in found)
    assert ("get_cells", "soc/noc/router_00") in found


def test_routers_of_a_system_stand_in_its_planes():
    system, text = system_and_verilog(OF_BRIDGES)
    (script,) = vivado_files(system_top(system)).values()
    found = commands_of_network(script)
    clocks = [words[2] for words in found if words[0] == "create_clock"]
    assert clocks == ["clk", "clk_3"]
    cells = [words[1] for words in found if words[0] == "get_cells"]
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
    blocks = [words[1] for words in found if words[0] == "create_pblock"]
    assert blocks == [cell.replace("/", "_") for cell in cells]
    assert len(set(blocks)) == len(blocks) == 8


def test_quartus_gets_paths_between_clocks():
    system, _ = system_and_verilog(OF_BRIDGES)
    (script,) = quartus_files(system_top(system)).values()
    found = commands_of_network(script)
    assert [words[2] for words in found if words[0] == "create_clock"] == ["clk", "clk_3"]
    clocks = {(words[2], words[4]) for words in found if words[0] == "set_max_delay"}
    assert clocks == {("clk", "clk_3"), ("clk_3", "clk")}


def test_quartus_gets_a_clock():
    network, _ = verilog_of("hypercube:n=2")
    ((name, script),) = quartus_files(network_top(network)).items()
    assert name.endswith("_quartus.sdc")
    found = commands_of_network(script)
    assert ("create_clock", "-name", "clk", "-period", "10.000", "clk") in found
    assert ("derive_clock_uncertainty",) in found
