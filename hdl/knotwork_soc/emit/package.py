"""Files of a system: Verilog, constraints, FuseSoC core, headers of addresses, manifest."""

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from knotwork import __version__
from knotwork.emit.addresses import Number, address_numbers, header_files, header_names
from knotwork.emit.collective_headers import collective_header_names, collective_headers
from knotwork.emit.collectives import manifest_sections as collective_sections
from knotwork.emit.flows import FLOWS, BusInterface, CoreParts, Top
from knotwork.emit.flows.constraints import Paths, constraint_files, with_hints
from knotwork.emit.flows.fusesoc import core_text
from knotwork.emit.flows.top import (
    AddressRegion,
    collective_interfaces,
    network_interfaces,
    router_cells,
    stream_interfaces,
)
from knotwork.emit.manifest import MANIFEST_SECTIONS, manifest
from knotwork.emit.modules import module_design
from knotwork.emit.package import Files, network_files
from knotwork.emit.ports import eject_prefix, inject_prefix, refused_port
from knotwork.emit.source import file_list, verilog_files
from knotwork.emit.verilog import waivers_of
from knotwork.emit.writer.between_clocks import Crossed, crossed_ends, crossed_starts
from knotwork.errors import ConfigurationError
from knotwork.files import AnyPath, as_path
from knotwork.version import LICENCE
from knotwork.wording import plural

from ..gateware.nodes import NODE_CLOCK, sides_of
from ..parameters import Node
from ..system import System
from .nodes import (
    bus_prefix,
    clock_ports,
    mesochronous_clocks,
    node_clock,
    node_module,
    node_modules,
    node_ports,
    node_shell,
    outside_ports,
    system_ports,
)
from .testbench import system_testbench_files
from .verilog import system_header, system_source


def system_manifest(system: System, files: Sequence[str] = ()) -> dict[str, object]:
    """What a program needs to know of the Verilog: planes, nodes with their ports, addresses.

    Parameters
    ----------
    system : System
        What the Verilog is of.
    files : sequence of str
        Names of the Verilog files; ``<name>.v`` if there are none.
    """
    if system.is_plain:
        return manifest(system.network, files)
    network, shells = system.network, node_modules(system)
    level = "low" if system.settings.is_reset_low else "high"
    is_synchronous = not system.settings.is_reset_asynchronous
    clocks = dict(clock_ports(system))
    answer: dict[str, object] = {
        "tool": "knotwork",
        "version": __version__,
        "license": LICENCE,
        "network": network.topology.name,
        "parameters": network.parameters,
        "system": system.overrides,
        "top": system.name,
        "files": verilog_files(system.name, files),
        "headers": [
            *header_names(system.name),
            *collective_header_names(system.name, system.network),
        ],
        "clock": {"port": "clk", "edge": "rising"},
        "reset": {"port": clocks["clk"], "active": level, "synchronous": is_synchronous},
        "in_order": network.routing.in_order,
        "widths": {
            "data": network.hardware.data_width,
            "address": network.topology.address_width,
        },
        "planes": [
            {
                "name": plane.name,
                "module": plane.network.name,
                "data_width": plane.network.hardware.data_width,
                "ports": [plane.outside(port.name) for port in outside_ports(plane)],
                **MANIFEST_SECTIONS[network.router_class](plane.network),
            }
            for plane in system.planes
        ],
        **collective_sections(network),
    }
    if system.map:
        answer["bus"] = system.bus.as_dict()
        answer["map"] = [{"name": name, **region.as_dict()} for name, region in system.map.items()]
    nodes: list[dict[str, object]] = []
    for node in system.nodes:
        ports = node_ports(system, node, shells.get(node_module(system, node)))
        clock = node_clock(system, node)
        nodes.append(
            {
                "index": node.index,
                "label": network.topology.label(node.index),
                "address": network.topology.address(node.index),
                "bus": node.bus,
                **({"side": node.side} if node.side else {}),
                **({"clock": clock, "reset": clocks[clock]} if ports else {}),
                **({"mesochronous": True} if node.is_mesochronous else {}),
                **_port_prefixes(system, node),
                "ports": {
                    port.name: {"bits": port.width, "direction": "in" if port.is_input else "out"}
                    for port in ports
                },
            }
        )
    return answer | {"nodes": nodes}


def _port_prefixes(system: System, node: Node) -> dict[str, object]:
    """Prefixes of a node's ports."""
    if node.side:
        return {"prefix": bus_prefix(system, node)}
    if not (node.is_stream and sides_of(node)):
        return {}
    network, index = system.network, node.index
    return {
        "inject": inject_prefix(network, index),
        "eject": eject_prefix(network, index),
        "refused": refused_port(network, index),
    }


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


def system_description(system: System) -> str:
    """What a system is, for people."""
    used = sum(node.bus != "none" for node in system.nodes)
    return f"Network-on-chip with ports of {plural(used, 'node')}"


def system_top(system: System, files: Sequence[str] = ()) -> Top:
    """Its clocks, the ports and buses of its nodes, its address map.

    Parameters
    ----------
    system : System
        System.
    files : sequence of str
        Names of the Verilog files; ``<name>.v`` if there are none.
    """
    shells = node_modules(system)
    ports = system_ports(system, shells)
    return Top(
        name=system.name,
        description=system_description(system),
        header=partial(system_header, system),
        files=verilog_files(system.name, files),
        clocks=dict(clock_ports(system)),
        mesochronous=mesochronous_clocks(system),
        is_reset_low=system.settings.is_reset_low,
        inputs={port.name: port.width for port in ports if port.is_input},
        outputs={port.name: port.width for port in ports if not port.is_input},
        interfaces=(
            *(each for node in system.nodes for each in node_interfaces(system, node)),
            *(
                each
                for plane in system.planes
                for each in network_interfaces(plane.network, plane.outside)
            ),
            *collective_interfaces(system.network),
        ),
        address_width=system.bus.address_width,
        data_width=system.bus.data_width,
        regions={
            name: AddressRegion(
                region.base, region.size, bus_prefix(system, system.nodes[region.node])
            )
            for name, region in system.map.items()
        },
        routers=tuple(
            f"{plane.name}/{cell}"
            for plane in system.planes
            for cell in router_cells(plane.network)
        ),
    )


