"""Work that a command is about to do, and how much of it a user allows: time and memory."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from ..errors import ConfigurationError
from ..progress import duration

SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86400}
"""Units of time."""
BYTES = {"MB": 10**6, "GB": 10**9, "TB": 10**12}
"""Units of memory."""

DEFAULT_SECONDS = 600.0
"""Time that a command may take unless its user allows more."""

FEW_SECONDS = 5.0
"""Work of which nothing is said before it starts."""

_AMOUNT = re.compile(r"([0-9]+(?:[.][0-9]+)?) *([A-Za-z]+)")


class Work(NamedTuple):
    """Estimate of work before it starts.

    Members
    -------
    seconds : float
        Time on this machine.
    memory : float
        Bytes at most.
    """

    seconds: float
    memory: float = 0

    def then(self, other: "Work") -> "Work":
        """Both, one after the other."""
        return Work(self.seconds + other.seconds, max(self.memory, other.memory))

    def __str__(self) -> str:
        return f"{duration(self.seconds)} and {size(self.memory)}"


def size(memory: float) -> str:
    """Amount of memory: ``300 MB``, ``8.2 GB``."""
    unit = "TB" if memory >= 999.5e9 else "GB" if memory >= 999.5e6 else "MB"
    amount = memory / BYTES[unit]
    return f"{amount:,.1f} {unit}" if amount < 9.95 and unit != "MB" else f"{amount:,.0f} {unit}"


@dataclass(frozen=True)
class Limit:
    """Work that a user allows.

    Members
    -------
    seconds, memory : float
        Infinite where there is no limit.
    """

    seconds: float = DEFAULT_SECONDS
    memory: float = float("inf")

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Limit that a word names: ``2h``, ``16GB``, ``2h,16GB``, or ``none``.

        A time or a memory that is not named stays as it is by default.

        Raises
        ------
        ConfigurationError
            Any other word.
        """
        if text == "none":
            return cls(float("inf"), float("inf"))
        limits: dict[str, float] = {}
        for part in text.split(","):
            found = _AMOUNT.fullmatch(part.strip())
            amount, unit = (float(found[1]), found[2]) if found else (0.0, "")
            for name, units in (("seconds", SECONDS), ("memory", BYTES)):
                if unit in units and name not in limits and amount > 0:
                    limits[name] = amount * units[unit]
                    break
            else:
                raise ConfigurationError(
                    f"--limit must be a time in {_listed(SECONDS)}, a memory in {_listed(BYTES)}, "
                    f"both as in 2h,16GB, or none, not {text!r}"
                )
        return cls(**{"memory": usable_memory(), **limits})

    @classmethod
    def default(cls) -> Self:
        """Limit where the user names none: ten minutes, and the memory that is free."""
        return cls(memory=usable_memory())

    def require(self, what: str, work: Work) -> None:
        """Refuse work beyond the limit.

        Raises
        ------
        ConfigurationError
            Time or memory would be exceeded; it names the limit that allows the work.
        """
        short = []
        if work.seconds > self.seconds:
            short.append((duration(self.seconds), _ample(work.seconds, SECONDS)))
        if work.memory > self.memory:
            short.append((size(self.memory), _ample(work.memory, BYTES)))
        if short:
            allowed = " and ".join(limit for limit, _ in short)
            needed = ",".join(enough for _, enough in short)
            raise ConfigurationError(
                f"{what} must stay within {allowed}, but takes about {work}; "
                f"--limit {needed} allows it"
            )


def _listed(units: dict[str, int]) -> str:
    *names, last = units
    return f"{', '.join(names)} or {last}"


def _ample(amount: float, units: dict[str, int]) -> str:
    """Word of ``--limit`` that allows an amount, with a quarter to spare."""
    unit = max((name for name in units if amount >= units[name]), key=units.__getitem__, default="")
    unit = unit or min(units, key=units.__getitem__)
    return f"{-(-1.25 * amount // units[unit]):.0f}{unit}"


def usable_memory() -> int:
    """Bytes of memory that this machine, or the container with a limit, has left."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            free = int(line.split()[1]) * 1024
    limit, used = _lines("/sys/fs/cgroup/memory.max"), _lines("/sys/fs/cgroup/memory.current")
    if limit and used and limit[0].isdigit():
        free = min(free, int(limit[0]) - int(used[0]))
    return max(free, 0)


def _lines(path: str) -> list[str]:
    """Lines of a system file; none where the system does not have it."""
    try:
        return Path(path).read_text(encoding="ascii").splitlines()
    except OSError:
        return []
