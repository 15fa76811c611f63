"""Numba, as it compiles loops and rules to machine code that is called without it.

Only what compiles imports this module.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from zlib import crc32

from llvmlite import ir
from numba import njit, typeof
from numba import types as numba_types
from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.imputils import lower_getattr_generic
from numba.core.registry import cpu_target as numba_target
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, models, register_jitable, register_model
from numba.np import arrayobj as numba_arrays
from numba.np.arrayobj import populate_array

from .compilable import register_marked
from .native_code import NativeCode, class_name

_WORD = ir.IntType(64)
_WITHOUT_WRAPPERS: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_OWN_OPTIONS = {"forceinline", "wraparound"}  # of a loop, and not of what Numba compiles

types: Any = numba_types  # type checkers do not know their members
cpu_target: Any = numba_target

_dispatchers: list[Any] = []  # Numba's types of functions refer to them weakly

register_marked(register_jitable)


def compile_function(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Numba's type of a function that only compiled code calls."""
    options = {name: value for name, value in options.items() if name != "wraparound"}
    dispatcher: Any = njit(**options, **_WITHOUT_WRAPPERS)(function)
    _dispatchers.append(dispatcher)
    return dispatcher._numba_type_


def make_intrinsic(define: Callable[..., Any]) -> Any:
    """Numba's type of a function whose code `define` writes."""
    made: Any = intrinsic(define)
    cpu_target.typing_context.refresh()
    return cpu_target.typing_context.resolve_value_type(made)


def compile_entry(loop: Any, options: dict[str, Any], arguments: tuple[Any, ...]) -> NativeCode:
    """Machine code of a loop for the types of these arguments, called with a block of words."""
    load, store = _load_arguments(tuple(map(_argument, map(typeof, arguments)))), _StoreResult()
    write = store.intrinsic

    def entry(block):
        write(block, loop(*load(block)))

    entry.__name__ = entry.__qualname__ = f"enter_{loop.__name__}"
    kept = {name: value for name, value in options.items() if name not in _OWN_OPTIONS}
    with _only_outermost_code(), _wraparound(options.get("wraparound", True)):
        dispatcher: Any = njit(types.void(types.int64), **kept, **_WITHOUT_WRAPPERS)(entry)
        return _native(dispatcher, store.result)


def compile_rule(rule: Callable[..., Any], signature: Any) -> NativeCode:
    """Machine code of a rule, which compiled code calls as Numba calls its own functions."""
    with _only_outermost_code():
        dispatcher: Any = njit(signature, **_WITHOUT_WRAPPERS)(rule)
        return _native(dispatcher, None)


def _native(dispatcher: Any, result: object) -> NativeCode:
    """Machine code of what `_only_outermost_code` has compiled as far as LLVM's language."""
    (compiled,) = dispatcher.overloads.values()
    library = compiled.library
    _optimise(library)
    module = library._final_module
    module.verify()
    library._verify_declare_only_symbols()
    called = [*module.functions, *module.global_variables]
    externals = [one.name for one in called if one.is_declaration and one.name[:5] != "llvm."]
    code = library._codegen._tm.emit_object(module)
    return NativeCode(compiled.fndesc.llvm_func_name, externals, result, code)


_optimise: Any = CPUCodeLibrary._optimize_final_module
_finalise: Any = CPUCodeLibrary._finalize_final_module
_set_environment: Any = JITCPUCodegen.set_env
_fix_index: Any = numba_arrays.fix_integer_index
_ARRAYS: Any = numba_arrays
_LIBRARY: Any = CPUCodeLibrary
_CODEGEN: Any = JITCPUCodegen


@contextmanager
def _only_outermost_code() -> Iterator[None]:
    """Context in which Numba optimises nothing fully, and writes machine code of nothing.

    It would do both for each part of a loop, before the part is inlined into the next one: a third
    of the time. What Python can call, as a user's own function that a rule calls, is finished all
    the same. Python's search for reference cycles takes as long as a sixth, and finds nothing.
    """

    def optimise(library: Any) -> None:
        if _has_wrapper(library):
            _optimise(library)
            return
        codegen = library._codegen  # cheaply: it is linked into each of its callers
        options = {"loop_vectorize": False, "slp_vectorize": False, "opt": 0, "cost": "cheap"}
        passes, builder = codegen._module_pass_manager(**options)
        passes.run(library._final_module, builder)

    def finalise(library: Any) -> None:
        if _has_wrapper(library):
            _finalise(library)
            return
        library._finalize_dynamic_globals()
        library._finalized = True

    def set_environment(codegen: Any, name: str, environment: Any) -> None:
        if codegen._engine.is_symbol_defined(name):
            _set_environment(codegen, name, environment)

    collects = gc.isenabled()
    with global_compiler_lock:
        gc.disable()
        _LIBRARY._optimize_final_module = optimise
        _LIBRARY._finalize_final_module = finalise
        _CODEGEN.set_env = set_environment
        try:
            yield
        finally:
            _LIBRARY._optimize_final_module = _optimise
            _LIBRARY._finalize_final_module = _finalise
            _CODEGEN.set_env = _set_environment
            if collects:
                gc.enable()


@contextmanager
def _wraparound(counts: bool) -> Iterator[None]:
    """Context in which a negative index counts from the end, as in Python, or may not occur.

    To look at the sign of each index takes a fifth of the golden model's time.
    """

    def fix(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        del size
        return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)

    if not counts:
        _ARRAYS.fix_integer_index = fix
    try:
        yield
    finally:
        _ARRAYS.fix_integer_index = _fix_index


def _has_wrapper(library: Any) -> bool:
    """Whether Python can call a function of a library."""
    functions = library._final_module.functions
    return any(each.name.startswith("_ZN7cpython") for each in functions)


