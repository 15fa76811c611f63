"""Modules of a file of Verilog: each component once, however often it is placed."""

import itertools
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from amaranth.hdl import ClockSignal, Elaboratable, Fragment, Instance, ResetSignal, Signal
from amaranth.hdl._ast import SignalDict, SignalSet

from ...errors import ConfigurationError
from ...files import sha256
from ...gateware.component import Component, VerilogComponent
from .component import Design, component_design, member_ports, module_texts
from .module import port_names
from .terms import Net


@dataclass(eq=False)
class _Written:
    """Module of a component; one that is not placed is written where it stands."""

    name: str
    is_placed: bool
    ports: tuple[tuple[str, bool], ...] = ()
    clocks: tuple[tuple[str, str, bool], ...] = ()
    """Name of each port, its clock domain, and whether it is the reset."""


class Library:
    """Modules of components, each named ``<prefix>_<module_name>``, in the order of writing.

    It is the platform that components are elaborated with: see `gateware.component`.

    Parameters
    ----------
    prefix : str
        Of the names of the modules that are placed; those that are `added` have their own.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._modules: dict[Hashable, _Written] = {}
        self._designs: dict[str, Design] = {}
        self._foreign: dict[str, dict[str, str]] = {}
        self._added: list[str] = []
        self._open: list[Elaboratable] = []
        self._drivers: SignalDict = SignalDict()
        self._undriven: list[tuple[Signal, str]] = []

    @property
    def texts(self) -> dict[str, str]:
        """Verilog of each module by its name; a module stands behind those that it places.

        Raises
        ------
        ConfigurationError
            A module reads a signal inside another one.
        """
        for signal, name in self._undriven:
            if signal in self._drivers and self._drivers[signal] != name:
                raise ConfigurationError(
                    f"{name}: must read what stands in other modules by their ports, not "
                    f"{signal.name} of {self._drivers[signal]}"
                )
        found: dict[str, str] = {}
        for name in self._added:
            self._collect(name, found)
        return found

    @property
    def foreign(self) -> set[str]:
        """Names of the modules that are other people's text."""
        return {one for name, found in self._foreign.items() for one in found if one != name}

    def _collect(self, name: str, found: dict[str, str]) -> None:
        """Add the texts of a module and of those that it places, if they are not there yet."""
        if name in self._foreign:
            found |= self._foreign[name]
        elif name not in found:
            design = self._designs[name]
            for part in design.top.all():
                if part.module:
                    self._collect(part.module, found)
            found |= module_texts(design)

    def add(self, design: Design) -> None:
        """Add the modules of a design, whose components this library has placed."""
        self._keep(design)
        self._added.append(design.modules[design.top])

    def _keep(self, design: Design, members: Iterable[Signal] = ()) -> None:
        """Keep a design, of which an output among its members may have no driver."""
        outputs, module = SignalSet(members), design.modules[design.top]
        assert module not in self._designs, f"two modules must not have the name {module}"
        self._designs[module] = design
        for part in design.top.all():
            if part.asynchronous:
                assert isinstance(part.component, Component)
                written = self._module(part.component, part.asynchronous)
                part.module = design.modules[part] = written.name
        for signal in design.driven:
            self._drivers[signal] = module
        self._undriven += [(one, module) for one in design.undriven if one not in outputs]

    def place(self, component: Component) -> Fragment | None:
        """Instance of the component's module, which is written if it is not there yet.

        None while the module is written, and for expressions alone: they stand where they are read.
        """
        if component in self._open:
            return None
        written = self._module(component)
        if not written.is_placed:
            return None
        pins: list[tuple[str, str, object]] = []
        for name, domain, is_reset in written.clocks:
            signal = ResetSignal(domain, allow_reset_less=True) if is_reset else ClockSignal(domain)
            pins.append(("i", name, signal))
        members = [signal for signal, _ in member_ports(component)]
        for signal, (name, comes_in) in zip(members, written.ports, strict=True):
            pins.append(("i" if comes_in else "o", name, signal))
        return Instance(written.name, *pins)

    def _module(self, component: Component, asynchronous: frozenset[str] = frozenset()) -> _Written:
        """Module of a component; resets of some of its domains do not wait for the clock."""
        key = (type(component), component.parameters, asynchronous)
        if key not in self._modules:
            if isinstance(component, VerilogComponent):
                self._modules[key] = self._write_foreign(component)
            else:
                self._modules[key] = self._write(component, asynchronous)
        return self._modules[key]

    def elaborate(self, component: Elaboratable) -> Fragment:
        """A component itself, which is not placed, with those in it placed."""
        self._open.append(component)
        fragment = Fragment.get(component, self)
        self._open.pop()
        return fragment

    def _write(self, component: Component, asynchronous: frozenset[str]) -> _Written:
        fragment = self.elaborate(component)
        name = self._name(component, "_async" if asynchronous else "")
        members = member_ports(component)
        design = component_design(
            fragment,
            name,
            inputs=[],
            outputs=[(signal, signal) for signal, comes_in in members if not comes_in],
            order=[signal for signal, _ in members],
            has_own_names=True,
            asynchronous_resets=asynchronous,
        )
        if design.top.is_expressions:
            return _Written(name, is_placed=False)
        self._keep(design, [signal for signal, _ in members])
        ports = design.ports[design.top]
        names = port_names(ports)
        clocks: dict[Net, tuple[str, bool]] = {}
        for domain, one in design.top.domains.items():
            clocks[one.clk] = (domain, False)
            if one.rst is not None:
                clocks[one.rst] = (domain, True)
        return _Written(
            name,
            True,
            tuple(
                (names[net], comes_in)
                for net, comes_in in ports.directions.items()
                if net not in clocks
            ),
            tuple((names[net], *clocks[net]) for net in ports.directions if net in clocks),
        )

    def _write_foreign(self, component: VerilogComponent) -> _Written:
        name = self._name(component, "")
        sources = {one: _once(text) for one, text in component.sources.items()}
        self._foreign[name] = {**sources, name: component.verilog(name)}
        return _Written(
            name,
            True,
            tuple((signal.name, comes_in) for signal, comes_in in member_ports(component)),
            tuple((one, "sync", one == "rst") for one in component.clocks),
        )

    def _name(self, component: Component, end: str) -> str:
        """Name of a component's module; a number distinguishes those of one name."""
        name = f"{self._prefix}_{component.module_name}{end}"
        names = itertools.chain([name], (f"{name}_{number}" for number in itertools.count(2)))
        return next(one for one in names if one not in {**self._designs, **self._foreign})


def _once(text: str) -> str:
    """Text of a file of other people, which tools may read in the files of several networks."""
    guard = f"KNOTWORK_{sha256(text.encode())[:16].upper()}"
    return f"`ifndef {guard}\n`define {guard}\n{text.rstrip()}\n`endif\n"
