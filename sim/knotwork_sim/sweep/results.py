"""Results of a sweep on disk, one line per result, so that the same command can resume."""

import fcntl
import json
import os
import stat
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from knotwork.errors import ConfigurationError
from knotwork.files import read_bytes, unwritable

_HEAD = "knotwork_sweep"


class Results:
    """File of results: a line that names the sweep, then one per result, JSON with a checksum.

    Parameters
    ----------
    path : Path or None
        The file, made if it is missing; None keeps the results in memory only.
    digest : str
        Name of the sweep, which depends on everything that decides a number in it.

    Raises
    ------
    ConfigurationError
        The file holds another sweep or none, another command is writing it, or it cannot be read
        and written.
    """

    def __init__(self, path: Path | None, digest: str) -> None:
        self.path = path
        self._found: dict[str, Any] = {}
        self._file: int | None = None
        if path is not None:
            self._open(path, digest)

    def _open(self, path: Path, digest: str) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            if not stat.S_ISREG(os.fstat(self._file).st_mode):
                raise ConfigurationError(
                    f"{path}: the results must be in a regular file, which keeps its contents"
                )
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            content = read_bytes(path, "file of results")
        except BlockingIOError:
            self.close()
            raise ConfigurationError(
                f"{path}: the results must be written by one sweep at a time, not by two"
            ) from None
        except ConfigurationError:
            self.close()
            raise
        except OSError as error:
            self.close()
            raise unwritable(path, error) from None
        # A last line without an end was being written when the command was killed.
        whole = content[: content.rfind(b"\n") + 1]
        try:
            if not whole and not f'{{"{_HEAD}": "'.encode().startswith(content[: len(_HEAD) + 4]):
                raise ValueError("not the beginning of a header")
            head, *rows = [json.loads(line) for line in whole.splitlines()] or [None]
            named = None if head is None else head[_HEAD]
            for row in rows:
                if row["sum"] != _checksum(row["key"], row["result"]):
                    raise ValueError("a changed line")
            self._found = {row["key"]: row["result"] for row in rows}
        except (ValueError, KeyError, TypeError, RecursionError):
            self.close()
            raise ConfigurationError(
                f"{path}: the results must be those of a sweep; remove the file or name another"
            ) from None
        if named not in (None, digest):
            self.close()
            raise ConfigurationError(
                f"{path}: the results must be those of this sweep, not of another; remove the "
                f"file or name another with --results"
            )
        os.ftruncate(self._file, len(whole))
        if named is None:
            self._append({_HEAD: digest})

    def __contains__(self, key: str) -> bool:
        return key in self._found

    def items(self) -> Iterable[tuple[str, Any]]:
        """Results by their keys."""
        return self._found.items()

    def __len__(self) -> int:
        return len(self._found)

    def add(self, key: str, result: Any) -> None:
        """Keep a result, which must be plain data; it is on disk when this returns."""
        result = json.loads(json.dumps(result))  # as a resumed sweep will see it
        self._append({"key": key, "result": result, "sum": _checksum(key, result)})
        self._found[key] = result

    def _append(self, row: dict[str, Any]) -> None:
        if self._file is not None:
            os.write(self._file, json.dumps(row).encode() + b"\n")

    def close(self) -> None:
        """Release the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _checksum(key: Any, result: Any) -> int:
    """Checksum that shows whether a line was changed."""
    return zlib.crc32(json.dumps([key, result]).encode())
