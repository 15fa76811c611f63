"""Files that users get: Verilog, lint waivers, FuseSoC core, manifest."""

import json
from pathlib import Path
from typing import Any

from .. import __version__
from ..files import write_all
from ..gateware.layouts import (
    has_broadcast,
    has_multicast,
    has_parity,
    is_bufferless,
    sequence_width,
)
from ..network import Network
from ..routing.circuits import cycle_clocks
from .ports import (
    CONFIG_PREFIX,
    STATUS_PORT,
    config_widths,
    eject_prefix,
    eject_widths,
    has_config,
    has_interfaces,
    inject_prefix,
    inject_widths,
    refused_port,
    status_width,
)
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
            **({"s_axis_config": config_widths(network)} if has_config(network) else {}),
        },
        "refused": "a packet that cannot be sent (to an address that is no node, say) is taken to "
        "its tlast and dropped; the node's port named here is high for one clock",
        **({"multicast": _multicast(network)} if has_multicast(network) else {}),
        **({"broadcast": _broadcast(network)} if has_broadcast(network) else {}),
        **({"parity": _PARITY} if has_parity(network) else {}),
        **(_batch(network) if has_config(network) else {}),
        **({"circuit": _circuit(network)} if has_interfaces(network) else {}),
        **({"deflection": _deflection(network)} if is_bufferless(network) else {}),
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


_PARITY = {
    "tuser": "bit 0 of m_axis_*_tuser is 1 from the first beat of a packet that is found wrong to "
    "its last: on the beat with tlast it speaks for the whole packet",
    "meaning": "a bit of its data or of its addresses flipped on the way, or the node is not the "
    "one that it was sent to; tdata and tid may be wrong, and so may the node be",
}
"""How a node is told of broken packets."""


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


def _broadcast(network: Network) -> dict[str, Any]:
    """How a node sends a broadcast, and its limits."""
    options: Any = network.routing.options
    return {
        "mark": "tuser = 1 on the packet's first beat; tdest is then not read",
        "delivered": "every other node gets one copy, with the sender's address as tid; the sender "
        "gets none",
        "refused": "more than max_packet beats",
        "max_packet": options.max_packet,
        "rule": options.broadcast,
        "in_order": True,
        "order": "a sender's broadcasts come to each node in the order in which they were sent; "
        "a broadcast and a packet to one node may come in either order",
    }


def _batch(network: Network) -> dict[str, Any]:
    """How a network of batches is set up and used, and how it tells what went wrong."""
    routing: Any = network.routing
    n, words = network.topology.address_width, network.hardware.words
    buddy = config_widths(network)["tdata"] - 1
    return {
        "config": {
            "stream": CONFIG_PREFIX,
            "beats": n,
            "format": f"a beat a dimension, that of dimension {n - 1} first and of 0, with tlast, "
            f"last; tdata is {{jump, buddy}}: bit {buddy} the jump bit, bits {buddy - 1}..0 the "
            f"buddy's number, {n} for none (`knotwork schedule` tells both)",
            "when": "at any time; it is not taken while a batch runs, and stays for all that "
            "follow. With too few beats, too many, or a buddy above the greatest, no batch starts "
            "before a right one has come",
        },
        "batch": {
            "words": words,
            "steps": routing.steps,
            "cycles": routing.steps * words,
            "protocol": f"every node sends one packet of {words} beats (to itself, if it has "
            "nothing to send); when the last one is there, all move, and every node gets one. If "
            "its last beat is taken at clock t, m_axis_*_tvalid is first high at clock "
            f"t + 1 + {routing.steps * words}",
            "refused": f"a packet of fewer or more than {words} beats",
        },
        "flags": {
            "tuser": "{F3, F2, F1, WRONG}, valid with every beat of m_axis",
            "WRONG": "the packet is not for this node",
            "F1": "the node and its neighbour did not agree in a first exchange: the table was "
            "made for another permutation",
            "F2": "the node had a packet for another place of its cycle when all were sorted",
            "F3": "the node and its neighbour did not agree in a second exchange",
            "meaning": "F1, F2 and F3 are local: they may be clear at a node with a wrong packet",
        },
        "status": {
            "port": STATUS_PORT,
            "width": status_width(network),
            "format": "{no valid table is loaded, F3, F2, F1, WRONG}, the flags those of any node; "
            "a node's are cleared when it sends its next packet",
        },
    }


def _circuit(network: Network) -> dict[str, Any]:
    """Limits and clocks of a circuit-switched network, and how a packet's way is said."""
    topology: Any = network.topology
    longest = network.hardware.max_packet
    found: dict[str, Any] = {
        "max_packet": longest,
        "refused": f"a packet of more than {longest} beats, or whose word names no upper",
        "network_cycle": cycle_clocks(topology, longest),
        "protocol": "in a network cycle every node offers one packet, which gets its whole circuit "
        "or is offered again in the next; a packet takes part once its last beat is in. Nothing "
        "is sent to a node without room for a packet of the greatest length",
    }
    if network.routing.word_layout:
        fields, place = [], 0
        for level, uppers in enumerate(topology.uppers[:-1]):
            width = (uppers - 1).bit_length()
            if width:
                bits = f"bits {place + width - 1}..{place}"
                fields.append(f"{bits} the upper to take on level {level}")
            place += width
        found["word"] = "tuser on a packet's first beat: " + ", ".join(fields or ["nothing"])
    return found


def _deflection(network: Network) -> dict[str, Any]:
    """Promises of routers that keep nothing, and how packets are numbered."""
    routing: Any = network.routing
    width = sequence_width(network)
    found: dict[str, Any] = {
        "max_packet": 1,
        "refused": "a packet of more than one beat",
        "order": "packets of one source and destination can overtake each other",
        "most_hops": routing.most_hops,
        "arrival": "no packet takes more than most_hops hops where m_axis_*_tready is always high; "
        "one that its node does not take at once goes round through the network and comes again",
    }
    if width:
        found["sequence"] = {
            "tuser": f"number of the packet, modulo {1 << width}, among those of its source and "
            "destination, from 0 after a reset; valid with every beat of m_axis",
            "ready": f"nodes send from the clock {1 << network.topology.address_width} after a "
            "reset on",
        }
    return found


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


def write_network(network: Network, directory: Path, *, keep_hierarchy: bool = False) -> list[Path]:
    """Write Verilog, lint waivers, FuseSoC core and manifest into `directory`, made if missing.

    `keep_hierarchy` is that of `network_verilog`.

    Raises
    ------
    ConfigurationError
        The directory cannot be written.
    DeadlockError
        The network failed its deadlock check.
    """
    texts = {
        f"{network.name}.v": network_verilog(network, keep_hierarchy=keep_hierarchy),
        f"{network.name}.vlt": lint_waivers(network),
        f"{network.name}.core": fusesoc_core(network),
        "manifest.json": json.dumps(manifest(network), indent=1) + "\n",
    }
    files = {directory / name: text for name, text in texts.items()}
    write_all(files)
    return list(files)
