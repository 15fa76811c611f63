"""Verilog of components, each within a shell that names its ports."""

from collections.abc import Callable

from amaranth.hdl import Signal, Value, ValueLike

from ..gateware.planned import PlannedModule
from ..gateware.wiring_plan import network_bundles, router_module
from ..network import Network, RouterKind
from ..untyped import Interface
from .ports import port_signals, port_widths, verilog_prefix
from .writer.component import Design, component_design
from .writer.library import Library


def router_verilog(network: Network, kind: RouterKind) -> str:
    """Modules of one kind of router, its own last named ``kind.name``.

    Deterministic; holds no path and no time.
    """
    return module_verilog(planned_shell(network, router_module(network, kind)), kind.name)


def planned_shell(network: Network, module: PlannedModule) -> "Shell":
    """A module of the network's wiring plan: its component, with a signal for each of its ports."""
    signals = port_signals(network_bundles(network))
    shell = Shell(module.make())
    for group in module.groups:
        ends = [port.member(shell.core) for port in group]
        for signal in signals(group[0]):
            for port, end in zip(group, ends, strict=True):
                add = shell.input if signal.is_ahead == port.receives else shell.output
                add(verilog_prefix(port) + signal.suffix, signal.value(end))
    return shell


def planned_ports(network: Network, module: PlannedModule) -> tuple[dict[str, int], dict[str, int]]:
    """Bits of each input and of each output of a module of the plan, but clock and reset."""
    return port_widths(network, module.ports)


def module_verilog(shell: "Shell", name: str) -> str:
    """Modules of a component within its shell, its own last named `name`."""
    library = Library(name)
    add_module(library, shell, name)
    return "\n".join(library.texts.values())


def module_writer(make: Callable[[Network], PlannedModule]) -> Callable[[Network, str], str]:
    """What gives `module_verilog` of a module of the plan, of a network and a name."""
    return lambda network, name: module_verilog(planned_shell(network, make(network)), name)


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
