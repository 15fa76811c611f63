"""Verilog of routers, of nodes' interfaces and of controllers."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Signal, Value, ValueLike

from ..gateware.monitors.of_network import PROBES
from ..gateware.router_class import node_suffix
from ..gateware.router_classes import gateware_of
from ..network import Network, RouterKind
from ..untyped import Interface
from .ports import (
    CHOOSER_LINK,
    CONFIG_FIELDS,
    CONFIG_PREFIX,
    NODE_LINK,
    STATUS_PORT,
    eject_fields,
    has_config,
    has_controller,
    has_interfaces,
    has_monitor,
    inject_fields,
    link_members,
    link_names,
    reporting_routers,
)
from .writer.component import Design, component_design
from .writer.library import Library


def router_verilog(network: Network, kind: RouterKind) -> str:
    """Modules of one kind of router, its own last named ``kind.name``.

    Deterministic; holds no path and no time.
    """
    return module_verilog(router_shell(network, kind), kind.name)


def router_ports(network: Network, kind: RouterKind) -> tuple[dict[str, int], dict[str, int]]:
    """Bits of each input and of each output of `router_verilog`'s module, but clock and reset."""
    return _ports(router_shell(network, kind))


def controller_ports(network: Network) -> tuple[dict[str, int], dict[str, int]]:
    """The same of the controller."""
    return _ports(controller_shell(network))


def interface_ports(network: Network) -> tuple[dict[str, int], dict[str, int]]:
    """The same of a node's interface."""
    return _ports(interface_shell(network))


def chooser_ports(network: Network) -> tuple[dict[str, int], dict[str, int]]:
    """The same of what joins an interface to its links."""
    return _ports(chooser_shell(network))


def link_ports(network: Network, latency: int) -> tuple[dict[str, int], dict[str, int]]:
    """The same of what is along a channel of a link."""
    return _ports(link_shell(network, latency))


def _ports(shell: "Shell") -> tuple[dict[str, int], dict[str, int]]:
    shell.core._MustUse__used = True  # pyright: ignore[reportAttributeAccessIssue]
    return shell.widths


def module_verilog(shell: "Shell", name: str) -> str:
    """Modules of a component within its shell, its own last named `name`."""
    library = Library(name)
    add_module(library, shell, name)
    return "\n".join(library.texts.values())


def module_writer(make: Callable[[Network], "Shell"]) -> Callable[[Network, str], str]:
    """What gives `module_verilog` of a shell, which `make` gives, of a network and a name."""
    return lambda network, name: module_verilog(make(network), name)


def add_module(library: Library, shell: "Shell", name: str) -> None:
    """Add the module of a component within its shell, named `name`, and those that it places."""
    library.add(module_design(shell, name, library))


def module_design(shell: "Shell", name: str, library: Library | None = None) -> Design:
    """Modules of a component within its shell, before they are text.

    Those that a library places are not among them.
    """
    return component_design(
        shell.core if library is None else library.elaborate(shell.core),
        name,
        inputs=shell.inputs,
        outputs=shell.outputs,
        order=shell.ports,
        has_clock=True,
    )


class Shell:
    """Component with a plain signal for each port, under the names that the Verilog promises."""

    def __init__(self, core: Interface) -> None:
        self.core = core
        self.ports: list[Signal] = []
        self.inputs: list[tuple[Value, Signal]] = []
        self.outputs: list[tuple[Signal, Value]] = []

    def _port(self, name: str, value: Value) -> Signal:
        self.ports.append(Signal(len(value), name=name))
        return self.ports[-1]

    @property
    def widths(self) -> tuple[dict[str, int], dict[str, int]]:
        """Bits of inputs and of outputs, by name."""
        inputs = {signal.name: len(signal) for _, signal in self.inputs}
        return inputs, {signal.name: len(signal) for signal, _ in self.outputs}

    def input(self, name: str, value: ValueLike) -> None:
        """Add an input that drives `value`."""
        value = Value.cast(value)
        self.inputs.append((value, self._port(name, value)))

    def output(self, name: str, value: ValueLike) -> None:
        """Add an output driven by `value`."""
        value = Value.cast(value)
        self.outputs.append((self._port(name, value), value))

    def stream_in(self, prefix: str, side: Interface, fields: dict[str, str]) -> None:
        """Add an AXI4-Stream by which the component receives; fields by the signals' names."""
        self.input(f"{prefix}_tvalid", side.valid)
        self.output(f"{prefix}_tready", side.ready)
        for axis, field in fields.items():
            self.input(f"{prefix}_{axis}", side.p[field])

    def stream_out(self, prefix: str, side: Interface, fields: dict[str, str]) -> None:
        """Add an AXI4-Stream by which the component sends."""
        self.output(f"{prefix}_tvalid", side.valid)
        self.input(f"{prefix}_tready", side.ready)
        for axis, field in fields.items():
            self.output(f"{prefix}_{axis}", side.p[field])


