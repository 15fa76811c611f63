"""Verilog around a router that is measured: constant inputs, and registers at the other pins."""

import re
from collections.abc import Sequence
from typing import NamedTuple


class Pin(NamedTuple):
    """Port of a module: ``input`` or ``output``, bits, name."""

    way: str
    width: int
    name: str


_PORT = re.compile(
    r"^  (input|output) (?:reg )?(?:\[(\d+):0\] )?(\w+)(?: = \S+?)?,?$", re.MULTILINE
)


def pins(verilog: str, module: str) -> list[Pin]:
    """Ports of a module except clock and reset, in the order of their declarations."""
    begin = re.search(rf"^module {re.escape(module)}\b", verilog, re.MULTILINE)
    assert begin is not None
    body = verilog[begin.start() : verilog.index("\nendmodule", begin.start())]
    return [
        Pin(way, int(high or 0) + 1, name)
        for way, high, name in _PORT.findall(body)
        if name not in ("clk", "rst")
    ]


def placed(module: str, ports: Sequence[Pin], constants: dict[str, int], *, name: str) -> str:
    """Verilog of module `name`: the router with some of its inputs constant."""
    free = [port for port in ports if port.name not in constants]
    heads = [f"{port.way} [{port.width - 1}:0] {port.name}" for port in free]
    joins = [
        f".{port.name}({port.width}'h{constants[port.name]:x})"
        if port.name in constants
        else f".{port.name}({port.name})"
        for port in ports
    ]
    joins += [".clk(clk)", ".rst(rst)"]
    return (
        f"module {name}(input clk, input rst, {', '.join(heads)});\n"
        f"  {module} it({', '.join(joins)});\nendmodule\n"
    )


def registered(module: str, ports: Sequence[Pin], *, name: str, chained: bool) -> str:
    """Verilog of module `name`: the router with a register at every pin.

    With `chained` the module has one input, which feeds the inputs' registers as a chain, and one
    output, into which a second chain folds the outputs' registers.
    """
    taken = [port for port in ports if port.way == "input"]
    given = [port for port in ports if port.way == "output"]
    ins, outs = (sum(port.width for port in group) for group in (taken, given))
    joins = _slices(taken, "taken") + _slices(given, "given") + [".clk(clk)", ".rst(held)"]
    lines = [
        f"reg held; reg [{ins - 1}:0] taken; wire [{outs - 1}:0] given; reg [{outs - 1}:0] kept;",
        "always @(posedge clk) begin held <= rst; kept <= given; end",
        f"{module} it({', '.join(joins)});",
    ]
    if chained:
        head = f"module {name}(input clk, input rst, input from, output to);"
        lines += [
            f"reg [{outs - 1}:0] folded; assign to = folded[{outs - 1}];",
            f"always @(posedge clk) begin taken <= {{taken[{ins - 2}:0], from}};",
            f"  folded <= {{folded[{outs - 2}:0], 1'b0}} ^ kept; end",
        ]
    else:
        head = f"module {name}(input clk, input rst, input [{ins - 1}:0] from, "
        head += f"output [{outs - 1}:0] to);"
        lines += ["assign to = kept;", "always @(posedge clk) taken <= from;"]
    return "\n  ".join([head, *lines]) + "\nendmodule\n"


def _slices(ports: Sequence[Pin], vector: str) -> list[str]:
    """Connections of ports to consecutive slices of a vector."""
    joins, low = [], 0
    for port in ports:
        joins.append(f".{port.name}({vector}[{low + port.width - 1}:{low}])")
        low += port.width
    return joins
