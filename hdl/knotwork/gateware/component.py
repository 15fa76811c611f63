"""Components that are one module of the Verilog wherever their parameters are equal."""

import functools
import inspect
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Protocol, Self, runtime_checkable

from amaranth.hdl import Fragment, Signal, Value
from amaranth.lib import data, wiring

NOTE = "knotwork.note"
"""Attribute of a signal whose comment stands in the Verilog."""


@runtime_checkable
class ModuleLibrary(Protocol):
    """Modules that are being written: a platform that places components in each other."""

    def place(self, component: "Component") -> Fragment | None:
        """Instance of the component's module; None where the component itself is elaborated."""
        ...


class Component(wiring.Component):
    """Component that is one module of the Verilog, whatever the number of its places.

    Two components are the same module if their classes and their `parameters` are equal. So they
    may depend on nothing else, and be connected by their members alone.

    For simulation with Amaranth it is a component like any other.

    Signals within that proofs read are public attributes, which the constructor or `elaborate` sets
    beside its ports: a proof names ``port.holds``, never the wire.
    """

    # What a component makes for itself is not used where a module with its parameters is there.
    _MustUse__silence = True

    def __new__(cls, *args: object, **kwargs: object) -> Self:
        self = super().__new__(cls, *args, **kwargs)
        self._given = (args, kwargs)
        return self

    def __init_subclass__(cls, **keys: Any) -> None:
        super().__init_subclass__(**keys)
        if "elaborate" in cls.__dict__:
            setattr(cls, "elaborate", _placed(cls.__dict__["elaborate"]))  # noqa: B010 (of the subclass)

    dissolves = False
    """Whether it stands in the module around it if it has no state, also with components within."""

    _given: tuple[tuple[object, ...], dict[str, object]]

    @property
    def parameters(self) -> Hashable:
        """What its module depends on, beside its class: the arguments of its constructor.

        A subclass whose arguments say more than it uses gives what it uses.
        """
        args, kwargs = self._given
        bound = inspect.signature(type(self).__init__).bind(self, *args, **kwargs)
        bound.apply_defaults()
        return tuple((name, frozen(value)) for name, value in [*bound.arguments.items()][1:])

    @property
    def variant(self) -> str:
        """What its module's name says beside its class, such as ``16``; may be empty."""
        return ""

    @property
    def module_name(self) -> str:
        """Name of its module, behind that of the network."""
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(self).__name__).lower().strip("_")
        return f"{words}_{self.variant}" if self.variant else words


def _placed(elaborate: Callable[[Any, object], Any]) -> Callable[[Any, object], Any]:
    """`elaborate` that has a library of modules place the component."""

    @functools.wraps(elaborate)
    def wrapper(self: Component, platform: object) -> Any:
        place = platform.place(self) if isinstance(platform, ModuleLibrary) else None
        return elaborate(self, platform) if place is None else place

    return wrapper


class VerilogComponent(Component):
    """Component whose module is text of Verilog, around modules of other people.

    Where Amaranth elaborates it, it is an instance of these, which its simulator cannot run.

    """

    @property
    def clocks(self) -> tuple[str, ...]:
        """Ports beside its members: ``clk`` and ``rst``, those that it has."""
        raise NotImplementedError

    @property
    def sources(self) -> dict[str, str]:
        """Text of the files that its module needs, by the name of the module in it."""
        raise NotImplementedError

    def verilog(self, name: str) -> str:
        """Text of its module, whose ports are `clocks` and then its members by their names."""
        raise NotImplementedError


def explain(signal: Value, text: str) -> None:
    """Have a signal explained in the Verilog by a line, where it is assigned or declared."""
    assert isinstance(signal, Signal)
    signal.attrs[NOTE] = text


def frozen(value: object) -> Hashable:
    """A parameter as a value that can be compared and hashed; layouts by their fields."""
    if isinstance(value, data.Layout):
        return tuple((name, field.offset, frozen(field.shape)) for name, field in value)
    if isinstance(value, Mapping):
        return tuple((key, frozen(one)) for key, one in value.items())
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return tuple(frozen(one) for one in value)
    assert isinstance(value, Hashable)
    return value
