"""What stands in the text of a network's top: wires of links and nodes, interfaces of nodes."""

from collections.abc import Iterator

import numpy as np

from ..network import Network
from .ports import (
    CHOOSER_LINK,
    NODE_LINK,
    eject_prefix,
    eject_widths,
    has_controller,
    inject_prefix,
    inject_widths,
    link_members,
    link_names,
    refused_port,
    reporting_routers,
)
from .writer.printing import pin_lines


def link_wires(network: Network, router: int, port: int) -> str:
    """Wires of the channel that leaves a router by a port."""
    return f"link_{network.topology.router_identifier(router)}_{link_names(network, port).wires}"


def end_wires(network: Network, router: int, port: int) -> str:
    """Wires of the same channel where it arrives: its own, but behind registers along it."""
    wires = link_wires(network, router, port)
    return wires if network.latency(router, port) == 1 else f"{wires}_end"


def latencies(network: Network) -> list[int]:
    """Latencies above 1 that links of a network have, rising."""
    return sorted({network.latency(*place) for place in network.long_links})


def link_name(network: Network, latency: int) -> str:
    """Module of what is along a channel that takes so many cycles."""
    return network.module_name(f"link{latency}")


def registers_along(network: Network) -> Iterator[str]:
    """What is along the channels that take more than a cycle."""
    for router, port in network.long_links:
        start, end = link_wires(network, router, port), end_wires(network, router, port)
        pins = {"clk": "clk", "rst": "rst"} | link_pins(network, NODE_LINK, start, end)
        module = link_name(network, network.latency(router, port))
        yield from placed(module, f"along_{start.removeprefix('link_')}", pins)


def node_wires(network: Network, node: int) -> str:
    """Wires of the channel that leaves a node's interface."""
    return f"link_node_{network.topology.label(node)}"


def wires_to(network: Network, router: int, port: int) -> str:
    """Wires of the channel from a node to a router, at a port with a node."""
    topology = network.topology
    wires = node_wires(network, int(topology.attached[router, port]))
    return wires if topology.links_per_node == 1 else f"{wires}_{topology.node_link(router)}"


def nodes_wires(network: Network) -> Iterator[str]:
    """Wires of all channels that leave nodes' interfaces, and what joins these to their links."""
    topology = network.topology
    for node in range(topology.nodes):
        yield node_wires(network, node)
        if topology.links_per_node > 1:
            yield chosen_wires(network, node)
            yield from (f"{node_wires(network, node)}_{n}" for n in range(topology.links_per_node))


def chosen_wires(network: Network, node: int) -> str:
    """Wires of the channel from what joins a node's links to its interface."""
    return f"link_chooser_{network.topology.label(node)}"


def report_wires(network: Network, number: int) -> str:
    """Wires to the controller from what reports: a router, or what serves a node, by number."""
    topology = network.topology
    alone = reporting_routers(network)
    return f"report_{topology.router_identifier(number) if alone else topology.label(number)}"


def all_report_wires(network: Network) -> list[str]:
    """Wires to the controller from all that report, by number."""
    topology = network.topology
    count = topology.routers if reporting_routers(network) else topology.nodes
    return [report_wires(network, number) for number in range(count)]


def interface_name(network: Network) -> str:
    """Module of a node's interface."""
    return network.module_name("interface")


def _interface(network: Network, node: int, out: str) -> Iterator[str]:
    """Interface of a node; `out` are the wires from its router."""
    topology = network.topology
    pins = {"clk": "clk", "rst": "rst"}
    pins["address"] = f"{topology.address_width}'d{topology.address(node)}"
    pins |= node_pins(network, node) | link_pins(network, NODE_LINK, out, node_wires(network, node))
    yield from placed(interface_name(network), f"node_{topology.label(node)}", pins)


def interfaces(network: Network) -> Iterator[str]:
    """Interfaces of all nodes, and what joins each to its links, where it has several."""
    topology = network.topology
    routers, ports = np.nonzero(topology.attached >= 0)
    nodes = topology.attached[routers, ports].tolist()
    ends = zip(nodes, routers.tolist(), ports.tolist(), strict=True)
    links: dict[int, list[str]] = {}
    for node, router, port in sorted(ends):
        links.setdefault(node, []).append(link_wires(network, router, port))
    for node, outs in links.items():
        if topology.links_per_node == 1:
            yield from _interface(network, node, outs[0])
        else:
            yield from _interface(network, node, chosen_wires(network, node))
            yield from _chooser(network, node, outs)


def _chooser(network: Network, node: int, outs: list[str]) -> Iterator[str]:
    topology = network.topology
    own = node_wires(network, node)
    pins = {"clk": "clk", "rst": "rst", "control": "control"}
    pins["address"] = f"{topology.address_width}'d{topology.address(node)}"
    pins |= link_pins(network, CHOOSER_LINK, own, chosen_wires(network, node))
    for number, out in enumerate(outs):
        names = tuple(f"{name}{number}" for name in NODE_LINK)
        pins |= link_pins(network, (names[0], names[1]), out, f"{own}_{number}")
    yield from placed(chooser_name(network), f"chooser_{topology.label(node)}", pins)


def chooser_name(network: Network) -> str:
    """Module of what joins a node's interface to several links."""
    return network.module_name("chooser")


def node_pins(network: Network, node: int, suffix: str = "") -> dict[str, str]:
    """Streams of a node, at pins whose names end so, and what joins it to a controller."""
    pins = {f"refused{suffix}": refused_port(network, node)}
    for local, prefix, fields in (
        (f"s_axis{suffix}", inject_prefix(network, node), inject_widths(network)),
        (f"m_axis{suffix}", eject_prefix(network, node), eject_widths(network)),
    ):
        pins |= {f"{local}_{s}": f"{prefix}_{s}" for s in ("tvalid", "tready", *fields)}
    if has_controller(network) and not reporting_routers(network):
        pins |= {"control": "control", "report": report_wires(network, node)}
    return pins


def link_pins(
    network: Network, names: tuple[str, str], into: str | None, out: str | None
) -> dict[str, str]:
    """Ways of a link that there are, by the names of its pins; `into` and `out` begin its wires."""
    pins = {}
    for member in link_members(network):
        for name, wires in zip(names, (into, out), strict=True):
            pins |= {} if wires is None else {f"{name}_{member}": f"{wires}_{member}"}
    return pins


def placed(module: str, instance: str, connected: dict[str, str]) -> Iterator[str]:
    """Instance of a module."""
    yield f"  {module} {instance} ("
    yield pin_lines(connected)
    yield "  );"
