"""Elaborated gateware of a module under proof: which wire of the Verilog each of its signals is.

Claims name the signals within a module as attributes of its components, ``port.holds``, which a
type checker knows. Only here do they become paths of wires, ``input_local.holds``.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import TypeVar

from amaranth.hdl import ClockSignal, Fragment, ResetSignal, Signal, Value
from amaranth.hdl._mem import MemoryInstance  # pyright: ignore (no stub)
from amaranth.lib.cdc import AsyncFFSynchronizer, FFSynchronizer
from amaranth.lib.wiring import Component

from ..emit.modules import Shell
from ..emit.writer.printing import identifier
from ..emit.writer.values import signal_name
from ..parameters.kinds import KEYWORDS
from ..untyped import Interface

Part = TypeVar("Part")


class Elaboration:
    """Components within a component, by their paths, and the paths of their signals.

    Parameters
    ----------
    core : wiring.Component, optional
        Component whose module is proven; it is elaborated here. None where the module is a network,
        whose instances are added.
    """

    def __init__(self, core: Interface | None = None) -> None:
        # Paths are by the signals' identities, so the fragments keep the signals alive.
        self._fragments: list[tuple[str, Fragment]] = []
        self._placed: list[tuple[str, Shell]] = []
        if core is not None:
            self._add(core, "")

    def add_instance(self, shell: Shell, instance: str) -> None:
        """Add the component of a shell, whose module the one under proof places by this name."""
        self._add(shell.core, f"{instance}.")
        self._placed.append((f"{instance}.", shell))
        for kept in ("_parts", "_memories", "_port_paths", "_paths"):
            self.__dict__.pop(kept, None)

    def _add(self, core: Interface, path: str) -> None:
        core._MustUse__used = True  # it is elaborated here
        self._fragments += _within(Fragment.get(core, None), path)

    @cached_property
    def _parts(self) -> dict[str, tuple[object, ...]]:
        """What a fragment was made of, by path: a component, and what renames its clock."""
        return {path: tuple(getattr(one, "origins", None) or ()) for path, one in self._fragments}

    @cached_property
    def _memories(self) -> dict[int, str]:
        """Path of a memory by each signal that is read from it."""
        return {
            id(read): path.removesuffix(".")
            for path, fragment in self._fragments
            for read in _read_signals(fragment)
        }

    @cached_property
    def _port_paths(self) -> dict[int, str]:
        """Path of each port: it is the wire of its component, not of the one around it."""
        found: dict[int, str] = {}
        for path, shell in self._placed:
            ends = [*shell.inputs, *((value, port) for port, value in shell.outputs)]
            for value, port in ends:
                found[id(Value.cast(value))] = path + port.name
        for path, origins in self._parts.items():
            component = next((one for one in origins if isinstance(one, Component)), None)
            if component is not None and path:
                for member, _, value in component.signature.flatten(component):
                    name = "_".join(map(str, member))
                    found.setdefault(id(Value.cast(value)), path + name)  # pyright: ignore
        # A synchroniser has no members, yet what it reads and shows are its ports.
        for path, origins in self._parts.items():
            for one in origins:
                if isinstance(one, (FFSynchronizer, AsyncFFSynchronizer)):
                    for signal in _signals(one.i, one.o):  # pyright: ignore
                        found.setdefault(id(signal), path + signal_name(signal))
        return found

    @cached_property
    def _paths(self) -> dict[int, str]:
        """Path of each signal."""
        found = dict(self._port_paths)
        for path, fragment in self._fragments:
            reads = _read_signals(fragment)
            for number, read in enumerate(reads):
                count = number if len(reads) > 1 else ""
                found[id(read)] = f"{path.removesuffix('.')}_read{count}_data"
            for statements in getattr(fragment, "statements", {}).values():
                for statement in statements:
                    for signal in statement._lhs_signals():
                        if isinstance(signal, Signal):  # no clock or reset of a domain
                            found.setdefault(id(signal), path + _net_name(signal))
        return found

    def part(self, path: str, kind: type[Part]) -> Part:
        """Component at a path, ``input_local.buffer``; the core itself at the empty one."""
        found = self._parts.get(f"{path}." if path else "") or self._parts.get(f"{path}_") or ()
        part = next((one for one in found if isinstance(one, kind)), None)
        if part is None:
            shown = found[0] if found else None
            raise TypeError(f"{path or 'the module'} must be {kind.__name__}, not {shown!r}")
        return part

    def place(self, part: object) -> str:
        """Path of a component within, of a library too: ``input_local.buffer``."""
        found = (path for path, made in self._parts.items() if any(one is part for one in made))
        return next(found).removesuffix(".")

    def path(self, value: Value) -> str:
        """Path of the wire of a signal."""
        assert isinstance(value, Signal)
        return self._paths[id(value)]

    def memory(self, read: Value) -> str:
        """Path of the memory that a signal is read from."""
        return self._memories[id(Value.cast(read))]


def _net_name(signal: Signal) -> str:
    """Name of a signal's net, which is not one that Verilog keeps to itself."""
    name = signal_name(signal)
    return identifier(name) if name in KEYWORDS else name


def _read_signals(fragment: Fragment) -> list[Value]:
    """What each port of a memory reads; nothing of other fragments."""
    if not isinstance(fragment, MemoryInstance):
        return []
    ports = fragment._read_ports  # pyright: ignore[reportAttributeAccessIssue]
    return [Value.cast(port._data) for port in ports]


def _signals(*values: Value) -> Iterator[Signal]:
    """Signals of values; none of one that is the clock or the reset of a domain."""
    for value in values:
        if not isinstance(value, (ClockSignal, ResetSignal)):
            yield from value._rhs_signals()  # pyright: ignore[reportAttributeAccessIssue]


def _within(fragment: Fragment, path: str) -> Iterator[tuple[str, Fragment]]:
    """A fragment and all within, by the path that the names of their signals follow."""
    yield path, fragment
    for inner, name, _ in getattr(fragment, "subfragments", ()):
        end = "_" if _dissolves(inner) else "."
        yield from _within(inner, f"{path}{identifier(str(name))}{end}")


def _dissolves(fragment: Fragment) -> bool:
    """Whether the writer lets a component stand in the module around it: expressions alone."""
    if isinstance(fragment, MemoryInstance) or getattr(fragment, "subfragments", ()):
        return False
    statements: dict[str, list[object]] = getattr(fragment, "statements", {})
    is_expressions = all(type(one).__name__ == "Assign" for one in statements.get("comb", ()))
    return is_expressions and set(statements) <= {"comb"}
