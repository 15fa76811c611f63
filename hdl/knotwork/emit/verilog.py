"""Verilog of a network: each module from Amaranth once; the top, wires and instances, as text.

As an Amaranth component it would have a router for every instance; the top has thousands.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from textwrap import wrap

from amaranth.hdl import Const

from ..gateware.planned import Connection, PlannedInstance, PlannedPort
from ..gateware.wiring_plan import wiring_plan
from ..network import Network
from ..parameters import format_value
from ..progress import progress
from .addresses import address_constants
from .modules import add_module, planned_shell
from .ports import BundleSignal, port_signals, verilog_prefix
from .source import Source, stamp_lines, verilog_files
from .writer.library import Library
from .writer.printing import bounds, pin_lines

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
        foreign=library.foreign,
    )


def add_modules(library: Library, network: Network) -> None:
    """Add the modules that the network's top places."""
    modules = wiring_plan(network).modules
    with progress("writing modules", total=len(modules), unit="modules") as advance:
        for module in modules:
            add_module(library, planned_shell(network, module), module.name)
            advance()


def with_kept(text: str) -> str:
    """Module that stays a module in synthesis."""
    return re.sub(r"^(?=module )", _KEPT, text, count=1, flags=re.MULTILINE)


def kept_modules(network: Network) -> Iterator[str]:
    """Names of the modules that stay modules in synthesis if the hierarchy is kept."""
    monitor = network.module_name("monitor")
    return (one.name for one in wiring_plan(network).modules if one.name != monitor)


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
    parameters = {**network.parameters, **(more or {})}
    words = " ".join(f"{key}={format_value(value)}" for key, value in parameters.items())
    lines = wrap(f"{network.topology.name} {words}", _COLUMNS, subsequent_indent="  ")
    return "".join(f"{comment} {line}\n" for line in lines)


def top_module(network: Network) -> str:
    """Module of the network's top: wires, and instances of the other modules."""
    return "\n".join(_Top(network).lines()) + "\n"


class _Top:
    """Top of a network: its wiring plan as text."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._plan = wiring_plan(network)
        self._signals = port_signals(self._plan.bundles)
        # What the plan calls ``inject_3`` is ``s_axis_3`` in the Verilog; wires keep their names.
        self._prefixes = {port.key: verilog_prefix(port) for port in self._plan.ports}

    def lines(self) -> Iterator[str]:
        network, plan = self._network, self._plan
        yield f"module {network.name} ("
        yield "  input clk,"
        yield "  input rst,"
        yield ",\n".join(self._ports())
        yield ");"
        yield from address_constants(network)
        routers = network.topology.routers
        with progress(f"writing {network.name}", total=routers, unit="routers") as advance:
            for net in plan.nets:
                comment = f"  // {net.mark}" if net.mark else ""
                for signal in self._signals(net):
                    yield f"  wire {bounds(signal.width)}{net.name}{signal.suffix};{comment}"
            for instance in plan.instances[:routers]:
                yield from self._instance(instance)
                advance()
        for instance in plan.instances[routers:]:
            yield from self._instance(instance)
        yield "endmodule"

    def _ports(self) -> Iterator[str]:
        for port in self._plan.ports:
            prefix = verilog_prefix(port)
            for signal in self._in_order(port):
                direction = "input" if signal.is_ahead == port.receives else "output"
                yield f"  {direction} {bounds(signal.width)}{prefix}{signal.suffix}"

    def _in_order(self, port: PlannedPort) -> list[BundleSignal]:
        """Signals of a port as the top lists them: of a bus, all inputs first."""
        signals = self._signals(port)
        if port.bundle == "monitor":
            return sorted(signals, key=lambda signal: signal.is_ahead != port.receives)
        return signals

    def _instance(self, instance: PlannedInstance) -> Iterator[str]:
        pins = {"clk": "clk", "rst": "rst"}
        connections, group_of = instance.connections, instance.module.group_of
        for key in connections:
            group = group_of[key]
            if key != group[0].key:
                continue  # beside the first of its group
            for signal in self._in_order(group[0]):
                for port in group:
                    pin = verilog_prefix(port) + signal.suffix
                    pins[pin] = self._connected(connections[port.key], signal.suffix)
        return placed(instance.module.name, instance.name, pins)

    def _connected(self, connection: Connection, suffix: str) -> str:
        """What is connected to a pin."""
        if isinstance(connection, Const):
            return _constant(connection)
        if isinstance(connection, str):
            return self._prefixes.get(connection, connection) + suffix
        return _side_by_side([self._prefixes.get(name, name) for name in reversed(connection)])


def placed(module: str, instance: str, pins: Mapping[str, str]) -> Iterator[str]:
    """Instance of a module, with what is connected to its pins."""
    yield f"  {module} {instance} ("
    yield pin_lines(pins)
    yield "  );"


_PART = 128  # bits of a constant that stand on a line


def _constant(constant: Const) -> str:
    """Verilog of a constant; a long one in parts, the highest first."""
    width, value = len(constant), constant.value
    if width <= _PART:
        return f"{width}'d{value}"
    parts: list[str] = []
    for low in range(0, width, _PART):
        bits = min(_PART, width - low)
        parts.append(f"{bits}'h{value >> low & (1 << bits) - 1:x}")
    return _side_by_side(parts[::-1])


def _side_by_side(values: Sequence[str]) -> str:
    """Values as one, the first highest."""
    return "{\n      " + ",\n      ".join(values) + "\n    }"
