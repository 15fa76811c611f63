"""Simulators of what a board gets: the netlist of a network, and the bits of a self-test."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from knotwork.builds.compilation import failure, keep_log, run_process
from knotwork.entry_points import entry_points
from knotwork.errors import ToolError
from knotwork.network import Network

from .programs import build_executable, compiled_sources
from .verilator import Simulator, build_simulator
from .wrapper import TOP, wrapper_verilog

GROUP = "knotwork.netlists"


def netlist_provider(name: str = "netlist") -> Callable[[Network, str], Any]:
    """Function of that name in the group.

    Raises
    ------
    ToolError
        No installed package has one.
    """
    for entry in entry_points(group=GROUP, name=name):
        return entry.load()
    raise ToolError(
        f"the entry {name} of {GROUP} must be installed: run `make setup`, or install Knotwork "
        "again"
    )


def build_netlist(network: Network, board: str) -> Simulator:
    """Compiled simulator of a network's netlist for a board, in the wrapper of its Verilog.

    Raises
    ------
    ConfigurationError
        No such board, or a cell without a model.
    ToolError
        A tool is missing or fails.
    """
    sources = netlist_provider()(network, board)
    return build_simulator({**sources, "testbench.v": wrapper_verilog(network)}, TOP)


CYCLES = 5_000_000
"""Cycles within which a chip must have written its line."""


class Chip(Protocol):
    """Configured chip: what is used of it.

    Members
    -------
    sources : dict
        Verilog by file name.
    module : str
        Module of the chip.
    ports : dict
        Its ports by what they are: ``clk``, ``tx`` and, where it has one, ``rx``.
    clocks_per_bit : int
        Cycles of a bit on the serial lines.
    """

    sources: dict[str, str]
    module: str
    ports: dict[str, str]
    clocks_per_bit: int


class SelfTestLine(NamedTuple):
    """First line that a chip writes, and the cycle in which it ends."""

    line: str
    cycle: int


def board_verilog(chip: Chip) -> str:
    """Module `TOP` around a chip: its clock and its serial lines."""
    pins = ", ".join(f".{port}({name})" for name, port in chip.ports.items())
    ports = "input clk, input rx, output tx"
    return f"module {TOP} ({ports});\n  {chip.module} chip ({pins});\nendmodule\n"


def run_self_test(network: Network, board: str) -> SelfTestLine:
    """First line of a network's self-test on a board, run from the bits.

    Raises
    ------
    ConfigurationError
        No such board, or none whose bits can be run; a network that cannot test itself.
    ToolError
        A tool is missing or fails, or the chip writes no line.
    """
    chip: Chip = netlist_provider("bitstream")(network, board)
    sources = {**chip.sources, "board.v": board_verilog(chip), **compiled_sources("uart.cpp")}
    executable = build_executable(sources, level="-O0")  # a run is short
    done = run_process([executable, str(chip.clocks_per_bit), str(CYCLES)])
    if done.returncode:
        kept = keep_log(executable.parent, done.stdout)
        raise failure("the self-test", kept, f"status {done.returncode}")
    cycle, _, line = done.stdout.decode(errors="replace").strip().partition(" ")
    return SelfTestLine(line, int(cycle))
