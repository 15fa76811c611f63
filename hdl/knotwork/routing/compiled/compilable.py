# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""The mark of a function that Numba may compile, and calls of a rule; no import of Numba.

A rule is plain Python and is called as such. `calls` imports Numba and registers all
marked functions with it, so that compiled code can call them. Functions that are marked later are
registered at once.
"""

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., object])

_marked: list[Callable[..., object]] = []
_registrars: list[Callable[[Callable[..., object]], object]] = []


def compilable(function: Function) -> Function:
    """Mark a function that is written in the subset of Python that Numba compiles."""
    _marked.append(function)
    for register in _registrars:
        register(function)
    return function


def is_marked(function: Callable[..., object]) -> bool:
    """Whether a function was marked."""
    return any(function is marked for marked in _marked)


def register_marked(register: Callable[[Callable[..., object]], object]) -> None:
    """Call `register` with every marked function, and with each one that will be marked."""
    _registrars.append(register)
    for function in _marked:
        register(function)


def next_hop(
    rule: Any, parameters: Any, router: int, port: int, channel_class: int, destination: int
) -> tuple[int, int]:
    """Output port and class by a rule; compiled code calls the rule's address instead."""
    # NumPy's narrow integers overflow where Python's do not.
    return rule(parameters, int(router), int(port), int(channel_class), int(destination))


def next_copy(
    rule: Any,
    parameters: Any,
    router: int,
    port: int,
    channel_class: int,
    label: int,
    source: int,
    output: int,
) -> tuple[int, int]:
    """Label and class of a broadcast's copy by a rule, as `next_hop`."""
    numbers = router, port, channel_class, label, source, output
    return rule(parameters, *map(int, numbers))
