"""Output files that appear whole or not at all, and JSON files that users give."""

import contextlib
import errno
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import ConfigurationError
from .interrupts import shielded


def read_json(path: Path) -> Any:
    """What a JSON file holds.

    Raises
    ------
    ConfigurationError
        A file that cannot be read or is not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path}: must be a readable JSON file: {error}") from None


def write_whole(path: Path, content: str | bytes) -> None:
    """Write one file, whole or not at all, as `write_all` does."""
    write_all({Path(path): content})


def write_all(contents: Mapping[Path, str | bytes]) -> None:
    """Write files, each whole, or none of them; make the folders that are missing.

    Each content goes to a temporary file beside its path. When all are written they are renamed. A
    path that is a link stays one: its target is written. A device or a FIFO is written to.

    Parameters
    ----------
    contents : mapping of Path to str or bytes
        Content of each file; a file that exists is replaced. Text is written as UTF-8, with its
        line ends unchanged.

    Raises
    ------
    ConfigurationError
        A folder cannot be made or a file cannot be written; nothing is left behind.
    """
    temporaries: dict[Path, Path] = {}
    folders: list[Path] = []
    targets: dict[Path, str | bytes] = {}
    special: list[Path] = []
    path = Path()
    try:
        for path, content in contents.items():
            targets[_target(path)] = content
            if _is_special(path):
                special.append(path)
        for path, content in targets.items():
            if path in special:
                continue
            missing = [folder for folder in path.parents if not folder.exists()]
            folders += missing[::-1]
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            with shielded():
                handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
                temporaries[path] = Path(name)
            with os.fdopen(handle, "wb") as file:
                file.write(_bytes(content))
            temporaries[path].chmod(0o666 & ~umask())
        for path in special:  # what these take cannot be taken back
            with path.open("wb") as file:
                file.write(_bytes(targets[path]))
        with shielded():  # all files, or none
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


def _target(path: Path) -> Path:
    """Where a path leads, if it is a link to a file, or to none yet."""
    return path.resolve() if path.is_symlink() and not _is_special(path) else path


def _is_special(path: Path) -> bool:
    """Whether a path is a device, a FIFO or a socket, or leads to one, as ``/dev/stdout`` does."""
    return path.exists() and not (path.is_file() or path.is_dir())


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def unwritable(path: Path, error: OSError) -> ConfigurationError:
    """Error about an output path that cannot be written, with the system's reason."""
    reason = error.strerror or str(error)
    if isinstance(error, FileExistsError):  # `mkdir` found a file of that name
        reason = f"{path.parent} is not a folder"
    return ConfigurationError(f"{path}: the file must be writable: {reason}")


def umask() -> int:
    """Permissions that new files and folders of this process do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
