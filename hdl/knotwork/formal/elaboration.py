"""Elaborated gateware of a module under proof: which wire of the Verilog each of its signals is.

Claims name the signals within a module as attributes of its components, ``port.holds``, which a
type checker knows. Only here do they become paths of wires, ``input_local.holds``.
"""

from collections.abc import Iterator
from typing import TypeVar

from amaranth.hdl import Fragment, Signal, Value
from amaranth.hdl._mem import MemoryInstance  # pyright: ignore (no stub)
from amaranth.lib.wiring import Component

from ..untyped import Interface

Part = TypeVar("Part")


class Elaboration:
    """Components within a component, by their paths, and the paths of their signals.

    Parameters
    ----------
    core : wiring.Component
        Component whose module is proven; it is elaborated here.
    """

    def __init__(self, core: Interface) -> None:
        core._MustUse__used = True  # it is elaborated here
        self._parts: dict[str, object] = {}
        self._paths: dict[int, str] = {}
        self._memories: dict[int, str] = {}
        # Paths are by the signals' identities, so the fragment keeps the signals alive.
        self._fragment = Fragment.get(core, None)
        within = list(_within(self._fragment, ""))
        # A port is the wire of the component that has it, not of the one around it.
        for path, fragment in within:
            self._add_ports(path, fragment)
        for path, fragment in within:
            self._add_signals(path, fragment)

    def _add_ports(self, path: str, fragment: Fragment) -> None:
        origins = getattr(fragment, "origins", None) or ()
        if isinstance(fragment, MemoryInstance):
            for port in fragment._read_ports:  # pyright: ignore[reportAttributeAccessIssue]
                self._memories[id(Value.cast(port._data))] = path.removesuffix(".")
            return
        self._parts[path] = component = origins[0] if origins else None
        if isinstance(component, Component) and path:
            for member, _, value in component.signature.flatten(component):
                name = "_".join(map(str, member))
                self._paths[id(Value.cast(value))] = path + name  # pyright: ignore

    def _add_signals(self, path: str, fragment: Fragment) -> None:
        for statements in getattr(fragment, "statements", {}).values():
            for statement in statements:
                for signal in statement._lhs_signals():
                    self._paths.setdefault(id(signal), path + signal.name)

    def part(self, path: str, kind: type[Part]) -> Part:
        """Component at a path, ``input_local.buffer``; the whole without one."""
        found = self._parts.get(f"{path}." if path else "") or self._parts.get(f"{path}_")
        if not isinstance(found, kind):
            raise TypeError(f"{path or 'the module'} must be {kind.__name__}, not {found!r}")
        return found

    def path(self, value: Value) -> str:
        """Path of the wire of a signal."""
        assert isinstance(value, Signal)
        return self._paths[id(value)]

    def memory(self, read: Value) -> str:
        """Path of the memory that a signal is read from."""
        return self._memories[id(Value.cast(read))]


def _within(fragment: Fragment, path: str) -> Iterator[tuple[str, Fragment]]:
    """A fragment and all within, by the path that the names of their signals follow."""
    yield path, fragment
    for inner, name, _ in getattr(fragment, "subfragments", ()):
        yield from _within(inner, f"{path}{name}{'_' if _dissolves(inner) else '.'}")


def _dissolves(fragment: Fragment) -> bool:
    """Whether the writer lets a component stand in the module around it: expressions alone."""
    if isinstance(fragment, MemoryInstance) or getattr(fragment, "subfragments", ()):
        return False
    statements: dict[str, list[object]] = getattr(fragment, "statements", {})
    is_expressions = all(type(one).__name__ == "Assign" for one in statements.get("comb", ()))
    return is_expressions and set(statements) <= {"comb"}
