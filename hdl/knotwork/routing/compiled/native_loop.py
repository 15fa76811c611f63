"""Loops that Numba compiles once, called without it.

A loop takes arrays, numbers, and tuples of these, named ones included. Its compiled code reads them
from a block of 64-bit words: a number is one word; an array is its address, its shape and its
strides. It writes what it returns into the same block. So that Numba need not be imported, the
types of the arguments are described as text here; `numba_compiler` compiles for the same types.
"""

import ctypes
import struct
import weakref
from array import array
from collections.abc import Callable, Iterator
from functools import cached_property, update_wrapper
from importlib import import_module
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from ...progress import progress
from .native_code import COMPILING, CodeFiles, NativeCode, class_name, load

_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
_PLAIN = {"<i8": "i", "<u8": "u", "<f8": "f", "|b1": "b"}  # NumPy's numbers that Python has too
_HALF = 2**63
_compiling = Lock()


class Deferred:
    """Function that only compiled code calls; Numba learns of it when it meets it.

    Parameters
    ----------
    function
        Function.
    register
        Makes Numba's type of it: `compile_function` or `make_intrinsic` of `numba_compiler`.
    """

    def __init__(self, function: Callable[..., Any], register: Callable[..., Any]) -> None:
        self._function, self._register = function, register
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Call the Python function."""
        return self._function(*arguments)

    @cached_property
    def _numba_type_(self) -> Any:
        return self._register(self._function)


class NativeLoop:
    """Loop that Numba compiles for the types of its arguments, and that is kept on disk.

    It does not hold Python's lock while it runs.

    Parameters
    ----------
    function
        The loop, in the subset of Python that Numba compiles.
    options
        Of `numba.njit`.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self._function, self._options = function, options
        self._entries: dict[str, _Entry] = {}
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Run the loop, compiled for these types if it has not been before."""
        types: list[str] = []
        words = array("q")
        for argument in arguments:
            _describe(argument, types, words)
        described = " ".join(types)
        return self._entry(described, arguments)(words)

    def bind(self, *first: Any) -> Callable[..., Any]:
        """Loop with its first arguments, which are described once: for calls in every cycle."""
        head: list[str] = []
        words = array("q")
        for argument in first:
            _describe(argument, head, words)
        entries: dict[tuple[str, ...], _Entry] = {}

        def call(*rest: Any) -> Any:
            types: list[str] = []
            numbers = words[:]
            for argument in rest:
                _describe(argument, types, numbers)
            entry = entries.get(tuple(types))
            if entry is None:
                entry = self._entry(" ".join((*head, *types)), (*first, *rest))
                entries[tuple(types)] = entry
            return entry(numbers)

        return call

    @cached_property
    def _numba_type_(self) -> Any:
        """Type by which Numba calls this loop from another one."""
        from .numba_compiler import compile_function

        return compile_function(self._function, self._options)

    @cached_property
    def files(self) -> CodeFiles | None:
        """Files in which its code is kept."""
        return CodeFiles.of(self._function, repr(sorted(self._options.items())))

    @property
    def is_compiled(self) -> bool:
        """Whether its code is kept, for some arguments."""
        return bool(self._entries) or (self.files is not None and not self.files.is_empty())

    def _entry(self, types: str, arguments: tuple[Any, ...]) -> "_Entry":
        """Code for these types: loaded before, kept on disk, or compiled now."""
        if types in self._entries:
            return self._entries[types]
        with _compiling:
            native = None if self.files is None else self.files.load(types)
            address = None if native is None else load(native)
            if native is None or address is None:
                with progress(COMPILING):
                    from .numba_compiler import compile_entry

                    native = compile_entry(self, self._options, arguments)
                if self.files is not None:
                    self.files.save(types, native)
                address = load(native)
            entry = self._entries[types] = _Entry(self.__name__, native, address)
        return entry

    __name__: str


class _Entry:
    """Compiled code of a loop for some types of arguments."""

    def __init__(self, name: str, native: NativeCode, address: int | None) -> None:
        self._name, self._result = name, native.result
        self._function = _FUNCTION(address or 0)
        self._room = bytes(8 * (_result_words(native.result) + 2))

    def __call__(self, words: "array[int]") -> Any:
        """Run the code; the block is these words, and room for the result."""
        words.frombytes(self._room)
        start, count = words.buffer_info()
        end = start + 8 * count  # before it, room for Numba's own result, None, and an exception
        if self._function(end - 16, end - 8, start) != 0:
            raise ArithmeticError(f"the compiled loop {self._name} failed")
        return None if self._result is None else _value(self._result, iter(words))


def _result_words(result: Any) -> int:
    """Words that a result takes."""
    if isinstance(result, list):
        return sum(_result_words(each) for each in result[1:])
    return 0 if result is None else 1


def _value(result: Any, words: Iterator[int]) -> Any:
    """Value from its words: one of ``i u f b``, or a list of a tuple's class and its members."""
    if isinstance(result, list):
        members = (_value(each, words) for each in result[1:])
        if not result[0]:
            return tuple(members)
        module, _, name = result[0].partition(":")
        return getattr(import_module(module), name)(*members)
    if result is None:
        return None
    word = next(words)
    if result == "f":
        return struct.unpack("d", struct.pack("q", word))[0]
    return {"i": word, "u": word % (2 * _HALF), "b": word != 0}[result]