def node_interfaces(system: System, node: Node) -> tuple[BusInterface, ...]:
    """Buses of a node, at its clock."""
    clock = node_clock(system, node)
    if node.is_stream:
        return stream_interfaces(system.network, node.index, clock)
    if not node.side:
        return ()
    return (
        BusInterface(
            prefix=bus_prefix(system, node),
            bus=node.bus,
            is_driven=node.is_initiator,
            clock=clock,
            is_mapped=node.is_initiator,
        ),
    )


def system_core(system: System, parts: Iterable[CoreParts], files: Sequence[str]) -> str:
    """FuseSoC core description (CAPI2) of a system's Verilog files, and of these parts."""
    header, description = system_header(system, "#"), system_description(system)
    return core_text(system.name, header, description, files, parts)


def system_waivers(system: System, files: Sequence[str]) -> str:
    """Verilator control file (``.vlt``) for a system's Verilog files, a reason a waiver."""
    crosses = any(node.has_own_clock for node in system.nodes)
    return waivers_of(system_header(system, "//"), files, _OF_CLOCKS if crosses else None)


_OF_CLOCKS = {
    "SYNCASYNCNET": "a crossing's reset is synchronous at one of its clocks, and begins at once at "
    "the other"
}


def system_numbers(system: System) -> Iterator[Number]:
    """What headers name: addresses of the nodes with streams, and the regions of the map."""
    streams = [node.index for node in system.nodes if node.is_stream]
    yield from address_numbers(system.network, streams)
    width = system.bus.address_width
    for name, region in system.map.items():
        what = f"of node {region.node}"
        yield Number(f"{name}_BASE".upper(), region.base, width, f"first address {what}")
        yield Number(f"{name}_SIZE".upper(), region.size, width + 1, f"bytes {what}")


def _constraints(system: System) -> dict[str, str]:
    """Constraint files; none of a system with one clock."""
    clocks, close = [clock for clock, _ in clock_ports(system)], mesochronous_clocks(system)
    if len(clocks) == 1:
        return {}
    return constraint_files(system.name, clocks, clock_paths(system), mesochronous=close)


def _require_flows(system: System, flows: Sequence[str]) -> None:
    """Refuse flows that go with a network alone."""
    for option in (f"--for {flow}" for flow in flows if FLOWS[flow].of_top is None):
        key, value = next(iter(system.overrides.items()))
        raise ConfigurationError(
            f"{system.name}: {option} must be used with a network whose nodes have the network's "
            f"own streams, not {key}={value}"
        )


def write_system(
    system: System,
    directory: AnyPath,
    *,
    keep_hierarchy: bool = False,
    testbench: bool = False,
    flows: Sequence[str] = (),
    hints: bool = False,
    split: bool = False,
) -> list[Path]:
    """Write Verilog, waivers, FuseSoC core, headers and manifest into `directory`, made if missing.

    A system of several clocks also has constraints for what places it. The files of a system whose
    nodes have the network's own streams are those of the network.

    Parameters
    ----------
    system : System
        What to write.
    directory : str or PathLike
        Where to.
    keep_hierarchy, testbench, flows, hints, split
        As of `write_network`; flows of a network's own ports only of a network alone.

    Returns
    -------
    list of Path
        Files that were written.

    Raises
    ------
    ConfigurationError
        The directory cannot be written, or what only networks alone have is asked for.
    DeadlockError
        The system failed its deadlock check.
    """
    folder = as_path(directory, "a folder")
    return system_files(
        system,
        keep_hierarchy=keep_hierarchy,
        testbench=testbench,
        flows=flows,
        hints=hints,
        split=split,
    ).write(folder)


def system_files(
    system: System,
    *,
    keep_hierarchy: bool = False,
    testbench: bool = False,
    flows: Sequence[str] = (),
    hints: bool = False,
    split: bool = False,
) -> Files:
    """What `write_system` writes.

    Raises
    ------
    ConfigurationError
        What only networks alone have is asked for.
    DeadlockError
        The system failed its deadlock check.
    """
    if system.is_plain:
        return network_files(
            system.network,
            keep_hierarchy=keep_hierarchy,
            testbench=testbench,
            flows=flows,
            hints=hints,
            split=split,
        )
    _require_flows(system, flows)
    chosen = [FLOWS[name] for name in dict.fromkeys(flows)]
    source = system_source(system, keep_hierarchy=keep_hierarchy)
    if hints:
        source = source.altered(with_hints)
    verilog = source.files(split=split)
    names = [*verilog]
    top = system_top(system, names)
    parts = [flow.top_core(top) for flow in chosen if flow.top_core is not None]
    texts = {
        **verilog,
        **(file_list(system.name, names) if split else {}),
        f"{system.name}.vlt": system_waivers(system, names),
        f"{system.name}.core": system_core(system, parts, names),
        **header_files(system.name, system_header(system, "//"), system_numbers(system)),
        **collective_headers(system.name, system.network, system_header(system, "//")),
        "manifest.json": json.dumps(system_manifest(system, names), indent=1) + "\n",
    }
    texts |= _constraints(system)
    for of_top in (flow.of_top for flow in chosen):
        texts |= of_top(top) if of_top is not None else {}
    return Files(texts, system_testbench_files(system) if testbench else {})
