"""The mark of a function that Numba may compile; no import of Numba.

A rule is plain Python and is called as such. `numba_compiler` registers all marked functions with
Numba, so that compiled code can call them. Functions that are marked later are registered at once.
"""

from collections.abc import Callable
from typing import TypeVar

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
