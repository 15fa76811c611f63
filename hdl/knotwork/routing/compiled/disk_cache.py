"""Compiled functions on disk, each used only if it is complete and its sources are unchanged.

Numba keeps a compiled function on disk until the function's own file changes. The function also
contains constants and other functions from the modules that its file imports, so the digest of all
those files decides whether it is still good.

Numba's own cache has an index per function beside the compiled code. Two processes that compile the
same function for different arguments may give both codes the same number; the index then names the
code of the other arguments. A truncated file ends every later run with a traceback. Here there is a
file per function and signature, with a digest of its content.
"""

import hashlib
import pickle
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numba
from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps

from ...errors import ConfigurationError
from ...files import write_file
from ...progress import progress

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
    return hashlib.sha256(b"".join(parts)).hexdigest()


@cache
def _content_digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


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


_DIGEST_BYTES = hashlib.sha256().digest_size


class CacheFiles:
    """Files of one function, in the place of Numba's index and data files.

    Parameters
    ----------
    folder : Path
        Folder of the files.
    base : str
        Start of their names.
    """

    def __init__(self, folder: Path, base: str) -> None:
        self._folder = folder
        self._base = base

    def _path(self, key: object) -> Path:
        name = hashlib.sha256(repr((numba.__version__, key)).encode()).hexdigest()
        return self._folder / f"{self._base}.{name[:32]}.nbc"

    def save(self, key: object, code: object) -> None:
        """Save the code for a key; where that fails, it will be compiled again."""
        content = dumps((numba.__version__, key, code))
        with suppress(ConfigurationError):
            write_file(self._path(key), hashlib.sha256(content).digest() + content)

    def load(self, key: object) -> object:
        """Code that was saved for a key; None where there is none that is complete."""
        try:
            stored = self._path(key).read_bytes()
        except OSError:
            return None
        digest, content = stored[:_DIGEST_BYTES], stored[_DIGEST_BYTES:]
        if hashlib.sha256(content).digest() != digest:
            return None
        version, of, code = pickle.loads(content)
        return code if (version, of) == (numba.__version__, key) else None

    def is_empty(self) -> bool:
        """Whether no code is saved, for any key."""
        return next(self._folder.glob(f"{self._base}.*.nbc"), None) is None

    def flush(self) -> None:
        """Remove all files of the function."""
        for path in self._folder.glob(f"{self._base}.*.nbc"):
            path.unlink(missing_ok=True)


class FunctionDiskCache(FunctionCache):
    """Numba's cache of a function, with `CacheFiles`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = CacheFiles(Path(self._cache_path), self._impl.filename_base)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save compiled code; a folder that cannot be written is no reason to fail."""
        with suppress(OSError):
            super().save_overload(sig, data)


def cache_on_disk(compiler: Any) -> None:
    """Save what a dispatcher or a C function compiles on disk, if there is a folder for it."""
    with suppress(RuntimeError):  # Numba finds no such folder
        compiler._cache = FunctionDiskCache(compiler.__wrapped__)


def is_cached(dispatcher: Any) -> bool:
    """Whether compiled code of a dispatcher is on disk, for some arguments."""
    cache = dispatcher._cache
    return isinstance(cache, FunctionDiskCache) and not cache._cache_file.is_empty()


class CompilationProgress(event.Listener):
    """Listener that shows as progress that Numba compiles; compilations are nested."""

    def __init__(self) -> None:
        self._depth = 0
        self._shown = ExitStack()

    def on_start(self, event: Any) -> None:
        """Show the outermost compilation that begins."""
        del event
        self._depth += 1
        if self._depth == 1:
            self._shown.enter_context(progress("compiling rules and models with Numba"))

    def on_end(self, event: Any) -> None:
        """Show it no more when it ends."""
        del event
        self._depth -= 1
        if self._depth == 0:
            self._shown.close()


event.register("numba:compile", CompilationProgress())
