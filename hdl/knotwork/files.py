"""Output files that appear whole or not at all."""

import contextlib
import errno
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .errors import ConfigurationError


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all: `write_all` of one."""
    write_all({Path(path): content})


def write_all(contents: Mapping[Path, str | bytes]) -> None:
    """Write files, each whole, or none of them; their folders are made where they are missing.

    Each content goes to a temporary file beside its path; when all are there they take their names.

    Parameters
    ----------
    contents : mapping of Path to str or bytes
        All of each file, which is replaced where it exists; text is written as UTF-8, line ends as
        they are.

    Raises
    ------
    ConfigurationError
        A folder cannot be made or a file cannot be written; nothing is left behind.
    """
    temporaries: dict[Path, Path] = {}
    folders: list[Path] = []
    path = Path()
    try:
        for path, content in contents.items():
            missing = [folder for folder in path.parents if not folder.exists()]
            folders += missing[::-1]
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
            temporaries[path] = Path(name)
            with os.fdopen(handle, "wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
            temporaries[path].chmod(0o666 & ~_umask())
        for path, temporary in temporaries.items():
            temporary.replace(path)
        folders.clear()
    except OSError as error:
        raise unwritable(path, error) from None
    finally:  # after a failure or Ctrl-C; after the replacements there are none
        for temporary in temporaries.values():
            temporary.unlink(missing_ok=True)
        for folder in reversed(folders):
            with contextlib.suppress(OSError):
                folder.rmdir()


def unwritable(path: Path, error: OSError) -> ConfigurationError:
    """Refusal of an output path, with the system's reason."""
    reason = error.strerror or str(error)
    if isinstance(error, FileExistsError):  # what `mkdir` says of a file in the way
        reason = f"{path.parent} is no folder"
    return ConfigurationError(f"{path}: the file must be writable: {reason}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
