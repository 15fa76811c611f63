"""How the golden model is compiled, and sets of numbers as bits of words.

Compiled functions take and return Numba's types, which type checkers do not know. In this package
`Any` stands for them, and the parameters of a `part` have no annotations.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from knotwork.routing.compiled.calls import intrinsic, kept_on_disk
from knotwork.routing.compiled.calls import part as inlined_part
from knotwork.routing.compiled.native_loop import NativeLoop

NONE = -1
"""Number of a packet, slot or channel that is not there."""


def part(function: Callable[..., Any]) -> Any:
    """Compile a part of a loop, inlined into it; only compiled code can call it.

    A part allocates nothing, so references need not be counted: counting would take ten times as
    long as everything else. Wrappers for Python and C would take longer to compile than the part.
    """
    return inlined_part(_nrt=False, forceinline=True, error_model="numpy")(function)


def loop(function: Callable[..., Any]) -> NativeLoop:
    """Compile a loop, and keep it on disk until its file or one that it imports changes.

    It does not hold Python's lock while it runs. Its indices, and those of its parts, must not be
    negative.
    """
    return kept_on_disk(_nrt=False, error_model="numpy", wraparound=False)(function)


@intrinsic
def lowest_bit(typing: Any, word: Any) -> Any:
    """Number of the lowest bit that is set in a word other than 0."""
    from llvmlite import ir
    from numba import types

    del typing, word

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        del context, signature
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@intrinsic
def bits_set(typing: Any, word: Any) -> Any:
    """Number of bits that are set in a word."""
    from numba import types

    del typing, word

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        del context, signature
        return builder.ctpop(values[0])

    return types.int64(types.uint64), generate


@intrinsic
def prefetch(typing: Any, records: Any, index: Any) -> Any:
    """Prefetch an entry of an array that will be read and written soon."""
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils

    del typing

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, values[0])
        row = builder.extract_value(array.strides, 0)
        offset = builder.mul(values[1], row)
        address = builder.add(builder.ptrtoint(array.data, offset.type), offset)
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        call = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        flags = [ir.Constant(number, value) for value in (1, 3, 1)]  # to write, keep, data
        builder.call(call, [builder.inttoptr(address, byte), *flags])
        return context.get_dummy_value()

    return types.void(records, types.int64), generate


def words_for(members: int) -> int:
    """Words that a set of numbers below `members` takes."""
    return -(-members // 64)


@part
def include(words: np.ndarray, number: int) -> None:
    """Put a number into a set."""
    words[number >> 6] |= np.uint64(1) << np.uint64(number & 63)


@part
def exclude(words: np.ndarray, number: int) -> None:
    """Take a number out of a set."""
    words[number >> 6] &= ~(np.uint64(1) << np.uint64(number & 63))


@part
def contains(words: np.ndarray, number: int) -> Any:
    """Whether a number is in a set."""
    return (words[number >> 6] >> np.uint64(number & 63)) & np.uint64(1) != 0


@part
def is_empty(words: np.ndarray) -> bool:
    """Whether a set is empty."""
    for word in words:  # noqa: SIM110 - compiled
        if word != 0:
            return False
    return True


@part
def without_lowest(word: np.uint64) -> Any:
    """A word without its lowest bit."""
    return word & (word - np.uint64(1))
