"""Attributes of memories: there, and harmless."""

import json
import re
import subprocess
from collections import Counter

from helpers.emitted import verilog_of
from helpers.lint import lint
from knotwork.emit import write_network
from knotwork.emit.flows.hints import RAM_STYLE, with_hints
from knotwork.tools import find_tool

WORD = "mesh:x=2,y=1,data_width=8,name=noc"


def cells(folder, text):
    """Cells that Yosys makes of it for an ECP5."""
    (folder / "noc.v").write_text(text)
    script = "read_verilog noc.v; synth_ecp5 -top noc -json noc.json"
    subprocess.run([find_tool("yosys"), "-q", "-p", script], cwd=folder, check=True, timeout=300)
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
