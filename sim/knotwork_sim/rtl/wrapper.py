"""Verilog wrapper of a network, which gives a testbench all nodes in a few wide signals."""

from knotwork.emit.ports import (
    CONFIG_PREFIX,
    STATUS_PORT,
    config_widths,
    eject_prefix,
    eject_widths,
    has_config,
    inject_prefix,
    inject_widths,
    refused_port,
    status_width,
)
from knotwork.network import Network

TOP = "testbench"


def wrapper_verilog(network: Network, *, public: bool = True) -> str:
    """Module `TOP`, in which node i's bits of each AXI4-Stream signal are element i of a vector.

    A testbench in Python then reads and writes a handful of values per cycle, however many nodes
    there are: ``flags_in`` is {s_tvalid, m_tready}, ``flags_out`` {refused, s_tready, m_tvalid}.
    In a network with a controller, ``config_in`` is {tdata, tlast, tvalid} of its stream, and
    ``config_out`` {status, tready}.

    Parameters
    ----------
    public : bool
        Whether a testbench in Python sets and reads the ports.
    """
    nodes = network.topology.nodes
    into, out = inject_widths(network), eject_widths(network)
    vectors = {"flags_in": ("input", 2 * nodes), "flags_out": ("output", 3 * nodes)}
    vectors |= {f"s_{name}": ("input", nodes * width) for name, width in into.items()}
    vectors |= {f"m_{name}": ("output", nodes * width) for name, width in out.items()}
    pins = ["    .clk(clk)", "    .rst(rst)"]
    if has_config(network):
        entry, status = config_widths(network)["tdata"], status_width(network)
        vectors |= {"config_in": ("input", 2 + entry), "config_out": ("output", 1 + status)}
        pins += [
            f"    .{CONFIG_PREFIX}_tvalid(config_in[0])",
            f"    .{CONFIG_PREFIX}_tlast(config_in[1])",
            f"    .{CONFIG_PREFIX}_tdata(config_in[2 +: {entry}])",
            f"    .{CONFIG_PREFIX}_tready(config_out[0])",
            f"    .{STATUS_PORT}(config_out[1 +: {status}])",
        ]
    # a vector of one bit has a range too, or no bit of it can be selected
    ranges = [f"{way} [{width - 1}:0] {name}" for name, (way, width) in vectors.items()]
    mark = " /* verilator public_flat_rw */" if public else ""
    lines = [f"  {port}{mark}" for port in ("input clk", "input rst", *ranges)]
    for node in range(nodes):
        bits = {
            f"{eject_prefix(network, node)}_tready": f"flags_in[{node}]",
            f"{inject_prefix(network, node)}_tvalid": f"flags_in[{nodes + node}]",
            f"{eject_prefix(network, node)}_tvalid": f"flags_out[{node}]",
            f"{inject_prefix(network, node)}_tready": f"flags_out[{nodes + node}]",
            refused_port(network, node): f"flags_out[{2 * nodes + node}]",
        }
        for side, prefix, widths in (
            ("s", inject_prefix(network, node), into),
            ("m", eject_prefix(network, node), out),
        ):
            for name, width in widths.items():
                bits[f"{prefix}_{name}"] = f"{side}_{name}[{node * width} +: {width}]"
        pins += [f"    .{pin}({wires})" for pin, wires in bits.items()]
    head = [f"module {TOP} (", ",\n".join(lines), ");", f"  {network.name} network ("]
    return "\n".join([*head, ",\n".join(pins), "  );", "endmodule", ""])


def jump_table_width(network: Network) -> int:
    """Bits of a buddy in a jump table; 0 where packets bring none."""
    if network.loads_tables:
        return 0
    return max(config_widths(network).get("tdata", 0) - 1, 0)
