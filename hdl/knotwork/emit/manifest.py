"""The manifest: what a program needs to know of the Verilog."""

from collections.abc import Callable, Sequence

from .. import __version__
from ..network import Network
from ..version import LICENCE
from . import batch, circuit, collectives, deflection, packet
from .addresses import header_names
from .collective_headers import collective_header_names
from .ports import (
    config_widths,
    eject_prefix,
    eject_widths,
    has_config,
    inject_prefix,
    inject_widths,
    refused_port,
)
from .source import verilog_files

MANIFEST_SECTIONS: dict[str, Callable[[Network], dict[str, object]]] = {
    "packet": packet.manifest_sections,
    "circuit": circuit.manifest_sections,
    "batch": batch.manifest_sections,
    "deflection": deflection.manifest_sections,
}
"""Sections of the manifest that only one router class has, by router class."""


def manifest(network: Network, files: Sequence[str] = ()) -> dict[str, object]:
    """What a program needs to know of the Verilog: ports, nodes, parameters.

    Parameters
    ----------
    network : Network
        What the Verilog is of.
    files : sequence of str
        Names of the Verilog files; ``<name>.v`` if there are none.
    """
    topology = network.topology
    return {
        "tool": "knotwork",
        "version": __version__,
        "license": LICENCE,
        "network": topology.name,
        "parameters": network.parameters,
        "top": network.name,
        "files": verilog_files(network.name, files),
        "headers": [*header_names(network.name), *collective_header_names(network.name, network)],
        "clock": {"port": "clk", "edge": "rising"},
        "reset": {"port": "rst", "active": "high", "synchronous": True},
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
        **MANIFEST_SECTIONS[network.router_class](network),
        **collectives.manifest_sections(network),
        "nodes": [
            {
                "index": node,
                "label": topology.label(node),
                "address": topology.address(node),
                "inject": inject_prefix(network, node),
                "eject": eject_prefix(network, node),
                "refused": refused_port(network, node),
                **_stream_of(network, node),
            }
            for node in range(topology.nodes)
        ],
    }


def _stream_of(network: Network, node: int) -> dict[str, object]:
    """Class of traffic of a stream, and its node, where there are several classes."""
    if network.traffic_classes == 1:
        return {}
    number, place = divmod(node, network.topology.nodes // network.traffic_classes)
    return {"class": number, "node": place}
