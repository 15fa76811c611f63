"""Verilog of a network: its routers from Amaranth, once each; the top, wires and places, as text.

As an Amaranth component it would have a router for every instance; the top has thousands.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from textwrap import wrap

from amaranth.hdl import Const

from ..gateware.router_class import node_suffix
from ..gateware.router_classes import gateware_of
from ..network import Network, RouterKind
from ..parameters import format_value
from ..progress import progress
from .addresses import address_constants
from .modules import (
    add_module,
    chooser_shell,
    controller_shell,
    interface_shell,
    link_shell,
    router_shell,
)
from .monitor import (
    declared_ports,
    monitor_name,
    monitor_place,
    monitor_shell,
    probe_pins,
    probe_wires,
)
from .ports import (
    CONFIG_PREFIX,
    STATUS_PORT,
    config_widths,
    control_widths,
    eject_prefix,
    eject_widths,
    has_choosers,
    has_config,
    has_controller,
    has_interfaces,
    has_monitor,
    inject_prefix,
    inject_widths,
    link_members,
    link_names,
    refused_port,
    reporting_routers,
    status_width,
)
from .source import Source, stamp_lines, verilog_files
from .top_parts import (
    all_report_wires,
    chooser_name,
    end_wires,
    interface_name,
    interfaces,
    latencies,
    link_name,
    link_pins,
    link_wires,
    node_pins,
    nodes_wires,
    placed,
    registers_along,
    report_wires,
    wires_to,
)
from .writer.library import Library
from .writer.printing import bounds

_COLUMNS = 150
"""Of a comment's line."""

_KEPT = '(* keep_hierarchy = "yes" *)\n'


def network_verilog(network: Network, *, keep_hierarchy: bool = False) -> str:
    """Verilog of the network, its top named ``network.name``; the same bytes at every call.

    Parameters
    ----------
    network : Network
        What to write.
    keep_hierarchy : bool
        Ask synthesis to keep each router a module: for floor plans and area reports.

    Raises
    ------
    DeadlockError
        The network failed its deadlock check.
    """
    return network_source(network, keep_hierarchy=keep_hierarchy).text


def network_source(network: Network, *, keep_hierarchy: bool = False) -> Source:
    """Modules of `network_verilog`.

    Raises
    ------
    DeadlockError
        The network failed its deadlock check.
    """
    source = _source(network)
    return source.altered(with_kept, {*kept_modules(network)}) if keep_hierarchy else source


@lru_cache(maxsize=2)  # a network that is run again and again is written once
def _source(network: Network) -> Source:
    network.require_deadlock_free()
    library = Library(network.name)
    add_modules(library, network)
    return Source(
        header=header(network, "//"),
        modules=library.texts | {network.name: top_module(network)},
    )


def add_modules(library: Library, network: Network) -> None:
    """Add the modules that the network's top places."""
    kinds = network.router_kinds
    with progress("writing routers", total=len(kinds), unit="kinds") as advance:
        for kind in kinds:
            add_module(library, router_shell(network, kind), kind.name)
            advance()
    for each in latencies(network):
        add_module(library, link_shell(network, each), link_name(network, each))
    if has_interfaces(network):
        add_module(library, interface_shell(network), interface_name(network))
    if has_choosers(network):
        add_module(library, chooser_shell(network), chooser_name(network))
    if has_controller(network):
        add_module(library, controller_shell(network), _controller_name(network))
    if has_monitor(network):
        add_module(library, monitor_shell(network), monitor_name(network))


def with_kept(text: str) -> str:
    """Module that stays a module in synthesis."""
    return re.sub(r"^(?=module )", _KEPT, text, count=1, flags=re.MULTILINE)


def kept_modules(network: Network) -> Iterator[str]:
    """Names of the modules that stay modules in synthesis if the hierarchy is kept."""
    yield from (kind.name for kind in network.router_kinds)
    yield from (link_name(network, each) for each in latencies(network))
    yield from (interface_name(network), chooser_name(network), _controller_name(network))


_ONE_FILE = {
    "DECLFILENAME": "one file holds the network's routers and its top, and is named for the top",
}

# What `verilator --lint-only -Wall` would say of any network, and why it is right as it is.
_WAIVERS = {
    "UNUSEDSIGNAL": "a module may read some fields of a flit, or some bits of an address, alone",
    "UNUSEDPARAM": "each node's address has a name, for people who read the file",
    "PINCONNECTEMPTY": "an output of a component that nothing reads at a place is left open there",
    "PROCASSINIT": "registers have a value before reset too: FPGAs load it with the bitstream",
}


def lint_waivers(network: Network, files: Sequence[str] = ()) -> str:
    """Verilator control file (``.vlt``) for the network's Verilog, a reason a waiver.

    Parameters
    ----------
    network : Network
        What the Verilog is of.
    files : sequence of str
        Names of the files; ``<name>.v`` if there are none.
    """
    return waivers_of(header(network, "//"), verilog_files(network.name, files))


def waivers_of(header: str, files: Sequence[str], more: Mapping[str, str] | None = None) -> str:
    """Verilator control file for these Verilog files of a top, with its header and `more` waivers.

    Files are named whole, in any folder: ``*soc.v`` would also quieten the user's ``my_soc.v``.
    """
    lines = [header + "`verilator_config"]
    places = [place for file in files for place in (file, f"*/{file}")]
    rules = {**(_ONE_FILE if len(files) == 1 else {}), **_WAIVERS, **(more or {})}
    for rule, reason in rules.items():
        lines += [f"// {reason}", *(f'lint_off -rule {rule} -file "{place}"' for place in places)]
    return "\n".join(lines) + "\n"