def router_shell(network: Network, kind: RouterKind) -> Shell:
    """Router: constants, links, what joins it to a controller, and its nodes' streams."""
    gateware = gateware_of(network)
    router: Interface = gateware.router(network, kind)
    shell = Shell(router)
    for pin in gateware.constants(network, kind.router):
        shell.input(pin, getattr(router, pin))
    if not has_interfaces(network):
        for port in kind.node_ports:
            side: Interface = gateware.node_side(router, port)
            _add_node(shell, network, side, node_suffix(network, port))
    elif has_controller(network):
        shell.input("control", router.control)
    if has_monitor(network):
        for probe in PROBES:
            if len(bits := getattr(router, f"probe_{probe}")):
                shell.output(f"probe_{probe}", bits)
    if reporting_routers(network):
        shell.input("control", router.control)
        shell.output("report", router.report)
    for port in kind.links:
        into, out = (
            ways[ports.index(port)] if port in ports else None
            for ways, ports in ((router.i, kind.receiving), (router.o, kind.sending))
        )
        _add_link(shell, network, link_names(network, port)[:2], into, out)
    return shell


def interface_shell(network: Network) -> Shell:
    """Interface of a node, where it is not part of a router."""
    shell = _at_node(network, gateware_of(network).interface)
    _add_node(shell, network, shell.core)
    _add_link(shell, network, NODE_LINK, shell.core.i, shell.core.o)
    return shell


def chooser_shell(network: Network) -> Shell:
    """What joins a node's interface to its links, where it has several."""
    shell = _at_node(network, gateware_of(network).chooser)
    chooser = shell.core
    shell.input("control", chooser.control)
    _add_link(shell, network, CHOOSER_LINK, chooser.sent, chooser.given)
    for number in range(network.topology.links_per_node):
        into, out = (f"{name}{number}" for name in NODE_LINK)
        _add_link(shell, network, (into, out), chooser.i[number], chooser.o[number])
    return shell


def link_shell(network: Network, latency: int) -> Shell:
    """What is along a channel of a link that takes so many cycles."""
    make = gateware_of(network).link_registers
    assert make is not None
    shell = Shell(make(network, latency))
    _add_link(shell, network, NODE_LINK, shell.core.i, shell.core.o)
    return shell


def _at_node(network: Network, make: Callable[[Network], Any] | None) -> Shell:
    """Shell, with its node's address, of what stands between a node and the routers."""
    assert make is not None
    shell = Shell(make(network))
    shell.input("address", shell.core.address)
    return shell


def _add_node(shell: Shell, network: Network, part: Interface, suffix: str = "") -> None:
    """Add a node's streams, their names ending so, and what joins it to a controller."""
    shell.output(f"refused{suffix}", part.refused)
    shell.stream_in(f"s_axis{suffix}", part.inject, inject_fields(network))
    shell.stream_out(f"m_axis{suffix}", part.eject, eject_fields(network))
    if has_controller(network) and not reporting_routers(network):
        shell.input("control", part.control)
        shell.output("report", part.report)


def _add_link(
    shell: Shell,
    network: Network,
    names: tuple[str, str],
    into: Interface | None,
    out: Interface | None,
) -> None:
    """Add the ways of a link that there are, by the names of the way in and the way out."""
    i, o = names
    for member, (_, is_ahead) in link_members(network).items():
        if into is not None:
            (shell.input if is_ahead else shell.output)(f"{i}_{member}", getattr(into, member))
        if out is not None:
            (shell.output if is_ahead else shell.input)(f"{o}_{member}", getattr(out, member))


def controller_shell(network: Network) -> Shell:
    """Controller: its own stream and status where it has them, and what joins it to the others."""
    gateware = gateware_of(network).controller
    assert gateware is not None
    controller: Interface = gateware.controller(network)
    shell = Shell(controller)
    if has_config(network):
        shell.stream_in(CONFIG_PREFIX, controller.config, CONFIG_FIELDS)
        shell.output(STATUS_PORT, controller.status)
    shell.input("reports", controller.reports)
    shell.output("control", controller.control)
    return shell
