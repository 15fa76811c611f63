"""Verilog of a system: its planes, what stands at its nodes, and a top that joins them."""

from collections.abc import Iterator, Mapping

from knotwork.emit.modules import Shell, add_module, planned_shell
from knotwork.emit.ports import port_widths, refused_port
from knotwork.emit.source import Source
from knotwork.emit.verilog import (
    add_modules,
    header,
    kept_modules,
    network_source,
    parameter_lines,
    placed,
    top_module,
    with_kept,
)
from knotwork.emit.writer.component import Design, component_design
from knotwork.emit.writer.library import Library
from knotwork.emit.writer.printing import bounds
from knotwork.gateware.collectives.plan import group_ports
from knotwork.untyped import Interface

from ..gateware.adapters import ResetRelease
from ..gateware.nodes import NODE_CLOCK, Side, has_part, sides_of
from ..parameters import Node
from ..planes import STREAMS, Plane
from ..system import System
from .nodes import (
    STREAMS_OF,
    Port,
    clock_ports,
    collective_modules,
    named,
    node_module,
    node_modules,
    node_name,
    outside_ports,
    plane_ports,
    system_ports,
)


def release_name(system: System) -> str:
    """Name of the module."""
    return f"{system.name}_release"


def release_design(system: System) -> Design:
    """The module, with the ports ``clk``, ``i`` and ``o``."""
    part: Interface = ResetRelease(active_low=system.settings.is_reset_low)
    shell = Shell(part)
    shell.input("i", part.i)
    shell.output("o", part.o)
    keys = {"inputs": shell.inputs, "outputs": shell.outputs, "order": shell.ports}
    return component_design(part, release_name(system), **keys)


def system_header(system: System, comment: str) -> str:
    """Lines that say which version made the file, of what."""
    return header(system.network, comment, system.overrides)


def system_verilog(system: System, *, keep_hierarchy: bool = False) -> str:
    """Verilog of a system, its top named ``system.name``; the same bytes at every call.

    A system whose nodes have the network's own streams is the network.

    Parameters
    ----------
    system : System
        What to write.
    keep_hierarchy : bool
        Ask synthesis to keep each router a module.

    Raises
    ------
    DeadlockError
        The system failed its deadlock check.
    """
    return system_source(system, keep_hierarchy=keep_hierarchy).text


def system_source(system: System, *, keep_hierarchy: bool = False) -> Source:
    """Modules of `system_verilog`; those that planes have in common are there once.

    Raises
    ------
    DeadlockError
        The system failed its deadlock check.
    """
    if system.is_plain:
        return network_source(system.network, keep_hierarchy=keep_hierarchy)
    system.require_deadlock_free()
    shells = node_modules(system)
    library = Library(system.name)
    networks = {plane.network.name: plane.network for plane in system.planes}
    for network in networks.values():
        add_modules(library, network)
    if system.settings.is_reset_asynchronous:
        library.add(release_design(system))
    for name, shell in shells.items():
        add_module(library, shell, name)
    for module in collective_modules(system).values():
        add_module(library, planned_shell(system.network, module), module.name)
    modules = library.texts
    for name, network in networks.items():
        modules[name] = f"{parameter_lines(network, '//')}{top_module(network)}"
    modules[system.name] = "\n".join(_top(system, shells)) + "\n"
    source = Source(header=system_header(system, "//"), modules=modules, foreign=library.foreign)
    kept = {name for network in networks.values() for name in kept_modules(network)}
    return source.altered(with_kept, kept) if keep_hierarchy else source


def _top(system: System, shells: Mapping[str, Shell]) -> Iterator[str]:
    yield f"module {system.name} ("
    yield ",\n".join(_ports(system, shells))
    yield ");"
    yield from _resets(system)
    yield from _wires(system)
    for plane in system.planes:
        yield from _plane(system, plane)
    for node in system.nodes:
        if has_part(system, node):
            module = node_module(system, node)
            yield from placed(module, f"node_{node.index}", _pins(system, node, shells[module]))
    yield from _collectives(system)
    yield "endmodule"


