"""Digest of the sources that decide what a compiled function does.

Numba's own cache keeps a compiled function until the function's own file changes. The function also
contains constants and other functions from the modules that its file imports, so the digest of all
those files decides whether it is still good.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ...files import sha256

PROJECT = "knotwork"
"""Start of the names of the project's packages; other imports are not followed."""

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<dots>\.*)(?P<module>[\w.]*)[ \t]+import[ \t]+"
    r"(?P<names>\([^)]*\)|[^\n]*)|import[ \t]+(?P<modules>[\w., \t]+))",
    re.MULTILINE,
)


@cache
def transitive_imports(path: Path) -> frozenset[Path]:
    """Files of a module and of all modules of the project that it imports, directly or not.

    A package that is only passed through on the way to a module does not count.
    """
    found: set[Path] = set()
    open_paths = [path]
    while open_paths:
        here = open_paths.pop()
        if here not in found:
            found.add(here)
            open_paths += _imported(here)
    return frozenset(found)


def digest(path: Path) -> str:
    """Digest of a module's file and of its transitive imports, in hexadecimal."""
    parts = sorted(_content_digest(found) for found in transitive_imports(path))
    return sha256("".join(parts).encode())


def function_digest(function: Callable[..., object]) -> str | None:
    """Digest of a function and of all that it reads and calls; None where that is not known.

    Its file may not decide what it does: another function may have made it, or a user at a prompt.
    """
    try:
        parts = list(_parts(function, set()))
    except _UnknownError:
        return None
    return sha256("\n".join(parts).encode())


class _UnknownError(Exception):
    """A value that may differ without a sign of it."""


def _parts(value: Any, known: set[int]) -> Iterator[str]:
    """Texts that differ where a function, or a value that it reads, does."""
    if id(value) in known:
        return
    if isinstance(value, FunctionType):
        known.add(id(value))
        if str(value.__module__).startswith(f"{PROJECT}."):
            yield f"{value.__qualname__} {digest(Path(value.__code__.co_filename))}"
            for cell in value.__closure__ or ():  # what its file does not decide
                yield from _parts(cell.cell_contents, known)
            return
        yield from _code_parts(value.__code__)
        cells = dict(zip(value.__code__.co_freevars, value.__closure__ or (), strict=True))
        read = {name: cell.cell_contents for name, cell in cells.items()}
        names = _names(value.__code__)
        read |= {name: value.__globals__[name] for name in names if name in value.__globals__}
        read |= (value.__kwdefaults__ or {}) | {"defaults": value.__defaults__}
        for name, each in sorted(read.items()):
            yield name
            yield from _parts(each, known)
    elif hasattr(value, "py_func"):  # compiled by Numba
        yield repr(sorted(value.targetoptions.items()))
        yield from _parts(value.py_func, known)
    elif isinstance(value, ModuleType) and value.__name__ in {"math", "numpy"}:
        yield f"{value.__name__} {getattr(value, '__version__', '')}"
    elif isinstance(value, tuple):
        yield f"{len(value)} members"
        for each in value:
            yield from _parts(each, known)
    elif value is None or type(value) in {bool, int, float, str, bytes}:
        yield repr(value)
    elif hasattr(value, "__array_interface__"):  # compiled code has its numbers as constants
        yield f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    else:
        raise _UnknownError


def _code_parts(code: CodeType) -> Iterator[str]:
    """Texts that differ where code does, but for its place in a file."""
    yield repr((code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_flags))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_parts(constant)
        else:
            yield repr(constant)


def _names(code: CodeType) -> Iterator[str]:
    """Names that code and the functions in it look up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


@cache
def _content_digest(path: Path) -> str:
    return sha256(path.read_bytes())


@cache
def _imported(path: Path) -> tuple[Path, ...]:
    """Files of the project's modules that a file names in its imports, wherever these stand."""
    package = _package_of(path)
    found = []
    for name in _imported_names(path.read_text(encoding="utf-8"), package):
        if name.startswith(PROJECT):
            file = _file_of(name)
            if file is not None:
                found.append(file)
    return tuple(found)


def _imported_names(source: str, package: list[str]) -> Iterator[str]:
    """Dotted names of what a source imports: modules, and their members, which may be modules."""
    for match in _IMPORT.finditer(source):
        dots, module, names, modules = match.group("dots", "module", "names", "modules")
        if modules is not None:
            yield from (name.split()[0] for name in modules.split(",") if name.strip())
            continue
        above = package[: len(package) - len(dots) + 1] if dots else []
        prefix = ".".join([*above, *([module] if module else [])])
        yield prefix
        for name in re.sub(r"#[^\n]*|[()]", "", names).split(","):
            if name.strip():
                yield f"{prefix}.{name.split()[0]}"


def _package_of(path: Path) -> list[str]:
    """Names of the package that a module's file is in, the outermost first."""
    names: list[str] = []
    folder = path.parent
    while (folder / "__init__.py").exists():
        names.insert(0, folder.name)
        folder = folder.parent
    return names


@cache
def _file_of(name: str) -> Path | None:
    """File of a module of the project; None where the name is no module."""
    top, *rest = name.split(".")
    spec = find_spec(top)
    if spec is None or spec.origin is None:
        return None
    place = Path(spec.origin).parent.joinpath(*rest)
    files = (place / "__init__.py", place.with_suffix(".py"))
    return next((file for file in files if file.exists()), None)
