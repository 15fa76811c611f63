"""Emitted Verilog of networks and systems: made once, read with expressions, and checked."""

import re
import shutil
import subprocess
import tempfile
from functools import cache
from typing import Any

from hypothesis import strategies as st
from knotwork import Network
from knotwork.builds.compilation import tool_environment
from knotwork.emit import network_verilog
from knotwork.errors import ToolError
from knotwork_soc import System
from knotwork_soc.emit import system_verilog
from knotwork_soc.emit.nodes import node_module, node_modules, node_ports


@cache
def verilog_of(word):
    """Network and Verilog of a word, ``moebius:n=3,twist=1``."""
    network = Network.from_word(word)
    return network, network_verilog(network)


def module_ports(text, module):
    """Ports of a module of the file: ``{name: (direction, bits)}``, in order."""
    (body,) = re.findall(rf"^module {module} ?\(.*?^endmodule", text, re.MULTILINE | re.DOTALL)
    found = re.findall(r"^ *(input|output) (?:reg )?(?:\[(\d+):0\] )?(\w+)", body, re.MULTILINE)
    return {name: (way, int(high or 0) + 1) for way, high, name in found}


def instances(text, module):
    """Names of the instances of a module."""
    return re.findall(rf"^ *{module} +(\w+) \(", text, re.MULTILINE)


def modules(text):
    return re.findall(r"^module (\w+)", text, re.MULTILINE)


def ports_of(words):
    """Bits of each port of a system's nodes, and whether it is an input."""
    system = System.from_words(words.split())
    shells = node_modules(system)
    return {
        port.name: (port.width, port.is_input)
        for node in system.nodes
        for port in node_ports(system, node, shells.get(node_module(system, node)))
    }


OF_BRIDGES = (
    "hypercube n=2 buffer_depth=2 counters=yes name=chip node.bus=none reset=low "
    "node.0.bus=axi4 node.0.side=initiator node.1.bus=wishbone node.1.side=initiator "
    "node.2.bus=apb node.2.side=target map.registers.base=0x40000000 map.registers.size=4K "
    "map.registers.node=2 node.3.bus=axi4 node.3.side=target node.3.clock=own "
    "map.ram.base=0x80000000 map.ram.size=64K map.ram.node=3 map.rom.base=0 map.rom.size=4K "
    "map.rom.node=3"
)
"""Three kinds of buses, two planes with monitors, a clock of a node's own, two regions at it."""

OF_STREAMS = "hypercube n=1 name=chip keep=yes node.1.width=16 node.1.clock=own"
"""A node with a width and a clock of its own, and packets of any number of bytes."""


@cache
def system_and_verilog(words):
    """A system, and its Verilog."""
    system = System.from_words(words.split())
    return system, system_verilog(system)


SMALL = ("mesh x=2 y=1", "mesh x=2 y=1 classes=2", "hypercube n=1 nodes_per_router=2", "ring n=3")
"""Networks of which systems are drawn."""


@st.composite
def system_words(draw: Any) -> list[str]:
    """Words of a system of few nodes: keys within their ranges, that may or may not fit."""
    words = draw(st.sampled_from(SMALL)).split()
    words += draw(st.sampled_from([[], ["data_width=64"], ["parity=yes"], ["tables=loaded"]]))
    words += draw(st.sampled_from([[], ["keep=yes"], ["user_width=3"], ["reset=low"]]))
    words += ["node.bus=none", "bus.burst=4"]
    words.append(f"bus.data_width={draw(st.sampled_from([8, 32, 64, 128]))}")
    for node, side in ((0, "initiator"), (draw(st.integers(1, 3)), "target")):
        bus = draw(st.sampled_from(["axi4", "axi4", "axi_lite", "wishbone", "apb"]))
        words += [f"node.{node}.bus={bus}", f"node.{node}.side={side}"]
        words += draw(st.sampled_from([[], [], [f"node.{node}.clock=own"]]))
    base, size = (
        draw(st.sampled_from(["0", "4K", "0x80000000"])),
        draw(st.sampled_from(["4K", "8K"])),
    )
    return [*words, f"map.ram.base={base}", f"map.ram.size={size}", f"map.ram.node={node}"]


def lint(verilog, *waivers, top, options=()):
    """Return what ``verilator --lint-only -Wall`` says about a file: nothing if it is clean."""
    files = [str(path) for path in (*waivers, verilog)]
    return _said(["--lint-only", "-Wall", "--top-module", top, *options, *files])


def cocotb_build(verilog, *, top):
    """Return what Verilator says when it builds a file as cocotb does: all signals are public.

    Each then is one, also where its fields would be apart: loops between them are found.
    """
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        words = ["--cc", "--vpi", "--public-flat-rw", "--assert", "--quiet", "-Mdir", folder]
        return _said([*words, "--top-module", top, str(verilog)])


def _said(words):
    with tool_environment():
        command = ["verilator", *words]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode and "%" not in result.stderr:
        raise ToolError(f"Verilator must run, but failed: {result.stderr.strip()[:200]}")
    return result.stderr


SIMULATOR = "icarus" if shutil.which("iverilog") else "verilator"
FAST = ["-CFLAGS", "-O0"] if SIMULATOR == "verilator" else []
"""Arguments of its compiler; these tests are short, and to optimise takes longer than they do."""
