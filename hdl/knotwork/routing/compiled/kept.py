"""Compiled functions on disk: a file per function and signature, which is used only when whole.

Numba's own cache has an index per function beside the compiled code. Two processes that compile the
same function for different arguments may give both codes the same number; the index then names the
code of the other arguments. A file that is truncated ends every later run with a traceback.
"""

import hashlib
import pickle
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import numba
from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps

from ...errors import ConfigurationError
from ...files import write_file
from ...progress import progress

_DIGEST_BYTES = hashlib.sha256().digest_size


class KeptFiles:
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
        """Keep the code for a key; where it cannot be kept, it will be compiled again."""
        content = dumps((numba.__version__, key, code))
        with suppress(ConfigurationError):
            write_file(self._path(key), hashlib.sha256(content).digest() + content)

    def load(self, key: object) -> object:
        """Code that was kept for a key; None where there is none that is whole."""
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
        """Whether no code is kept, for any key."""
        return next(self._folder.glob(f"{self._base}.*.nbc"), None) is None

    def flush(self) -> None:
        """Remove all files of the function."""
        for path in self._folder.glob(f"{self._base}.*.nbc"):
            path.unlink(missing_ok=True)


class KeptFunction(FunctionCache):
    """Numba's cache of a function, with `KeptFiles`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = KeptFiles(Path(self._cache_path), self._impl.filename_base)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code; a folder that cannot be written is no reason to fail."""
        with suppress(OSError):
            super().save_overload(sig, data)


def keep(compiler: Any) -> None:
    """Keep what a dispatcher or a C function compiles on disk, if there is a folder for it."""
    with suppress(RuntimeError):  # Numba finds no such folder
        compiler._cache = KeptFunction(compiler.__wrapped__)


def is_kept(dispatcher: Any) -> bool:
    """Whether compiled code of a dispatcher is on disk, for some arguments."""
    cache = dispatcher._cache
    return isinstance(cache, KeptFunction) and not cache._cache_file.is_empty()


class Teller(event.Listener):
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


event.register("numba:compile", Teller())