class _View(types.Type):
    """Named tuple with arrays, as compiled code has it: the place of its words in a block.

    Passed by value, each part of a loop would get some hundred words, and half the time of
    compiling would go into that.
    """

    def __init__(self, kind: Any) -> None:
        self.kind, self.members = kind, {}
        place = 0
        for name, member in zip(kind.fields, kind.types, strict=True):
            self.members[name] = place, _argument(member)
            place += _word_count(member)
        super().__init__(name=f"{kind.instance_class.__name__}_{crc32(kind.name.encode()):08x}")

    @property
    def key(self) -> Any:
        """What it is equal by: its name is short, because names of functions contain it."""
        return self.kind


@register_model(_View)
class _ViewModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _WORD.as_pointer())


@infer_getattr
class _ViewMembers(AttributeTemplate):
    key = _View

    def generic_resolve(self, value: Any, attr: str) -> Any:
        """Type of a member."""
        return value.members[attr][1] if attr in value.members else None


@lower_getattr_generic(_View)
def _member(context: Any, builder: Any, view: Any, value: Any, name: str) -> Any:
    """Code that reads a member."""
    place, kind = view.members[name]
    return _load(context, builder, _Words(builder, value, place), kind)


def _argument(kind: Any) -> Any:
    """Type of an argument or a member in compiled code."""
    is_view = isinstance(kind, types.BaseNamedTuple) and _has_array(kind)
    return _View(kind) if is_view else kind


def _has_array(kind: Any) -> bool:
    if isinstance(kind, types.BaseTuple):
        return any(map(_has_array, kind.types))
    return isinstance(kind, types.Array)


def _word_count(kind: Any) -> int:
    """Words of a value in a block."""
    if isinstance(kind, types.BaseTuple):
        return sum(map(_word_count, kind.types))
    return 1 + 2 * kind.ndim if isinstance(kind, types.Array) else 1


class _Words:
    """Words of a block, one after the other, which stay the same while the loop runs."""

    def __init__(self, builder: Any, start: Any, place: int = 0) -> None:
        self._builder, self._start, self._place = builder, start, place

    def pointer(self, count: int = 1) -> Any:
        """Pointer to the next words."""
        self._place += count
        return self._builder.gep(self._start, [ir.Constant(_WORD, self._place - count)])

    def load(self) -> Any:
        """Next word."""
        word = self._builder.load(self.pointer())
        word.set_metadata("invariant.load", self._builder.module.add_metadata([]))
        return word


def _load_arguments(kinds: tuple[Any, ...]) -> Any:
    """Function that makes arguments of these types from a block."""

    @intrinsic
    def load(typing: Any, block: Any) -> Any:
        del typing, block

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            words = _Words(builder, builder.inttoptr(values[0], _WORD.as_pointer()))
            return _load(context, builder, words, signature.return_type)

        return types.Tuple(kinds)(types.int64), generate

    return load


def _load(context: Any, builder: Any, words: _Words, kind: Any) -> Any:
    """Code of a value from the next words."""
    if isinstance(kind, types.BaseTuple):
        members = [_load(context, builder, words, each) for each in kind.types]
        return context.make_tuple(builder, kind, members)
    if isinstance(kind, _View):
        return words.pointer(_word_count(kind.kind))
    word = words.load()
    if isinstance(kind, types.Array):
        array, entry = context.make_array(kind)(context, builder), context.get_data_type(kind.dtype)
        shape = [words.load() for _ in range(kind.ndim)]
        strides = [words.load() for _ in range(kind.ndim)]
        size = context.get_constant(types.intp, context.get_abi_sizeof(entry))
        data = builder.inttoptr(word, entry.as_pointer())
        populate_array(array, data, shape, strides, size, None)
        return array._getvalue()
    if isinstance(kind, types.Float):
        number = builder.bitcast(word, ir.DoubleType())
        return context.cast(builder, number, types.float64, kind)
    return context.cast(builder, word, types.int64, kind)


class _StoreResult:
    """Function that writes what a loop returns into a block.

    Members
    -------
    result : object
        What it is, as `native_loop` reads it; known when it has been compiled.
    """

    result: object = None

    @property
    def intrinsic(self) -> Any:
        """The function."""

        @intrinsic
        def store(typing: Any, block: Any, value: Any) -> Any:
            del typing, block
            self.result = _result(value)

            def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
                words = _Words(builder, builder.inttoptr(values[0], _WORD.as_pointer()))
                _store(context, builder, words, signature.args[1], values[1])
                return context.get_dummy_value()

            return types.void(types.int64, value), generate

        return store


def _result(kind: Any) -> object:
    """What a type of Numba's is, as `native_loop` reads it."""
    if isinstance(kind, types.BaseTuple):
        named = getattr(kind, "instance_class", tuple)
        return [class_name(named), *map(_result, kind.types)]
    if isinstance(kind, types.NoneType):
        return None
    if isinstance(kind, types.Boolean):
        return "b"
    if isinstance(kind, types.Integer):
        return "i" if kind.signed else "u"
    if isinstance(kind, types.Float):
        return "f"
    raise TypeError(f"a compiled loop must return numbers, not {kind}")


def _store(context: Any, builder: Any, words: _Words, kind: Any, value: Any) -> None:
    """Code that writes a value into the next words."""
    if isinstance(kind, types.BaseTuple):
        for place, each in enumerate(kind.types):
            _store(context, builder, words, each, builder.extract_value(value, place))
    elif isinstance(kind, types.Float):
        number = context.cast(builder, value, kind, types.float64)
        builder.store(builder.bitcast(number, _WORD), words.pointer())
    elif not isinstance(kind, types.NoneType):
        builder.store(context.cast(builder, value, kind, types.int64), words.pointer())
