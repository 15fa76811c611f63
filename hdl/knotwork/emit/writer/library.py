"""Modules of a file of Verilog: each component once, however often it is placed."""

import itertools
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from amaranth.hdl import ClockSignal, Elaboratable, Fragment, Instance, ResetSignal, Signal
from amaranth.hdl._ast import SignalDict, SignalSet

from ...errors import ConfigurationError
from ...gateware.component import Component
from .component import Design, component_design, member_ports, module_texts
from .terms import Net


@dataclass(eq=False)
class _Written:
    """Module of a component; without a design, the component is written where it stands."""

    name: str
    design: Design | None
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
        self._texts: dict[str, str] = {}
        self._open: list[Elaboratable] = []
        self._drivers: SignalDict = SignalDict()
        self._undriven: list[tuple[Signal, str]] = []

    @property
    def texts(self) -> dict[str, str]:
        """Verilog of each module by its name; a module stands behind those that it places."""
        for signal, name in self._undriven:
            if signal in self._drivers and self._drivers[signal] != name:
                raise ConfigurationError(
                    f"{name}: must read what stands in other modules by their ports, not "
                    f"{signal.name} of {self._drivers[signal]}"
                )
        return dict(self._texts)

    def add(self, design: Design, members: Iterable[Signal] = ()) -> None:
        """Add the modules of a design, whose components this library has placed.

        An output among its members may have no driver.
        """
        outputs = SignalSet(members)
        self._texts |= module_texts(design)
        own = design.modules[design.top]
        for signal in design.driven:
            self._drivers[signal] = own
        self._undriven += [(one, own) for one in design.undriven if one not in outputs]

    def place(self, component: Component) -> Fragment | None:
        """Instance of the component's module, which is written if it is not there yet.

        None while it is written, and for what is expressions alone: that stands where it is read.
        """
        if component in self._open:
            return None
        key = (type(component), component.parameters)
        if key not in self._modules:
            self._modules[key] = self._write(component)
        written = self._modules[key]
        if written.design is None:
            return None
        pins: list[tuple[str, str, object]] = []
        for name, domain, is_reset in written.clocks:
            signal = ResetSignal(domain, allow_reset_less=True) if is_reset else ClockSignal(domain)
            pins.append(("i", name, signal))
        members = [signal for signal, _ in member_ports(component)]
        for signal, (name, comes_in) in zip(members, written.ports, strict=True):
            pins.append(("i" if comes_in else "o", name, signal))
        return Instance(written.name, *pins)

    def elaborate(self, component: Elaboratable) -> Fragment:
        """A component itself, which is not placed, with those in it placed."""
        self._open.append(component)
        fragment = Fragment.get(component, self)
        self._open.pop()
        return fragment

    def _write(self, component: Component) -> _Written:
        name = self._name(component)
        members = member_ports(component)
        design = component_design(
            self.elaborate(component),
            name,
            inputs=[],
            outputs=[(signal, signal) for signal, comes_in in members if not comes_in],
            order=[signal for signal, _ in members],
            has_own_names=True,
        )
        if design.top.is_expressions:
            return _Written(name, None)
        self.add(design, [signal for signal, _ in members])
        ways = design.ports[design.top].ways
        clocks: dict[Net, tuple[str, bool]] = {}
        for domain, one in design.top.domains.items():
            clocks[one.clk] = (domain, False)
            if one.rst is not None:
                clocks[one.rst] = (domain, True)
        names = design.text(design.top).net_names
        return _Written(
            name,
            design,
            tuple((names[net], way) for net, way in ways.items() if net not in clocks),
            tuple((names[net], *clocks[net]) for net in ways if net in clocks),
        )

    def _name(self, component: Component) -> str:
        """Name of a component's module; a number tells those of one name apart."""
        name = f"{self._prefix}_{component.module_name}"
        taken = {one.name for one in self._modules.values()} | {*self._texts}
        names = itertools.chain([name], (f"{name}_{number}" for number in itertools.count(2)))
        return next(one for one in names if one not in taken)
