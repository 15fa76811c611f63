"""Verilog around a network that lets a testbench see all nodes in a few wide signals."""

from knotwork.emit.names import (
    eject_prefix,
    eject_widths,
    inject_prefix,
    inject_widths,
    refused_port,
)
from knotwork.network import Network

TOP = "testbench"


def testbench_verilog(network: Network) -> str:
    """Module `TOP`: node i's bits of each AXI4-Stream signal stand at position i of a vector.

    A testbench in Python then reads and writes ten values a clock, however many nodes there are.
    """
    nodes = network.topology.nodes
    into = {"tvalid": 1, "tready": 1, **inject_widths(network)}
    out = {"tvalid": 1, "tready": 1, **eject_widths(network)}
    ports = {("s", name): nodes * width for name, width in into.items()}
    ports |= {("m", name): nodes * width for name, width in out.items()}
    lines = [f"module {TOP} (", "  input clk /* verilator public_flat_rw */,"]
    lines += ["  input rst /* verilator public_flat_rw */,"]
    for (side, name), width in ports.items():
        way = "output" if (side == "m") != (name == "tready") else "input"
        lines.append(f"  {way} [{width - 1}:0] {side}_{name} /* verilator public_flat_rw */,")
    lines.append(f"  output [{nodes - 1}:0] refused /* verilator public_flat_rw */")
    lines += [");", f"  {network.name} network (", "    .clk(clk),", "    .rst(rst),"]
    pins = []
    for node in range(nodes):
        for side, prefix, widths in (
            ("s", inject_prefix(node), into),
            ("m", eject_prefix(node), out),
        ):
            for name, width in widths.items():
                bits = f"{node * width} +: {width}"
                pins.append(f"    .{prefix}_{name}({side}_{name}[{bits}])")
        pins.append(f"    .{refused_port(node)}(refused[{node}])")
    return "\n".join([*lines, ",\n".join(pins), "  );", "endmodule", ""])
