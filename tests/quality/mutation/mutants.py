"""Mutants of a module of a network's Verilog: Yosys makes them, an input selects one.

References
----------
Yosys, `mutate`; C. Wolf, "MCY: Mutation Cover with Yosys", https://github.com/YosysHQ/mcy.
"""

import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from knotwork.emit import network_verilog
from knotwork.emit.modules import router_verilog
from knotwork.formal import Part, parts
from knotwork.network import Network, RouterKind
from knotwork.tools import run_tool
from knotwork_sim.rtl.wrapper import wrapper_verilog

from .fault_names import FaultNames

INPUT = "mutant"
"""Port that selects the mutant; 0 selects the original."""

READ = """
read_verilog -formal module.v
hierarchy -top {name}
proc
flatten
memory_collect
opt -full
techmap
opt -full
"""
"""Script that makes one netlist of a module's Verilog, always with the same cells.

The gates are of one bit: a wide gate may have bits that nothing reads, where no fault shows.
"""

COARSE = """
read_verilog -formal module.v
hierarchy -top {name}
proc -norom
flatten
"""
"""Script that keeps every wire that the proofs look at."""

# Only the logic that outputs depend on: a fault in an assertion is no fault of the hardware.
_LIST = """
select -set hardware o:* %ci*
mutate -list {count} -seed {seed} -o list.ys @hardware
write_json list.json
"""


# Clock pins are left out: an inverted clock would race with the inputs. So are the enable and the
# reset of an asynchronous read port, which Yosys lists, but cannot write as Verilog.
_NO_LOGIC = re.compile(r" -port (C|CLK|\w+_CLK|RD_EN|RD_[AS]RST) ")


@dataclass(frozen=True)
class Mutant:
    """One fault."""

    number: int  # from 1 on
    command: str  # options of Yosys' `mutate` that make the fault
    fault: str = ""  # what it does, for a reader, and as long as the gate is there

    def option(self, name: str) -> str:
        """Value of an option; empty if the command has none."""
        found = re.search(rf" -{name} (\S+)", self.command)
        return found[1] if found else ""

    @property
    def location(self) -> str:
        """Wire with its bit, or the cell, for a reader."""
        wire = self.option("wire")
        where = f"{wire}[{self.option('wirebit')}]" if wire else self.option("cell")
        return where.replace("$flatten", "").replace("\\", "")


def run_yosys(script: str, folder: Path) -> str:
    """Run Yosys on a script in a folder; its output. An error has its first error's text."""
    (folder / "script.ys").write_text(script, encoding="utf-8")
    return run_tool(["yosys", "-q", "-s", "script.ys"], folder)


def list_mutants(
    verilog: str, name: str, *, count: int, seed: int = 1, read: str = READ
) -> list[Mutant]:
    """Faults all over a module, drawn evenly from wires, cells and lines of the source.

    There may be fewer than `count`; `read` is `READ` or `COARSE`.
    """
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        work = Path(folder)
        (work / "module.v").write_text(verilog, encoding="utf-8")
        run_yosys((read + _LIST).format(name=name, count=count + count // 10, seed=seed), work)
        lines = (work / "list.ys").read_text(encoding="utf-8").splitlines()
        modules = json.loads((work / "list.json").read_text(encoding="utf-8"))["modules"]
    commands = [line.removeprefix("mutate") for line in lines if line.startswith("mutate -mode")]
    commands = [command for command in commands if not _NO_LOGIC.search(command)]
    names = FaultNames(modules[name])
    made = [Mutant(number, command) for number, command in enumerate(commands[:count], 1)]
    return [replace(mutant, fault=_fault(names, mutant)) for mutant in made]


def _fault(names: FaultNames, mutant: Mutant) -> str:
    control = mutant.option("ctrlbit")
    return names.name(
        mutant.option("mode") + (f" by bit {control}" if control else ""),
        mutant.option("cell").removeprefix("\\"),
        mutant.option("port").removeprefix("\\"),
        int(mutant.option("portbit")),
    )


def input_width(mutants: Sequence[Mutant]) -> int:
    """Bits of `INPUT`."""
    return max(1, max((mutant.number for mutant in mutants), default=0).bit_length())


def switches(mutants: Sequence[Mutant]) -> str:
    """Commands that put all mutants into the module of `READ`, selected by `INPUT`."""
    width = input_width(mutants)
    return "".join(
        f"mutate -ctrl {INPUT} {width} {mutant.number}{mutant.command}\n" for mutant in mutants
    )


def switched_verilog(verilog: str, name: str, mutants: Sequence[Mutant]) -> str:
    """Module with all mutants; the one whose number is on the input `INPUT` acts."""
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        work = Path(folder)
        (work / "module.v").write_text(verilog, encoding="utf-8")
        script = READ.format(name=name) + switches(mutants)
        run_yosys(script + "write_verilog -norename -noattr out.v\n", work)
        return (work / "out.v").read_text(encoding="utf-8")


def mutated_verilog(verilog: str, name: str, mutant: Mutant) -> str:
    """Module of `COARSE` with one mutant; its wires keep their names."""
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        work = Path(folder)
        (work / "module.v").write_text(verilog, encoding="utf-8")
        script = f"{COARSE.format(name=name)}mutate{mutant.command}\n"
        run_yosys(script + "write_verilog -norename -noattr out.v\n", work)
        return (work / "out.v").read_text(encoding="utf-8")


def module_of(network: Network, name: str) -> RouterKind | Part:
    """Kind of router of a network, or what it has beside its routers, by the module's name."""
    kinds = (kind for kind in network.router_kinds if kind.name == name)
    return next(kinds, None) or next(part for part in parts(network) if part.name == name)


def module_verilog(network: Network, name: str) -> str:
    """Verilog of a module of a network."""
    module = module_of(network, name)
    if isinstance(module, Part):
        return module.verilog(network, name)
    return router_verilog(network, module)


def switched_network(network: Network, name: str, mutants: Sequence[Mutant]) -> dict[str, str]:
    """Verilog of a network and its testbench in which `INPUT` selects the mutant of a module.

    All routers of the kind are the same mutant.
    """
    bits = f"[{input_width(mutants) - 1}:0] {INPUT}"
    # Flat, so that no module which other routers share has a mutant.
    switched = switched_verilog(module_verilog(network, name), name, mutants)
    module = re.compile(rf"^module {name} \(.*?^endmodule\n", re.MULTILINE | re.DOTALL)
    text, count = module.subn(lambda _: switched, network_verilog(network))
    assert count == 1
    before, top, after = text.partition(f"\nmodule {network.name} (")
    placed = re.compile(rf"^(  {name} \w+ \()$", re.MULTILINE)
    after = placed.sub(rf"\1\n    .{INPUT}({INPUT}),", f"\n  input {bits},{after}")
    wrapper = wrapper_verilog(network)
    wrapper = wrapper.replace(
        "  input clk", f"  input {bits} /* verilator public_flat_rw */,\n  input clk", 1
    )
    wrapper = wrapper.replace("network (\n", f"network (\n    .{INPUT}({INPUT}),\n", 1)
    return {f"{network.name}.v": before + top + after, "testbench.v": wrapper}
