# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Rules as compiled functions that are called by their address, and the loops that call them.

The loops that call a rule by its address are compiled once for all rules, and kept on disk. A rule
that was called by its name would be compiled into its caller. Nothing here imports Numba before it
compiles.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from ...progress import progress
from ..rules import BroadcastRule, Rule
from .native_code import COMPILING, CodeFiles, load
from .native_loop import Deferred, NativeLoop
from .source_digest import digest, function_digest


def kept_on_disk(**options: Any) -> Callable[[Callable[..., Any]], NativeLoop]:
    """Compile a function, and keep it on disk until its file or one that it imports changes.

    Parameters
    ----------
    options
        Of `numba.njit`. With ``_nrt=False`` it makes no arrays, and needs nothing of Numba's; with
        ``wraparound=False`` no index of it is negative.
    """
    return lambda function: NativeLoop(function, options)


def part(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function that only compiled code calls."""

    def register(function: Callable[..., Any]) -> Any:
        from .numba_compiler import compile_function

        return compile_function(function, options)

    return lambda function: Deferred(function, register)


def in_compiled_code(instead: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Function of Python for which another one stands in compiled code."""

    def register(_: Callable[..., Any]) -> Any:
        from .numba_compiler import compile_function

        return compile_function(instead, {"_nrt": False})

    return lambda function: Deferred(function, register)


def intrinsic(define: Callable[..., Any]) -> Any:
    """Function of compiled code that `define` writes, as `numba.extending.intrinsic` has it."""

    def register(function: Callable[..., Any]) -> Any:
        from .numba_compiler import make_intrinsic

        return make_intrinsic(function)

    return Deferred(define, register)


ROUTE_ARGUMENTS, BRANCH_ARGUMENTS = 4, 6
"""Integers that a rule takes beside the address of its parameters; of broadcasts."""


@cache
def _address(rule: Any, numbers: int) -> int:
    """Address of a compiled rule; its code is kept."""
    found, files = function_digest(rule), None
    if found is not None:
        files = CodeFiles(f"{rule.__module__}.rule", f"{found} {digest(Path(__file__))}")
    native = None if files is None else files.load(str(numbers))
    address = None if native is None else load(native)
    if address is not None:
        return address
    with progress(COMPILING):
        from .numba_compiler import compile_rule

        native = compile_rule(rule, _signature(numbers))
    if files is not None:
        files.save(str(numbers), native)
    address = load(native)
    assert address is not None
    return address


def rule_address(rule: Rule) -> int:
    """Address of a rule for `call_rule`."""
    return _address(rule, ROUTE_ARGUMENTS)


def broadcast_rule_address(rule: BroadcastRule) -> int:
    """Address of a rule of broadcasts for `call_broadcast_rule`."""
    return _address(rule, BRANCH_ARGUMENTS)


def _signature(numbers: int) -> Any:
    """Numba's signature of a rule: two integers from the parameters' address and integers."""
    from numba import types

    pair = types.UniTuple(types.int64, 2)
    return pair(types.CPointer(types.int64), *[types.int64] * numbers)


def _call(numbers: int) -> Any:
    """Code of a call: the address and that of the parameters first."""
    from llvmlite import ir
    from numba import types

    signature = _signature(numbers)

    def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
        kind = context.call_conv.get_function_type(signature.return_type, signature.args)
        address, parameters, *rest = values
        function = builder.inttoptr(address, kind.as_pointer())
        pointer = builder.inttoptr(parameters, ir.IntType(64).as_pointer())
        _, pair = context.call_conv.call_function(
            builder, function, signature.return_type, signature.args, [pointer, *rest]
        )
        return pair

    return signature.return_type(*[types.int64] * (2 + numbers)), generate


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
    """Call a rule, in compiled code: its address, that of its parameters, and its arguments."""
    del typing, address, parameters, router, port, channel_class, destination
    return _call(ROUTE_ARGUMENTS)


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
    """Call a rule of broadcasts, in compiled code, as `call_rule` calls one of packets."""
    del typing, address, parameters, router, port, channel_class, label, source, output
    return _call(BRANCH_ARGUMENTS)


@in_compiled_code(
    lambda rule, parameters, router, port, channel_class, destination: call_rule(
        rule, parameters.ctypes.data, router, port, channel_class, destination
    )
)
def next_hop(
    rule: Any, parameters: Any, router: int, port: int, channel_class: int, destination: int
) -> tuple[int, int]:
    """Output port and class by a rule; compiled code calls the rule's address instead."""
    # NumPy's narrow integers overflow where Python's do not.
    return rule(parameters, int(router), int(port), int(channel_class), int(destination))


@in_compiled_code(
    lambda rule, parameters, router, port, channel_class, label, source, output: (
        call_broadcast_rule(
            rule, parameters.ctypes.data, router, port, channel_class, label, source, output
        )
    )
)
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
