"""Files that users get: Verilog, lint waivers, FuseSoC core, manifest."""

import json
from pathlib import Path
from typing import Any

from .. import __version__
from ..files import write_whole
from ..gateware.layouts import has_multicast
from ..network import Network
from .names import eject_prefix, eject_widths, inject_prefix, inject_widths, refused_port
from .verilog import header, lint_waivers, network_verilog


def manifest(network: Network) -> dict[str, Any]:
    """What a program needs to know of the Verilog: ports, nodes, parameters."""
    topology = network.topology
    return {
        "tool": "knotwork",
        "version": __version__,
        "network": topology.name,
        "parameters": network.parameters,
        "top": network.name,
        "files": [f"{network.name}.v"],
        "clock": "clk",
        "reset": "rst",
        "in_order": network.routing.in_order,
        "widths": {
            "data": network.hardware.data_width,
            "address": topology.address_width,
            "s_axis": inject_widths(network),
            "m_axis": eject_widths(network),
        },
        "refused": "a packet that cannot be sent (to an address that is no node, say) is taken to "
        "its tlast and dropped; the node's port named here is high for one clock",
        **({"multicast": _multicast(network)} if has_multicast(network) else {}),
        "nodes": [
            {
                "index": node,
                "label": topology.label(node),
                "address": topology.address(node),
                "inject": inject_prefix(node),
                "eject": eject_prefix(node),
                "refused": refused_port(node),
            }
            for node in range(topology.nodes)
        ],
    }


def _multicast(network: Network) -> dict[str, Any]:
    """How a node sends a multicast, and its limits."""
    routing: Any = network.routing
    return {
        "mark": "tuser = 1 on the packet's first beat; tdest is then the number of destinations",
        "chain": "the first beats carry the destinations' addresses in the low bits of tdata, the "
        "others 0, in rising order of (address XOR own address); the data follows",
        "delivered": "each destination gets the data alone, with the sender's address as tid",
        "refused": "an empty or too long chain, the sender in it, an address twice, out of order "
        "or of no node, no data, more than max_packet beats",
        "max_destinations": routing.chain_limit,
        "max_packet": routing.options.max_packet,
        "in_order": False,
    }


def fusesoc_core(network: Network) -> str:
    """FuseSoC core description (CAPI2) of the network's Verilog."""
    return (
        "CAPI=2:\n"
        + header(network, "#")
        + f"name: knotwork:noc:{network.name}:{__version__}\n"
        + f"description: Network-on-chip, {network.topology.nodes} nodes, AXI4-Stream\n"
        + "filesets:\n"
        + "  rtl:\n"
        + "    files:\n"
        + f"      - {network.name}.v: {{file_type: verilogSource}}\n"
        + f"  waivers:\n    files:\n      - {network.name}.vlt: {{file_type: vlt}}\n"
        + "targets:\n"
        + "  default: &default\n"
        + "    filesets: [rtl]\n"
        + f"    toplevel: {network.name}\n"
        + "  lint:\n"
        + "    <<: *default\n"
        + "    default_tool: verilator\n"
        + "    filesets: [rtl, waivers]\n"
        + "    tools: {verilator: {mode: lint-only, verilator_options: [-Wall]}}\n"
    )


def write_network(network: Network, directory: Path) -> list[Path]:
    """Write Verilog, lint waivers, FuseSoC core and manifest into `directory`, made if missing.

    Raises
    ------
    ConfigurationError
        The directory cannot be written.
    DeadlockError
        The network failed its deadlock check.
    """
    texts = {
        f"{network.name}.v": network_verilog(network),
        f"{network.name}.vlt": lint_waivers(network),
        f"{network.name}.core": fusesoc_core(network),
        "manifest.json": json.dumps(manifest(network), indent=1) + "\n",
    }
    for name, text in texts.items():
        write_whole(directory / name, text)
    return [directory / name for name in texts]