class _Array(NamedTuple):
    """Array as a loop reads it."""

    reference: weakref.ref
    types: str
    words: tuple[int, ...]


_arrays: dict[int, _Array] = {}
_dtypes: dict[np.dtype, str] = {}


def _describe(value: Any, types: list[str], words: "array[int]") -> None:
    """Append the types of a value, and its words."""
    kind = type(value)
    if kind is np.ndarray:
        known = _arrays.get(id(value))
        if known is None or known.reference() is not value:
            known = _describe_array(value)
        types.append(known.types)
        words.extend(known.words)
    elif kind is int:
        types.append("i" if -_HALF <= value < _HALF else "u")
        words.append(_signed(value))
    elif kind is bool:
        types.append("b")
        words.append(value)
    elif kind is float:
        types.append("f")
        words.append(_bits(value))
    elif issubclass(kind, tuple):
        types.append(f"{class_name(kind)}(")
        for each in value:
            _describe(each, types, words)
        types.append(")")
    elif issubclass(kind, np.generic) and value.dtype.kind in "iufb":
        name: str = value.dtype.str
        types.append(_PLAIN.get(name, name))
        words.append(_bits(float(value)) if value.dtype.kind == "f" else _signed(int(value)))
    else:
        raise TypeError(f"a compiled loop must be given arrays and numbers, not {value!r}")


def _signed(number: int) -> int:
    """Number of the same 64 bits in two's complement."""
    return number if number < _HALF else number - 2 * _HALF


def _bits(number: float) -> int:
    return struct.unpack("q", struct.pack("d", number))[0]


def _describe_array(numbers: np.ndarray) -> _Array:
    """Types and words of an array, known as long as it lives."""
    dtype, flags, identity = numbers.dtype, numbers.flags, id(numbers)
    if dtype not in _dtypes:
        fields = [(name, str(kind), at) for name, (kind, at, *_) in (dtype.fields or {}).items()]
        aligned = dtype.isalignedstruct
        _dtypes[dtype] = repr((fields, dtype.itemsize, aligned)) if fields else dtype.str
    layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
    marks = ("" if flags.writeable else "r") + ("" if flags.aligned else "u")
    types = f"{_dtypes[dtype]}{numbers.ndim}{layout}{marks}"
    words = (numbers.ctypes.data, *numbers.shape, *numbers.strides)
    reference = weakref.ref(numbers, lambda _: _arrays.pop(identity, None))
    known = _arrays[identity] = _Array(reference, types, words)
    return known
