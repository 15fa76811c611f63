"""Emitted modules against what Amaranth's own back end makes of the same component."""

import json
import re
import tempfile
from collections import Counter
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import Fragment, Value
from knotwork.emit.modules import planned_shell
from knotwork.gateware.wiring_plan import wiring_plan
from knotwork.tools import run_tool

_FLAT = """
hierarchy -check -top {0}
proc
setattr -set keep 1 w:*
flatten
delete t:$check t:$print t:$scopeinfo
async2sync
memory
opt
setattr -unset keep w:*
"""

_GOLD = f"read_rtlil gold.il\n{_FLAT.format('gold')}write_rtlil flat.il\n"

_PROOF = f"""
read_verilog -DSYNTHESIS gate.v
{_FLAT.format("gate")}
read_rtlil flat.il
rename -hide w:* t:$*ff* %co1:+[Q] %d
equiv_make gold gate both
hierarchy -top both
equiv_simple
equiv_induct
equiv_status -assert
"""


def shells(network):
    """What is emitted as a module of its own: a function that builds it, by name."""
    gates = {network.module_name(role): role for role in ("interface", "controller")}
    kinds = {kind.name: kind.name for kind in network.router_kinds}
    return {
        (kinds | gates)[module.name]: lambda module=module: planned_shell(network, module)
        for module in wiring_plan(network).modules
        if module.name in kinds | gates
    }


def reference(shell):
    """Amaranth's netlist of a component with the ports of its Verilog."""
    fragment = Fragment.get(shell.core, None)
    pairs = (*shell.inputs, *shell.outputs)
    fragment.add_statements("comb", [Value.cast(to).eq(value) for to, value in pairs])
    text = rtlil.convert(fragment, name="gold", ports=shell.ports, emit_src=False)
    taken = {*re.findall(r"\\\w+", text)}

    def shorter(found):  # as the emitted Verilog joins names
        name = found[0].replace("__", "_")
        return found[0] if name in taken else name

    return re.sub(r"\\\w+?__\w+", shorter, text)


def prove_equal(netlist, verilog):
    """Prove a module `gate` equal to Amaranth's netlist, in outputs and in every register.

    Raises
    ------
    ToolError
        Yosys did not prove it.
    """
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        work = Path(folder)
        (work / "gold.il").write_text(netlist)
        (work / "gate.v").write_text(verilog)
        (work / "gold.ys").write_text(_GOLD)
        run_tool(["yosys", "-s", "gold.ys"], work)
        flat = work / "flat.il"
        flat.write_text(_with_own_names(flat.read_text(), verilog))
        (work / "proof.ys").write_text(_PROOF)
        return run_tool(["yosys", "-s", "proof.ys"], work)


def prove_same_clocks(netlist, verilog):
    """Prove that each register of a module `gate` has the clock and reset of Amaranth's.

    `prove_equal` compares what registers become at an edge, but not of which clock.
    """
    found = _clocks("read_rtlil gold.il", "gold", netlist)
    assert _clocks("read_verilog -DSYNTHESIS gate.v", "gate", verilog) == found
    return found


def _clocks(read, top, text):
    """How many bits of registers have each clock and each asynchronous reset."""
    steps = [read, f"hierarchy -check -top {top}", "proc", "flatten", "memory", "opt_clean"]
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        work = Path(folder)
        (work / ("gold.il" if top == "gold" else "gate.v")).write_text(text)
        (work / "clocks.ys").write_text("\n".join([*steps, "write_json out.json\n"]))
        run_tool(["yosys", "-s", "clocks.ys"], work)
        module = json.loads((work / "out.json").read_text())["modules"][top]
    names = {port["bits"][0]: name for name, port in module["ports"].items()}
    found = Counter()
    for cell in module["cells"].values():
        if "dff" in cell["type"]:
            joins = cell["connections"]
            clock = names.get(joins["CLK"][0])
            reset = names.get(joins["ARST"][0], "within") if "ARST" in joins else None
            found[clock, reset] += len(joins["Q"])
    return found


def _with_own_names(netlist, verilog):
    """Registers by their own names: Amaranth names one by any signal that shows it."""
    registers = set(re.findall(r"^  (?:output )?reg  ?(?:\[.*\] )?(\w+) =", verilog, re.MULTILINE))
    ports = set(re.findall(r"^  wire .*(?:input|output) \d+ (\S+)$", netlist, re.MULTILINE))
    swaps = {}
    for alias, shown in re.findall(r"^  connect (\\\S+) (\\\S+)(?: \[[\d:]+\])?$", netlist, re.M):
        own, other = (re.split(r"[.\\]", name)[-1] for name in (alias, shown))
        if own not in registers or own == other or alias.startswith(f"{shown}."):
            continue  # the last: a field of a register
        if not {alias, shown} & {*ports, *swaps}:
            swaps |= {alias: shown, shown: alias}
    return re.sub(r"(?<=\s)\\\S+", lambda found: swaps.get(found[0], found[0]), netlist)
