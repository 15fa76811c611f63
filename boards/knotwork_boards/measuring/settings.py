"""Settings of the measuring self-test, the commands that carry them to a board, and its line."""

from dataclasses import asdict, dataclass, fields
from typing import NamedTuple

from knotwork.errors import ConfigurationError

from .patterns import PATTERNS

SELF_TEST, MEASURE = 0, 1
"""Modes: every node sends to every node and all is checked, or latency and load are measured."""

RATE_ONE = 1 << 16
"""Rate at which a node offers a flit in every cycle."""

TIME_WIDTH = 20
"""Width of the lengths of warm-up and measured part, in cycles."""

SEED_WIDTH = 31
"""Width of a seed."""

LONGEST_MEASURED = 16
"""Flits of the longest packet that is measured in any network."""

BINS = 16
"""Bins of the histogram of latencies: bin k has 2^k up to below 2^(k+1) cycles.

The first has 0 cycles too, and the last everything above.
"""


class Field(NamedTuple):
    """Setting as a command carries it.

    Members
    -------
    letter : str
        First character of its command.
    least, most : int
        Range; a board may allow less (`length`, `pattern`).
    default : int
        Value after a reset.
    help : str
        What it is.
    """

    letter: str
    least: int
    most: int
    default: int
    help: str


SETTINGS: dict[str, Field] = {
    "mode": Field("m", SELF_TEST, MEASURE, SELF_TEST, "0 tests, 1 measures"),
    "rate": Field("r", 0, RATE_ONE, RATE_ONE // 10, "flits per node and cycle, in 1/65536"),
    "pattern": Field("p", 0, len(PATTERNS) - 1, 0, "number of the pattern"),
    "length": Field("l", 1, LONGEST_MEASURED, 1, "flits per packet"),
    "cycles": Field("w", 1, (1 << TIME_WIDTH) - 1, 10_000, "cycles that are measured"),
    "warmup": Field("u", 0, (1 << TIME_WIDTH) - 1, 1000, "cycles before"),
    "seed": Field("s", 0, (1 << SEED_WIDTH) - 1, 1, "of the random numbers"),
}
"""Settings by name."""

GO, HALT, CLEAR, TABLE = "g", "h", "c", "t"
"""Commands that are no settings: windows run; they halt; window number and verdict begin anew; the
next word of a table, or without a word its end."""

LETTERS = (*(field.letter for field in SETTINGS.values()), GO, HALT, CLEAR, TABLE)
"""First characters of all commands."""

COUNTERS = ("sent", "received", "lost", "duplicated", "corrupted", "misrouted", "refused")
"""Counters of packets in the line of every window, in their order there."""

REPORTED_SETTINGS = ("mode", "rate", "pattern", "length", "seed", "cycles")
"""Settings in the line, after the number of the window, in their order there."""

MEASURES = (
    *("dropped", "overrun", "flits", "samples"),
    *("latency_min", "latency_sum", "latency_max"),
    *(f"h{k}" for k in range(BINS)),
)
"""What is measured, in the line after the counters, in its order there.

`dropped` counts commands that were not understood. `overrun` counts packets created in the measured
part whose time of creation had no room in the source's queue: they are sent, but are no samples.
`samples` counts the others. `flits` counts those that left the network in the measured part.
"""

LINE_WORDS = ("window", *REPORTED_SETTINGS, *COUNTERS, *MEASURES)
"""Words of the line of a board that measures, ``name=value``, between its name and its verdict."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of a window.

    Parameters
    ----------
    mode, rate, pattern, length, cycles, warmup, seed : int
        See `SETTINGS`.

    Raises
    ------
    ConfigurationError
        A value out of range.
    """

    mode: int = SETTINGS["mode"].default
    rate: int = SETTINGS["rate"].default
    pattern: int = SETTINGS["pattern"].default
    length: int = SETTINGS["length"].default
    cycles: int = SETTINGS["cycles"].default
    warmup: int = SETTINGS["warmup"].default
    seed: int = SETTINGS["seed"].default

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            field = SETTINGS[name]
            if not field.least <= value <= field.most:
                raise ConfigurationError(
                    f"self-test: {name} must be an integer in {field.least}..{field.most}, "
                    f"not {value}"
                )

    @property
    def commands(self) -> bytes:
        """Commands that set everything, one per line."""
        return b"".join(
            command(SETTINGS[field.name].letter, getattr(self, field.name))
            for field in fields(self)
        )

    @property
    def reported(self) -> dict[str, int]:
        """Words of the line that repeat the settings."""
        return {name: getattr(self, name) for name in REPORTED_SETTINGS}

    @property
    def threshold(self) -> int:
        """A node creates a packet in a cycle whose random word is below this: 0..65536.

        It is the rate over the length, rounded up.
        """
        return -(-self.rate // self.length)

    @property
    def span(self) -> int:
        """Cycles in which nodes create packets: the warm-up and the measured part."""
        return self.warmup + self.cycles


def command(letter: str, value: int | None = None) -> bytes:
    r"""Command as it is sent: a letter, hexadecimal digits if any, and ``\n``.

    Raises
    ------
    ConfigurationError
        A letter that begins no command, or a value of more than 32 bits.
    """
    if letter not in LETTERS:
        raise ConfigurationError(
            f"self-test: a command must begin with one of {', '.join(LETTERS)}, not {letter!r}"
        )
    if value is not None and not 0 <= value < 1 << 32:
        raise ConfigurationError(
            f"self-test: the value of a command must be in 0..{(1 << 32) - 1}, not {value}"
        )
    return f"{letter}{'' if value is None else format(value, 'x')}\n".encode("ascii")
