"""Modules of a user's operations: two elements in, their result out some cycles later."""

from typing import Any

from amaranth.hdl import ClockSignal, Instance, Module, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...errors import ConfigurationError
from ...operations import UserOperation, module_of, operation_ports, verilog_wrapper, word_of
from ..component import Component, VerilogComponent


def operation_module(kind: type[UserOperation], width: int) -> "OperationGates | OperationVerilog":
    """Module that combines two elements of `width` bits.

    Raises
    ------
    ConfigurationError
        The members of its Amaranth component do not fit.
    """
    made = OperationGates if kind.verilog is None else OperationVerilog
    return made(kind, width=width)


def _signature(kind: type[UserOperation], width: int, *, reads_valid: bool) -> dict[str, Any]:
    members = {"one": In(width), "other": In(width)}
    if kind.latency:
        members["enable"] = In(1)
    if reads_valid:
        members["valid"] = In(1)
    return {**members, "result": Out(width)}


class OperationGates(Component):
    """Two elements combined by an operation that a user wrote in Amaranth.

    Latency
    -------
    That of the operation, in cycles in which `enable` is high.

    Parameters
    ----------
    kind : type of UserOperation
        The operation.
    width : int
        Bits of an element.

    Members
    -------
    one, other : In(width)
        Elements.
    enable : In(1)
        Elements enter, and results advance; only with a latency.
    valid : In(1)
        The elements are of a message; only if the gates read it.
    result : Out(width)
        What they make.

    Raises
    ------
    ConfigurationError
        The members of the user's component do not fit.
    """

    one: Signal
    other: Signal
    enable: Signal
    valid: Signal
    result: Signal

    def __init__(self, kind: type[UserOperation], *, width: int) -> None:
        self._gates = _gates_of(kind, width)
        self._kind = kind
        self._width = width
        self.reads_valid = "valid" in self._gates.signature.members
        super().__init__(_signature(kind, width, reads_valid=self.reads_valid))

    @property
    def variant(self) -> str:
        return f"{self._kind.name}_{self._width}"

    def elaborate(self, platform: object) -> Module:
        del platform
        m = Module()
        m.submodules.gates = gates = self._gates
        for name in self.signature.members:
            inside, outside = getattr(gates, name), getattr(self, name)
            m.d.comb += outside.eq(inside) if name == "result" else inside.eq(outside)
        return m


class OperationVerilog(VerilogComponent):
    """Two elements combined by an operation that a user wrote in Verilog.

    Latency
    -------
    That of the operation, in cycles in which `enable` is high.

    Parameters
    ----------
    kind, width
        As of `OperationGates`.

    Members
    -------
    one, other, enable, valid, result
        As of `OperationGates`.
    """

    one: Signal
    other: Signal
    enable: Signal
    valid: Signal
    result: Signal

    def __init__(self, kind: type[UserOperation], *, width: int) -> None:
        self._kind = kind
        self._width = width
        self._pins = operation_ports(kind)
        self.reads_valid = "valid" in self._pins
        super().__init__(_signature(kind, width, reads_valid=self.reads_valid))

    @property
    def variant(self) -> str:
        return f"{self._kind.name}_{self._width}"

    @property
    def clocks(self) -> tuple[str, ...]:
        return tuple(one for one in ("clk", "rst") if one in self._pins)

    @property
    def sources(self) -> dict[str, str]:
        return {module_of(self._kind): self._kind.source()}

    def verilog(self, name: str) -> str:
        """Module that places the user's."""
        widths = dict.fromkeys(self.clocks, 1)
        widths |= {port: len(getattr(self, port)) for port in self.signature.members}
        return "\n".join([*verilog_wrapper(self._kind, self._width, name, widths), ""])

    def elaborate(self, platform: object) -> Instance:
        """Instance of the user's module, whose file a platform of Amaranth gets."""
        module = module_of(self._kind)
        if add_file := getattr(platform, "add_file", None):
            add_file(f"{module}.v", self._kind.source())
        clocks = {"clk": ClockSignal, "rst": ResetSignal}
        pins: list[tuple[str, str, object]] = [
            ("p", *value) for value in self._kind.verilog_parameters(self._width).items()
        ]
        for what, pin in self._pins.items():
            signal = clocks[what]() if what in clocks else getattr(self, what)
            pins.append(("o" if what == "result" else "i", pin, signal))
        return Instance(module, *pins)


def _gates_of(kind: type[UserOperation], width: int) -> Any:
    """Amaranth component of an operation, whose members fit."""
    word = word_of(kind)
    try:
        gates = kind.gates(width)
    except Exception as error:  # it is the user's code
        fault = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
        raise ConfigurationError(
            f"{word}: gates({width}) must be a component, but raised {fault}"
        ) from None
    if not isinstance(gates, wiring.Component):
        raise ConfigurationError(
            f"{word}: gates({width}) must be a wiring.Component of Amaranth, not "
            f"{type(gates).__name__}"
        )
    vars(gates)["_MustUse__silence"] = True  # of several places one is elaborated
    members = dict(gates.signature.members.items())
    expected = _signature(kind, width, reads_valid="valid" in members)
    for name in {**expected, **members}:
        found, rule = members.get(name), expected.get(name)
        if found is None or rule is None or found != rule:
            raise ConfigurationError(
                f"{word}: gates({width}) must have "
                f"{'no member' if rule is None else f'a member {rule!r}'} {name}, not "
                f"{'none' if found is None else repr(found)}"
            )
    return gates
