"""Folders that are built once and kept: each appears complete, or not at all.

A build happens in a work folder beside its final place, and is renamed when it is complete. Of
several processes that want the same folder one builds it, and the others wait. Whatever is killed
leaves at most a work folder and a lock, which a later build removes.
"""

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..files import umask, unwritable, write_file
from ..progress import progress

WORK_PREFIX = ".knotwork-"
"""Start of the names of work folders and of locks."""

CONTENTS = "contents.json"
"""File in a kept folder that lists its files with their digests; its last one to be written."""

OLD_SECONDS = 60.0
"""Age from which what has no owner is removed; a new work folder has none for a moment."""


def kept_folder(
    folder: Path,
    build: Callable[[Path], None],
    works: Callable[[Path], bool] = lambda _: True,
) -> Path:
    """Folder that `build` fills, built before or now; one that is damaged is built again.

    Parameters
    ----------
    folder : Path
        Its final place; the name should encode all that the contents depend on.
    build : callable
        Fills a work folder, which it is given; what it leaves there is kept.
    works : callable
        Whether a folder whose files are all as they were built can be used.

    Raises
    ------
    ConfigurationError
        The folder cannot be created.
    """

    def is_good() -> bool:
        return is_complete(folder) and works(folder)

    if not is_good():
        with _locked(folder), work_folder(folder.parent) as work:
            if not is_good():  # nobody has built it meanwhile
                build(work)
                _seal(work)
                if not is_good():  # without locks another process may have been faster
                    _publish(work, folder)
    return folder


def is_complete(folder: Path) -> bool:
    """Whether all files of a kept folder are there, and are as they were built."""
    try:
        listed = json.loads((folder / CONTENTS).read_bytes())
        return all(_digest(folder / name) == digest for name, digest in listed.items())
    except (OSError, ValueError, AttributeError):
        return False


@contextmanager
def work_folder(parent: Path | None = None) -> Iterator[Path]:
    """Temporary folder, removed at the end; what killed processes left is removed first.

    Parameters
    ----------
    parent : Path, optional
        Folder in which it is built, with what is missing of its path; the system's folder for
        temporary files if not given.

    Raises
    ------
    ConfigurationError
        The folder cannot be created.
    """
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
        sweep(parent)
        folder = Path(tempfile.mkdtemp(prefix=WORK_PREFIX, dir=parent))
    except OSError as error:
        raise unwritable(parent, error) from None
    try:
        with _owned(folder):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep(parent: Path, *, older_than: float = OLD_SECONDS) -> None:
    """Remove the work folders and locks in `parent` whose processes are gone."""
    for path in parent.glob(f"{WORK_PREFIX}*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime >= older_than:
                with _owned(path, required=True) as handle:
                    if path.is_dir():
                        shutil.rmtree(path, ignore_errors=True)
                    elif _is_at(handle, path):
                        path.unlink()


@contextmanager
def _owned(path: Path, *, required: bool = False) -> Iterator[int]:
    """Handle that marks a path as this process's, until the context or the process ends.

    A file system that knows no locks on folders is no reason to refuse, unless `required`; nothing
    is then swept there.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if required:
                raise
        yield handle
    finally:
        os.close(handle)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock the place of a kept folder against other processes; it ends with this process."""
    path = folder.with_name(f"{WORK_PREFIX}{folder.name}.lock")
    with progress("waiting for another process that builds the same"):
        handle = _lock(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)  # who waits for this file sees that it is gone
        os.close(handle)


def _lock(path: Path) -> int:
    """Open handle of a locked file that is still the one at its path."""
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDONLY | os.O_CREAT, 0o666)
        except OSError as error:
            raise unwritable(path, error) from None
        try:
            with suppress(OSError):  # without locks both build, and the later one's is dropped
                fcntl.flock(handle, fcntl.LOCK_EX)
            if _is_at(handle, path):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _is_at(handle: int, path: Path) -> bool:
    """Whether an open file is still the one at its path; who has its lock may remove it."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _seal(work: Path) -> None:
    """List the files of a complete folder, for `is_complete`."""
    files = sorted(path for path in work.rglob("*") if path.is_file())
    listed = {str(path.relative_to(work)): _digest(path) for path in files}
    write_file(work / CONTENTS, json.dumps(listed, indent=1) + "\n")
    work.chmod(0o777 & ~umask())


def _publish(work: Path, folder: Path) -> None:
    """Rename a work folder to its final place, from which a damaged one is first removed."""
    with work_folder(folder.parent) as waste:
        with suppress(FileNotFoundError):
            folder.rename(waste / folder.name)
        try:
            work.rename(folder)
        except OSError as error:
            if not is_complete(folder):  # another one was faster by a moment
                raise unwritable(folder, error) from None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
