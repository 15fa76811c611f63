"""Cache of this user: folders that are built once for all commands, and what they took.

A cache that cannot be used is reported in one line, and the work is done without it: what is built
then is removed when the process ends.
"""

import atexit
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..errors import ConfigurationError, ToolError
from ..files import cache_folder, write_file
from ..progress import report_unkept
from .folders import CONTENTS, WORK_PREFIX, kept_folder

KEPT_BYTES = 1_000_000_000
"""Size of a kind of folders from which on those that were used longest ago are removed."""
IN_USE_SECONDS = 600.0
"""Age of the last use up to which a folder is not removed."""
_NEEDED_BYTES = 100_000_000  # for a build; where less is free, a failure may have that reason

DURATIONS = "durations.json"
"""File in the cache with the durations of earlier work on this machine."""


def place(kind: str) -> Path:
    """Where folders of this kind are kept, or would be: in ``build`` where a user has no cache."""
    return (cache_folder() or Path("build").absolute()) / kind


_temporary: dict[tuple[Path, str], Path] = {}


def cached_folder(
    kind: str,
    name: str,
    build: Callable[[Path], None],
    works: Callable[[Path], bool] = lambda _: True,
) -> Path:
    """Folder that `build` fills, found in the cache or built now; it is marked as used.

    Parameters
    ----------
    kind : str
        Folder of the cache.
    name : str
        Its name there, which encodes all that the contents depend on.
    build, works : callable
        As of `kept_folder`.

    Raises
    ------
    ConfigurationError
        Neither the cache nor the folder for temporary files can be written.
    """
    parent = place(kind)
    known = _temporary.get((parent, name))
    if known is not None and works(known):
        return known
    reason, built = distrust(parent), False

    def build_now(folder: Path) -> None:
        nonlocal built
        build(folder)
        built = True

    if reason is None:
        try:
            folder = kept_folder(parent / name, build_now, works)
        except (ConfigurationError, OSError) as error:
            reason = str(error)
        except ToolError:
            if _is_spacious(parent):
                raise
            reason = f"{parent}: the file system must have space"
        else:
            with suppress(OSError):  # another user's, which may be read
                os.utime(folder / CONTENTS)
            if built:
                remove_oldest(parent)
            return folder
    report_unkept(reason)
    return _temporary_folder(parent, name, build, works)


def _temporary_folder(
    parent: Path, name: str, build: Callable[[Path], None], works: Callable[[Path], bool]
) -> Path:
    """Folder that goes with this process."""
    above = Path(tempfile.mkdtemp(prefix="knotwork-"))
    try:
        folder = kept_folder(above / name, build, works)
    except BaseException:
        with suppress(OSError):  # a log may stand there
            above.rmdir()
        raise
    atexit.register(shutil.rmtree, above, ignore_errors=True)
    _temporary[parent, name] = folder
    return folder


def distrust(parent: Path) -> str | None:
    """Why a folder is not to be trusted: another user could have put anything there."""
    try:
        if parent.stat().st_uid not in {os.geteuid(), 0}:
            return f"{parent}: the folder must belong to this user"
    except OSError:  # it is still to be made, or cannot be reached, which the build finds
        pass
    return None


def _is_spacious(parent: Path) -> bool:
    try:
        return shutil.disk_usage(parent).free >= _NEEDED_BYTES
    except OSError:
        return False


def remove_oldest(parent: Path, limit: int | None = None) -> None:
    """Remove the files and folders that were used longest ago, until all are within the limit."""
    limit = KEPT_BYTES if limit is None else limit
    found = []
    for path in parent.iterdir():
        if not path.name.startswith(WORK_PREFIX):
            with suppress(OSError):
                listed = path / CONTENTS
                used = listed if listed.exists() else path
                found.append((used.stat().st_mtime, _size(path), path))
    total = sum(size for _, size, _ in found)
    for used, size, path in sorted(found):
        if total <= limit or time.time() - used < IN_USE_SECONDS:
            return
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        total -= size


def _size(path: Path) -> int:
    return sum(each.lstat().st_size for each in (path, *path.rglob("*")))


def expected_seconds(work: str, amount: float = 1.0) -> float | None:
    """Seconds that so much work takes by what this machine did before; None if it did not."""
    rate = _durations().get(work)
    return None if rate is None else rate * amount


def note_seconds(work: str, seconds: float, amount: float = 1.0) -> None:
    """Note what so much work has taken, for later estimates; later work counts more."""
    folder = cache_folder()
    if folder is None or amount <= 0:
        return
    durations = _durations()
    rate = seconds / amount
    durations[work] = (durations.get(work, rate) + rate) / 2
    with suppress(ConfigurationError, OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_file(folder / DURATIONS, json.dumps(durations, indent=1, sort_keys=True) + "\n")


def _durations() -> dict[str, float]:
    """Seconds per unit of each work; nothing where the file is damaged."""
    folder = cache_folder()
    try:
        read = json.loads((folder / DURATIONS).read_bytes()) if folder else {}
        return {str(name): float(rate) for name, rate in read.items() if 0 < float(rate) < 1e6}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