def _ports(system: System, shells: Mapping[str, Shell]) -> Iterator[str]:
    for pair in clock_ports(system):
        yield from (f"  input {name}" for name in pair)
    for port in system_ports(system, shells):
        way = "input" if port.is_input else "output"
        yield f"  {way} {bounds(port.width)}{port.name}"


def _collectives(system: System) -> Iterator[str]:
    """Trees of groups that have collectives: their ports are the top's."""
    network, modules = system.network, collective_modules(system)
    for group in network.collective_groups:
        module = modules[group.name]
        pins = {"clk": "clk", "rst": _reset(system, "rst")}
        inner = port_widths(network, module.ports)
        outer = port_widths(network, group_ports(network, group))
        for own, names in zip(inner, outer, strict=True):
            pins |= zip(own, names, strict=True)
        yield from placed(module.name, group.name, pins)


def _resets(system: System) -> Iterator[str]:
    """Active-high resets at their clocks' edges, of ports that are neither."""
    if system.settings.is_reset_asynchronous:
        for clock, reset in clock_ports(system):
            yield f"  wire {_reset(system, reset)};"
            pins = {"clk": clock, "i": reset, "o": _reset(system, reset)}
            yield from placed(release_name(system), f"release_{clock}", pins)
    elif system.settings.is_reset_low:
        for _, reset in clock_ports(system):
            yield f"  wire {_reset(system, reset)} = ~{reset};"


def _reset(system: System, port: str) -> str:
    """Wire of the active-high reset of a port."""
    high = port.replace("rst_n", "rst", 1) if system.settings.is_reset_low else port
    return f"released_{high}" if system.settings.is_reset_asynchronous else high


def _wires(system: System) -> Iterator[str]:
    """Wires between planes and what stands at nodes, or of ends of planes that nothing uses."""
    for plane in system.planes:
        for node in system.nodes:
            for way in STREAMS_OF:
                side = Side(plane.name, way)
                for port in plane_ports(system, side):
                    name = _wire(system, node, side, port)
                    if name.startswith(f"{plane.name}_") and not _is_unused_input(node, side, port):
                        yield f"  wire {bounds(port.width)}{name};"
            if _refused(system, node, plane.name).startswith(f"{plane.name}_"):
                yield f"  wire {plane.name}_{refused_port(system.network, node.index)};"


def _is_unused_input(node: Node, side: Side, port: Port) -> bool:
    return side not in sides_of(node) and port.is_input


def _wire(system: System, node: Node, side: Side, port: Port) -> str:
    """What a plane's pin at a node is joined to."""
    if side in sides_of(node) and not has_part(system, node):
        return port.of(system, node).name
    return f"{side.plane}_{port.of(system, node).name}"


def _refused(system: System, node: Node, plane: str) -> str:
    """What a plane's `refused` of a node is joined to."""
    is_own = plane == STREAMS and node.is_stream and not has_part(system, node)
    return (
        refused_port(system.network, node.index)
        if is_own
        else f"{plane}_{refused_port(system.network, node.index)}"
    )


def _plane(system: System, plane: Plane) -> Iterator[str]:
    """Instance of a plane; what nobody uses sends nothing, and takes what comes."""
    name = plane.name
    pins = {"clk": "clk", "rst": _reset(system, "rst")}
    pins |= {port.name: plane.outside(port.name) for port in outside_ports(plane)}
    for node in system.nodes:
        for way in STREAMS_OF:
            side = Side(name, way)
            for port in plane_ports(system, side):
                wire = _wire(system, node, side, port)
                if _is_unused_input(node, side, port):
                    taken = port.name.endswith("_tready")
                    wire = f"{port.width}'d{int(taken)}"
                pins[port.of(system, node).name] = wire
        pins[refused_port(system.network, node.index)] = _refused(system, node, name)
    yield from placed(plane.network.name, name, pins)


def _pins(system: System, node: Node, shell: Shell) -> dict[str, str]:
    """Pins of what stands at a node."""
    pins = {"clk": "clk", "rst": _reset(system, "rst")}
    if node.has_own_clock:
        pins |= {
            f"{NODE_CLOCK}_{pin}": f"{wire}_{node_name(system, node)}"
            for pin, wire in [*pins.items()]
        }
    return pins | {
        signal.name: named(signal.name, node_name(system, node)) for signal in shell.ports
    }
