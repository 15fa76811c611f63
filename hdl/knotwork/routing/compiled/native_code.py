"""Machine code on disk, and how it is loaded: by LLVM alone, because Numba takes long to import.

There is a file per compiled function, types of its arguments, version of its sources and of the
compiler, and processor. A file that is not complete, or that another user could have written, is
not used.
"""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from inspect import getfile
from pathlib import Path
from typing import NamedTuple, Self

from ...errors import ConfigurationError
from ...files import cache_folder, sha256, write_file
from ...progress import report_unkept
from .source_digest import digest

KEPT_BYTES = 200_000_000
"""Size of the folder from which on the files that were used longest ago are removed."""

COMPILING = "compiling rules and models with Numba"
"""What progress says while something is compiled, and while Numba is imported for it."""
ADMINISTRATOR = 0
"""User whose files all users may run."""

_SUFFIX = ".native"
_DIGITS = 24  # of a digest in a name


class NativeCode(NamedTuple):
    """Machine code of a function, and of all that it calls.

    Members
    -------
    symbol : str
        Name of the function in `code`.
    externals : list of str
        Functions that it calls in the process: those of the C library, or of Numba's runtime.
    result : object
        What it returns, as `native_loop` reads it.
    code : bytes
        Object file.
    """

    symbol: str
    externals: list[str]
    result: object
    code: bytes


def class_name(kind: type) -> str:
    """Name of a named tuple's class, by which it is found again; empty for a plain tuple."""
    return "" if kind is tuple else f"{kind.__module__}:{kind.__qualname__}"


@cache
def compiler_version() -> str:
    """What decides the machine code beside the sources: compiler, format, and processor."""
    import llvmlite
    from llvmlite import binding

    spec = find_spec("numba")  # does not import it
    place = Path(spec.origin or "").parent if spec is not None else Path()
    numba = (place / "_version.py").read_text(encoding="utf-8") if spec is not None else ""
    names = ("NUMBA_OPT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_DISABLE_JIT")
    settings = [os.environ.get(name) for name in names]
    triple, cpu = binding.get_process_triple(), binding.get_host_cpu_name()
    features = binding.get_host_cpu_features().flatten()
    return repr((llvmlite.__version__, numba, settings, triple, cpu, features))


class CodeFiles:
    """Files of one function, one for each combination of argument types.

    Parameters
    ----------
    name : str
        Name of the function, for people.
    version : str
        All that decides what it does: sources and options.
    """

    def __init__(self, name: str, version: str) -> None:
        digest = sha256(f"{version} {compiler_version()}".encode())
        self._base = f"{name}-{digest[:_DIGITS]}"

    @classmethod
    def of(cls, function: Callable[..., object], options: str) -> Self | None:
        """Files of a function whose sources decide what it does; None where values do too."""
        if function.__closure__ is not None:
            return None
        version = f"{digest(Path(getfile(function)))} {options}"
        return cls(f"{function.__module__}.{function.__qualname__}", version)

    def _path(self, types: str) -> Path | None:
        folder = code_folder()
        digest = sha256(types.encode())
        return None if folder is None else folder / f"{self._base}.{digest[:_DIGITS]}{_SUFFIX}"

    def is_empty(self) -> bool:
        """Whether no code is kept, for any types."""
        folder = code_folder()
        return folder is None or next(folder.glob(f"{self._base}.*{_SUFFIX}"), None) is None

    def load(self, types: str) -> NativeCode | None:
        """Code that was saved for these types; None where there is none that can be used."""
        path = self._path(types)
        content = None if path is None else _read(path)
        if content is None:
            return None
        _, header, code = content.split(b"\n", 2)
        kept_types, symbol, externals, result = json.loads(header)
        return NativeCode(symbol, externals, result, code) if kept_types == types else None

    def save(self, types: str, native: NativeCode) -> None:
        """Save code; a failure is reported once, and the next process compiles again."""
        path = self._path(types)
        if path is None:
            return
        header = json.dumps([types, *native[:-1]]).encode()
        content = header + b"\n" + native.code
        from ...builds.cache import remove_oldest  # not needed where all code is kept already

        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_file(path, sha256(content).encode() + b"\n" + content)
            remove_oldest(path.parent, KEPT_BYTES)
        except (ConfigurationError, OSError) as error:
            report_unkept(str(error))


def code_folder() -> Path | None:
    """Folder of the files; None where this user has none."""
    folder = cache_folder()
    return None if folder is None else folder / "loops"


def _read(path: Path) -> bytes | None:
    """Content of a file that is complete and belongs to this user, or to the administrator."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_uid not in {os.geteuid(), ADMINISTRATOR}:
                report_unkept(f"{path}: the file must belong to this user")
                return None
            content = file.read()
    except OSError:
        return None
    digest, _, rest = content.partition(b"\n")
    if sha256(rest).encode() != digest:
        return None
    with suppress(OSError):
        os.utime(path)
    return content


_engines: list[object] = []  # code is valid only as long as its engine lives


def load(native: NativeCode) -> int | None:
    """Address of a function; None where what it calls is not there."""
    from llvmlite import binding

    if any(binding.address_of_symbol(name) is None for name in native.externals):
        from numba.core.registry import cpu_target

        cpu_target.target_context  # noqa: B018 # pyright: ignore[reportUnusedExpression]
        if any(binding.address_of_symbol(name) is None for name in native.externals):
            return None
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine()
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
    _engines.append(engine)  # one per file: files have functions of the same names
    engine.add_object_file(binding.ObjectFileRef.from_data(native.code))
    engine.finalize_object()
    return engine.get_function_address(native.symbol)
