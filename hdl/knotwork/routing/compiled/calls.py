# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Rules as compiled functions that are called by their address.

The loops that call a rule by its address are compiled once for all rules, and Numba keeps them on
disk. A rule that was called by its name would be compiled into its caller.
"""

from collections.abc import Callable
from functools import cache
from inspect import getfile
from pathlib import Path
from typing import Any

from llvmlite import ir
from numba import cfunc, types
from numba import njit as numba_njit
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature
from numba.extending import intrinsic as numba_intrinsic
from numba.extending import overload, register_jitable

from ..rules import BroadcastRule, Rule
from .compilable import next_copy, next_hop, register_marked
from .disk_cache import PROJECT, cache_on_disk, digest

njit: Any = numba_njit  # Numba annotates its decorators too narrowly
intrinsic: Any = numba_intrinsic

register_marked(register_jitable)

_PAIR = types.UniTuple(types.int64, 2)
_ROUTE = _PAIR(types.CPointer(types.int64), *[types.int64] * 4)
_BRANCH = _PAIR(types.CPointer(types.int64), *[types.int64] * 6)


def kept_on_disk(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function, and keep it on disk until its file or one that it imports changes.

    A kept function is looked up by its name, its bytecode and the types of its arguments. The
    digest of all files that decide what it does becomes a part of the name.

    Parameters
    ----------
    options
        Of `numba.njit`.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        function.__qualname__ += f"_{digest(Path(getfile(function)))[:16]}"
        dispatcher = njit(**options)(function)
        cache_on_disk(dispatcher)
        return dispatcher

    return decorate


@cache
def _compiled(rule: Any, signature: Any) -> Any:
    """C function of a rule; cached, because its address is valid only as long as it lives.

    One of the project's own is kept on disk too. What a user's rule calls is not followed there.
    """
    if not rule.__module__.startswith(f"{PROJECT}."):
        return cfunc(signature)(rule)
    rule.__qualname__ += f"_{digest(Path(getfile(rule)))[:16]}"
    function = CFunc(rule, normalize_signature(signature), locals={}, options={})
    cache_on_disk(function)
    function.compile()
    return function


def rule_address(rule: Rule) -> int:
    """Address of a rule for `call_rule`."""
    return _compiled(rule, _ROUTE).address


def broadcast_rule_address(rule: BroadcastRule) -> int:
    """Address of a rule of broadcasts for `call_broadcast_rule`."""
    return _compiled(rule, _BRANCH).address


def _call(signature: Any) -> Any:
    """Code of a call: the address and that of the parameters first."""

    def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
        returned = context.get_value_type(signature.return_type)
        taken = [context.get_value_type(kind) for kind in signature.args]
        address, parameters, *numbers = values
        function = builder.inttoptr(address, ir.FunctionType(returned, taken).as_pointer())
        return builder.call(function, [builder.inttoptr(parameters, taken[0]), *numbers])

    return _PAIR(*[types.int64] * (1 + len(signature.args))), generate


@intrinsic
def call_rule(
    typing: Any,
    address: Any,
    parameters: Any,
    router: Any,
    port: Any,
    channel_class: Any,
    destination: Any,
) -> Any:
    """RuleCall a rule, in compiled code: its address, that of its parameters, and its arguments."""
    del typing, address, parameters, router, port, channel_class, destination
    return _call(_ROUTE)


@intrinsic
def call_broadcast_rule(
    typing: Any,
    address: Any,
    parameters: Any,
    router: Any,
    port: Any,
    channel_class: Any,
    label: Any,
    source: Any,
    output: Any,
) -> Any:
    """RuleCall a rule of broadcasts, in compiled code, as `call_rule` asks its own."""
    del typing, address, parameters, router, port, channel_class, label, source, output
    return _call(_BRANCH)


@overload(next_hop)
def _next_hop(rule, parameters, router, port, channel_class, destination):
    del rule, parameters, router, port, channel_class, destination
    return lambda rule, parameters, router, port, channel_class, destination: call_rule(
        rule, parameters.ctypes.data, router, port, channel_class, destination
    )


@overload(next_copy)
def _next_copy(rule, parameters, router, port, channel_class, label, source, output):
    del rule, parameters, router, port, channel_class, label, source, output
    return lambda rule, parameters, router, port, channel_class, label, source, output: (
        call_broadcast_rule(
            rule, parameters.ctypes.data, router, port, channel_class, label, source, output
        )
    )
