"""Files: output that appears complete or not at all, input of limited size, and CSV tables."""

import contextlib
import csv
import errno
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import ConfigurationError
from .interrupts import shielded

AnyPath = str | os.PathLike[str]
"""A path as people give it."""

MOST_BYTES = 1 << 26
"""Bytes of a file that a user gives, at most: what is read of them takes twenty times as much."""
MOST_LINES = 1 << 22
"""Lines of a file that is read line by line, at most."""


def cache_folder() -> Path | None:
    """Folder in which this user's results may be kept; None where the system knows none."""
    try:
        default = Path.home() / ".cache"
    except RuntimeError:
        default = None
    base = os.environ.get("XDG_CACHE_HOME") or default
    kept = os.environ.get("KNOTWORK_CACHE") or (Path(base) / "knotwork" if base else None)
    return None if kept is None else Path(kept).absolute()


def sha256(content: bytes) -> str:
    """SHA-256 in hexadecimal; its library is loaded by the first call, as few verbs need it."""
    import hashlib

    return hashlib.sha256(content).hexdigest()


def as_path(given: object, what: str) -> Path:
    """Path that is given as text or as such: the first thing that a public function looks at.

    Parameters
    ----------
    given : str or PathLike
        Path.
    what : str
        What is there, for the error: ``a table``.

    Raises
    ------
    ConfigurationError
        Anything else.
    """
    text = os.fspath(given) if isinstance(given, str | os.PathLike) else None
    if not isinstance(text, str):
        raise ConfigurationError(f"the path of {what} must be a str or a PathLike, not {given!r}")
    return Path(text)


def read_bytes(path: AnyPath, what: str) -> bytes:
    """Content of a file that a user gives: the only way to open one.

    Parameters
    ----------
    path : str or PathLike
        File; a device or a FIFO too, which may never end.
    what : str
        What it must be, for the error: ``graph file``.

    Raises
    ------
    ConfigurationError
        A file that cannot be read or is too large.
    """
    content, path = bytearray(), as_path(path, f"a {what}")
    try:
        with path.open("rb", buffering=0) as file:
            while part := file.read(1 << 20):  # between two parts, a signal is heeded
                content += part
                if len(content) > MOST_BYTES:
                    raise ConfigurationError(
                        f"{path}: must be a {what} of at most {MOST_BYTES >> 20} MiB, not of more"
                    )
    except ConfigurationError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
        raise _unreadable(path, what, error) from None
    return bytes(content)


def read_text(path: AnyPath, what: str) -> str:
    """Text of a file in UTF-8 that a user gives; parameters as of `read_bytes`.

    Raises
    ------
    ConfigurationError
        A file that cannot be read, is too large, or is not in UTF-8.
    """
    content = read_bytes(path, what)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unreadable(path, what, error) from None


def read_lines(path: AnyPath, what: str) -> list[str]:
    """Lines of a file in UTF-8 that a user gives; parameters as of `read_bytes`.

    Raises
    ------
    ConfigurationError
        A file that `read_text` refuses, or one of too many lines.
    """
    lines = read_text(path, what).splitlines()
    if len(lines) > MOST_LINES:
        raise ConfigurationError(
            f"{path}: must be a {what} of at most {MOST_LINES} lines, not of {len(lines)}"
        )
    return lines


def read_json(path: AnyPath) -> Any:
    """What a JSON file holds.

    Raises
    ------
    ConfigurationError
        A file that cannot be read, is too large, or is not JSON.
    """
    text = read_text(path, what := "JSON file")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, what, error) from None


def _unreadable(path: AnyPath, what: str, error: Exception) -> ConfigurationError:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return ConfigurationError(f"{path}: must be a readable {what}: {reason}")


def write_file(path: AnyPath, content: str | bytes) -> None:
    """Write one file completely or not at all, as `write_files` does."""
    write_files({path: content})


def write_files(contents: Mapping[Path, str | bytes] | Mapping[AnyPath, str | bytes]) -> None:
    """Write all files completely, or none of them; create the folders that are missing.

    Each content goes to a temporary file beside its path. When all are written they are renamed. A
    path that is a link stays one: its target is written. A device or a FIFO is written to.

    Parameters
    ----------
    contents : mapping of str or PathLike to str or bytes
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
    path, paths = Path(), {as_path(path, "a file"): text for path, text in contents.items()}
    try:
        for path, content in paths.items():
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
                import tempfile  # takes longer than most of what the verbs import

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


SEPARATORS = (",", ";", "\t", " ")
"""What can separate fields, in the order in which it is looked for."""


def read_rows(path: Path) -> list[tuple[int, list[str]]]:
    """Line number and fields of each line that is not blank.

    What separates the fields of the first line separates those of all: commas, or else semicolons,
    tabs or spaces.

    Raises
    ------
    ConfigurationError
        A file that cannot be read.
    """
    lines = [line.strip(" ") for line in read_lines(path, "CSV file")]
    first = next(filter(None, lines), "")
    separator = next((sign for sign in SEPARATORS if sign in first), ",")
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    try:
        return [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise ConfigurationError(
            f"{path.name}: line {reader.line_num} must be the fields of a table: {error}"
        ) from None


def read_columns(
    path: Path, needed: Sequence[str], optional: Sequence[str] = ()
) -> tuple[list[int], dict[str, list[str]]]:
    """Line numbers, and all columns as text; blank lines are left out.

    The header names the columns in any order. A column that the file does not have is empty.

    Parameters
    ----------
    path : Path
        File.
    needed, optional : sequence of str
        Columns that it must have, and those that it may have.

    Raises
    ------
    ConfigurationError
        A file that cannot be read, or a line that has not as many fields as the first.
    """
    name, numbered = path.name, read_rows(path)
    if not numbered:
        raise ConfigurationError(
            f"{name}: line 1 must name the columns {','.join(needed)}, not be missing"
        )
    (first, header), *rest = numbered
    names = [field.strip().lower() for field in header]
    known = set(needed) | set(optional)
    if not set(needed) <= set(names) <= known or len(set(names)) < len(names):
        also = f", and may name {','.join(optional)}" if optional else ""
        raise ConfigurationError(
            f"{name}: line {first} must name the columns {','.join(needed)}{also}, not "
            f"{','.join(header)!r}"
        )
    for number, row in rest:
        if len(row) != len(names):
            raise ConfigurationError(
                f"{name}: line {number} must have {len(names)} fields, not {len(row)}"
            )
    by_name = dict(zip(names, zip(*(row for _, row in rest), strict=True), strict=False))
    empty = [""] * len(rest)
    columns = {column: list(by_name.get(column, empty)) for column in (*needed, *optional)}
    return [number for number, _ in rest], columns


def columns_text(columns: Mapping[str, Sequence[Any]]) -> str:
    """CSV file of these columns."""
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    return "\n".join([",".join(columns), *rows, ""])
