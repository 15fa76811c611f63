"""Mutants of one module in a network's Verilog: Yosys makes them, an input chooses among them.

References
----------
Yosys, `mutate`; C. Wolf, "MCY: Mutation Cover with Yosys", https://github.com/YosysHQ/mcy.
"""

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from knotwork.emit import network_verilog
from knotwork.emit.modules import router_verilog
from knotwork.network import Network, RouterKind
from knotwork.tools import run_tool
from knotwork_sim.rtl.wrapper import wrapper_verilog

INPUT = "mutant"
"""Port that says which mutant a module is; 0 is the module as it was generated."""

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
"""What makes one netlist of a module's Verilog, always with the same names.

Gates of one bit, for of a wide one some bits may be for nothing: a fault there is none.
"""

COARSE = """
read_verilog -formal module.v
hierarchy -top {name}
proc -norom
flatten
"""
"""The same with every wire that proofs look at: nothing is left out."""

# Only what the outputs depend on: a fault in an assertion is none of the hardware.
_LIST = """
select -set hardware o:* %ci*
mutate -list {count} -seed {seed} -o list.ys @hardware
"""


# A fault in a clock's own wire is none of the logic: an inverted one makes a race with the inputs.
# Nor has a memory that is read without a clock an enable or a reset there; Yosys writes no such.
_NO_LOGIC = re.compile(r" -port (C|CLK|\w+_CLK|RD_EN|RD_[AS]RST) ")


@dataclass(frozen=True)
class Mutant:
    """One fault.

    Members
    -------
    number : int
        From 1 on.
    command : str
        Options of Yosys' `mutate` that make it.
    """

    number: int
    command: str

    def option(self, name: str) -> str:
        """Value of one of the options; empty where it has none."""
        found = re.search(rf" -{name} (\S+)", self.command)
        return found[1] if found else ""

    @property
    def place(self) -> str:
        """Wire, or cell and port, with its bit, for a reader."""
        wire = self.option("wire")
        where = f"{wire}[{self.option('wirebit')}]" if wire else self.option("cell")
        return where.replace("$flatten", "").replace("\\", "")

    def __str__(self) -> str:
        port = f"{self.option('port')}[{self.option('portbit')}]"
        control = self.option("ctrlbit")
        mode = self.option("mode") + (f" by bit {control}" if control else "")
        return f"{mode} at {port} of {self.option('cell')} ({self.place})"


def run_yosys(script: str, folder: Path) -> str:
    """Run Yosys on a script in a folder; what it said.

    Raises
    ------
    ToolError
        It failed; tells its first error.
    """
    (folder / "script.ys").write_text(script, encoding="utf-8")
    return run_tool(["yosys", "-q", "-s", "script.ys"], folder)


def list_mutants(
    verilog: str, name: str, *, count: int, seed: int = 1, read: str = READ
) -> list[Mutant]:
    """Faults all over a module, evenly drawn from wires, cells and sources.

    Parameters
    ----------
    verilog : str
        The module `name` and those in it.
    count : int
        Faults wanted; there may be fewer.
    read : str
        `READ` or `COARSE`.
    """
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        work = Path(folder)
        (work / "module.v").write_text(verilog, encoding="utf-8")
        run_yosys((read + _LIST).format(name=name, count=count + count // 10, seed=seed), work)
        lines = (work / "list.ys").read_text(encoding="utf-8").splitlines()
    commands = [line.removeprefix("mutate") for line in lines if line.startswith("mutate -mode")]
    commands = [command for command in commands if not _NO_LOGIC.search(command)]
    return [Mutant(number, command) for number, command in enumerate(commands[:count], 1)]


def input_width(mutants: Sequence[Mutant]) -> int:
    """Bits of `INPUT`."""
    return max(1, max((mutant.number for mutant in mutants), default=0).bit_length())


def switches(mutants: Sequence[Mutant]) -> str:
    """Commands by which the module of `READ` gets all mutants, chosen by `INPUT`."""
    width = input_width(mutants)
    return "".join(
        f"mutate -ctrl {INPUT} {width} {mutant.number}{mutant.command}\n" for mutant in mutants
    )


def switched_verilog(verilog: str, name: str, mutants: Sequence[Mutant]) -> str:
    """Module with all mutants in it: that whose number is on its input `INPUT` acts."""
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        work = Path(folder)
        (work / "module.v").write_text(verilog, encoding="utf-8")
        script = READ.format(name=name) + switches(mutants)
        run_yosys(script + "write_verilog -norename -noattr out.v\n", work)
        return (work / "out.v").read_text(encoding="utf-8")


def mutated_verilog(verilog: str, name: str, mutant: Mutant) -> str:
    """Module with one mutant of `COARSE`; its wires keep their names."""
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        work = Path(folder)
        (work / "module.v").write_text(verilog, encoding="utf-8")
        script = f"{COARSE.format(name=name)}mutate{mutant.command}\n"
        run_yosys(script + "write_verilog -norename -noattr out.v\n", work)
        return (work / "out.v").read_text(encoding="utf-8")


def module_verilog(network: Network, name: str) -> str:
    """Verilog of one of the network's kinds of routers.

    Raises
    ------
    StopIteration
        There is none of that name.
    """
    kind: RouterKind = next(kind for kind in network.router_kinds if kind.name == name)
    return router_verilog(network, kind)


def switched_network(network: Network, name: str, mutants: Sequence[Mutant]) -> dict[str, str]:
    """Verilog of a network and its testbench in which `INPUT` chooses the mutant of one module.

    All routers of the kind are the same mutant.
    """
    original = module_verilog(network, name)
    text = network_verilog(network)
    assert text.count(original) == 1
    bits = f"[{input_width(mutants) - 1}:0] {INPUT}"
    text = text.replace(original, switched_verilog(original, name, mutants))
    before, top, after = text.partition(f"\nmodule {network.name} (")
    placed = re.compile(rf"^(  {name} \w+ \()$", re.MULTILINE)
    after = placed.sub(rf"\1\n    .{INPUT}({INPUT}),", f"\n  input {bits},{after}")
    bench = wrapper_verilog(network)
    bench = bench.replace(
        "  input clk", f"  input {bits} /* verilator public_flat_rw */,\n  input clk", 1
    )
    bench = bench.replace("network (\n", f"network (\n    .{INPUT}({INPUT}),\n", 1)
    return {f"{network.name}.v": before + top + after, "testbench.v": bench}