def header(network: Network, comment: str, more: Mapping[str, object] | None = None) -> str:
    """Lines that say which version made the file, of what, and that it is the user's.

    `more` keys and their values stand behind the network's.
    """
    return stamp_lines(comment) + parameter_lines(network, comment, more)


def parameter_lines(
    network: Network, comment: str, more: Mapping[str, object] | None = None
) -> str:
    """Lines that say which network it is, and what `more` says."""
    told = {**network.parameters, **(more or {})}
    words = " ".join(f"{key}={format_value(value)}" for key, value in told.items())
    lines = wrap(f"{network.topology.name} {words}", _COLUMNS, subsequent_indent="  ")
    return "".join(f"{comment} {line}\n" for line in lines)


_PART = 128  # bits of a constant that stand on a line


def top_module(network: Network) -> str:
    """Module of the network's top."""
    return "\n".join(_top(network)) + "\n"


def _top(network: Network) -> Iterator[str]:
    nodes = network.topology.nodes
    yield f"module {network.name} ("
    yield "  input clk,"
    yield "  input rst,"
    if has_config(network):
        yield from _stream(CONFIG_PREFIX, config_widths(network), "input", "output")
        yield f"  output {bounds(status_width(network))}{STATUS_PORT},"
    yield from declared_ports(network)
    for node in range(nodes):
        yield from _stream(inject_prefix(network, node), inject_widths(network), "input", "output")
        yield from _stream(eject_prefix(network, node), eject_widths(network), "output", "input")
        comma = "," if node < nodes - 1 else ""
        yield f"  output {refused_port(network, node)}{comma}"
    yield ");"
    yield from address_constants(network)
    routers = network.topology.routers
    with progress(f"writing {network.name}", total=routers, unit="routers") as advance:
        yield from _wires(network)
        for router in range(routers):
            yield from _router(network, router)
            advance()
    yield from registers_along(network)
    if has_interfaces(network):
        yield from interfaces(network)
    if has_controller(network):
        yield from _controller(network)
    if has_monitor(network):
        yield from monitor_place(network)
    yield "endmodule"


def _stream(prefix: str, widths: dict[str, int], ahead: str, back: str) -> Iterator[str]:
    yield f"  {ahead} {prefix}_tvalid,"
    yield f"  {back} {prefix}_tready,"
    for name, width in widths.items():
        yield f"  {ahead} {bounds(width)}{prefix}_{name},"


def _kind(network: Network, router: int) -> RouterKind:
    return network.router_kinds[network.router_number[router]]


def _wires(network: Network) -> Iterator[str]:
    topology = network.topology
    channels = [
        (router, port)
        for router in range(topology.routers)
        for port in _kind(network, router).sending
    ]
    links = [(link_wires(network, *channel), channel) for channel in channels]
    links += [(end_wires(network, *channel), channel) for channel in network.long_links]
    if has_interfaces(network):
        links += [(wires, None) for wires in nodes_wires(network)]
    members = link_members(network)
    for wires, channel in links:
        is_marked = channel is not None and topology.is_link_marked(*channel)
        comment = f"  // {topology.mark}" if is_marked else ""
        for member, (width, _) in members.items():
            yield f"  wire {bounds(width)}{wires}_{member};{comment}"
    if has_monitor(network):
        yield from probe_wires(network)
    if has_controller(network):
        widths = control_widths(network)
        yield f"  wire {bounds(widths['control'])}control;"
        for wires in all_report_wires(network):
            yield f"  wire {bounds(widths['report'])}{wires};"


def _controller_name(network: Network) -> str:
    return network.module_name("controller")


def _router(network: Network, router: int) -> Iterator[str]:
    topology = network.topology
    kind = _kind(network, router)
    pins = {"clk": "clk", "rst": "rst"}
    for pin, constant in gateware_of(network).constants(network, router).items():
        pins[pin] = _constant(constant)
    if not has_interfaces(network):
        for port in kind.node_ports:
            node = int(topology.local_nodes[router, port])
            pins |= node_pins(network, node, node_suffix(network, port))
    elif has_controller(network):
        pins["control"] = "control"
    if has_monitor(network):
        pins |= probe_pins(network, router)
    if reporting_routers(network):
        pins |= {"control": "control", "report": report_wires(network, router)}
    for port in kind.links:
        sender, way = (int(table[router, port]) for table in topology.senders)
        into = out = None
        if sender >= 0:
            into = end_wires(network, sender, way)
        elif port in kind.receiving:
            into = wires_to(network, router, port)
        if port in kind.sending:
            out = link_wires(network, router, port)
        pins |= link_pins(network, link_names(network, port)[:2], into, out)
    yield from placed(kind.name, f"router_{topology.router_identifier(router)}", pins)


def _constant(constant: Const) -> str:
    """Verilog of a constant; a long one in parts, the highest first."""
    width, value = len(constant), constant.value
    if width <= _PART:
        return f"{width}'d{value}"
    parts = []
    for low in range(0, width, _PART):
        bits = min(_PART, width - low)
        parts.append(f"{bits}'h{value >> low & (1 << bits) - 1:x}")
    return "{\n      " + ",\n      ".join(reversed(parts)) + "\n    }"


def _controller(network: Network) -> Iterator[str]:
    pins = {"clk": "clk", "rst": "rst", "control": "control"}
    if has_config(network):
        signals = ("tvalid", "tready", *config_widths(network))
        pins |= {f"{CONFIG_PREFIX}_{signal}": f"{CONFIG_PREFIX}_{signal}" for signal in signals}
        pins[STATUS_PORT] = STATUS_PORT
    reports = all_report_wires(network)[::-1]
    pins["reports"] = "{\n      " + ",\n      ".join(reports) + "\n    }"
    yield from placed(_controller_name(network), "controller", pins)
