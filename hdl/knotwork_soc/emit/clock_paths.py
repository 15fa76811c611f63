"""Paths between the clocks of a system: all are within what stands at its nodes."""

from knotwork.emit.constraints import Paths
from knotwork.emit.modules import module_design
from knotwork.emit.writer.between_clocks import Crossed, crossed_ends, crossed_starts

from ..gateware.node_parts import NODE_CLOCK
from ..node import Node
from ..system import System
from .nodes import node_module, node_shell
from .ports import node_clock

_OF_NODE = f"{NODE_CLOCK}_clk"
"""Clock port of the module of what stands at a node."""


def clock_paths(system: System) -> list[Paths]:
    """Paths at each node with a clock of its own, to it and from it."""
    nodes = [node for node in system.nodes if node.has_own_clock]
    modules = {node_module(system, node): node for node in nodes}
    crossed = {name: _crossed(system, node, name) for name, node in modules.items()}
    found = []
    for node in nodes:
        ends, starts = crossed[node_module(system, node)]
        clock_ports = {_OF_NODE: node_clock(system, node), "clk": "clk"}
        for source, target in ((_OF_NODE, "clk"), ("clk", _OF_NODE)):
            places = [
                [
                    f"node_{node.index}/{one.path}"
                    for one in each
                    if (one.source, one.target) == (source, target)
                ]
                for each in (ends, starts)
            ]
            found.append(Paths(clock_ports[source], clock_ports[target], *places))
    return found


def _crossed(system: System, node: Node, name: str) -> tuple[list[Crossed], list[Crossed]]:
    """Ends of paths within a module, and starts of those that end outside it."""
    shell = node_shell(system, node)
    assert shell is not None, "a clock of its own needs a crossing"
    design = module_design(shell, name)
    return [*crossed_ends(design)], [*crossed_starts(design)]
