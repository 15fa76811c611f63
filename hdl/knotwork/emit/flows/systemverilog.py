"""A SystemVerilog wrapper (IEEE 1800-2017) whose nodes are arrays of interfaces."""

from collections.abc import Iterator

from ...network import Network
from ..ports import (
    eject_prefix,
    eject_widths,
    inject_prefix,
    inject_widths,
    network_ports,
    refused_port,
)
from ..verilog import header
from .top import CoreParts


def wrapper_name(network: Network) -> str:
    """Module of the wrapper."""
    return network.module_name("sv")


def wrapper_files(network: Network) -> dict[str, str]:
    """File of the wrapper."""
    return {f"{wrapper_name(network)}.sv": wrapper_text(network)}


def wrapper_parts(network: Network) -> CoreParts:
    """File set of the wrapper, and a target whose top it is."""
    name = wrapper_name(network)
    return CoreParts(
        filesets={"wrapper": {f"{name}.sv": "systemVerilogSource"}},
        targets=f"  systemverilog:\n    filesets: [rtl, wrapper]\n    toplevel: {name}\n",
    )


def wrapper_text(network: Network) -> str:
    """Two interfaces, of streams into the network and out of it, and the module with their arrays.

    The network's module is not part of the text.
    """
    into, out = f"{network.name}_inject_if", f"{network.name}_eject_if"
    lines = [
        header(network, "//"),
        "// A stream into the network: node i is a source, the network a sink.",
        *_interface(into, inject_widths(network)),
        "// A stream out of the network: the network is a source, node i a sink.",
        *_interface(out, eject_widths(network)),
        *_module(network, into, out),
    ]
    return "\n".join(lines) + "\n"


def _interface(name: str, widths: dict[str, int]) -> Iterator[str]:
    signals = ", ".join(["tvalid", *widths])
    yield f"interface {name};"
    yield "  logic tvalid;"
    yield "  logic tready;"
    for signal, width in widths.items():
        yield f"  logic {_range(width)}{signal};"
    yield f"  modport source (output {signals}, input tready);"
    yield f"  modport sink (input {signals}, output tready);"
    yield "endinterface"
    yield ""


def _module(network: Network, into: str, out: str) -> Iterator[str]:
    nodes = network.topology.nodes
    last = nodes - 1
    pins = {"clk": "clk", "rst": "rst"}
    for node in range(nodes):
        pins[refused_port(network, node)] = f"refused[{node}]"
        for prefix, name, widths in (
            (inject_prefix(network, node), "inject", inject_widths(network)),
            (eject_prefix(network, node), "eject", eject_widths(network)),
        ):
            for signal in ("tvalid", "tready", *widths):
                pins[f"{prefix}_{signal}"] = f"{name}[{node}].{signal}"
    others = [
        (direction, port, width)
        for direction, ports in zip(("input", "output"), network_ports(network), strict=True)
        for port, width in ports.items()
        if port not in pins
    ]
    pins |= {port: port for _, port, _ in others}
    yield f"module {wrapper_name(network)} ("
    yield "  input logic clk,"
    yield "  input logic rst,"
    for direction, port, width in others:
        yield f"  {direction} logic {_range(width)}{port},"
    yield f"  {into}.sink inject [0:{last}],"
    yield f"  {out}.source eject [0:{last}],"
    yield f"  output logic [{last}:0] refused"
    yield ");"
    yield f"  {network.name} network ("
    yield ",\n".join(f"    .{pin}({wire})" for pin, wire in pins.items())
    yield "  );"
    yield "endmodule"


def _range(width: int) -> str:
    return f"[{width - 1}:0] " if width > 1 else ""
