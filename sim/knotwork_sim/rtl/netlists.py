"""Simulators of netlists: of what synthesis for a board made of a network.

Boards are not known here. Who knows them is found by the entry-point group ``knotwork.netlists``,
whose entry ``netlist`` names a function of a network and the name of a board that gives the Verilog
of the netlist, and of its cells, by file name. The entry ``bitstream`` is that of `self_test_bits`.
"""

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

from knotwork.errors import ToolError
from knotwork.network import Network

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
