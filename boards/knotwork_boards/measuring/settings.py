"""Settings of the measuring self-test: patterns, commands to a board, and words of its line."""

from dataclasses import asdict, dataclass, fields
from typing import NamedTuple

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.routing.scheduling.messages import named_permutation
from knotwork.topology import Topology

PATTERNS = (
    *("uniform", "successor", "complement"),
    *("reversal", "transpose", "shuffle", "bit_rotation"),
)
"""Patterns by their number in a command.

`uniform` draws any other node (of two sides, any node of the other). All others are permutations:
`successor` goes to the node of the next index, and around the end; the others are those of the
traffic of `knotwork simulate` with the same names.
"""

UNIFORM = PATTERNS.index("uniform")
"""Number of the pattern whose destinations are drawn."""


def destinations(topology: Topology, pattern: int) -> np.ndarray | None:
    """Destination of each node under a pattern, int64; None under `UNIFORM`.

    Raises
    ------
    ConfigurationError
        A pattern that is none of the network's.
    """
    found = _destinations(topology, pattern) if 0 <= pattern < len(PATTERNS) else None
    if found is None and pattern != UNIFORM:
        names = ", ".join(
            f"{number} ({PATTERNS[number]})" for number in available_patterns(topology)
        )
        raise ConfigurationError(
            f"{topology.instance_name}: pattern must be one of {names}, not {pattern}"
        )
    return found


def available_patterns(topology: Topology) -> tuple[int, ...]:
    """Numbers of the patterns that a network has: some need a power of two nodes."""
    others = range(len(PATTERNS))
    return tuple(
        number
        for number in others
        if number == UNIFORM or _destinations(topology, number) is not None
    )


def _destinations(topology: Topology, pattern: int) -> np.ndarray | None:
    """Destination of each node under a permutation that the network can send; None otherwise.

    Where nodes send within a side only, as streams of a class do, each side has its permutation.
    """
    name, nodes = PATTERNS[pattern], topology.nodes
    if pattern == UNIFORM:
        return None
    sides = topology.sides if 0 in topology.receivers(0) else (range(nodes),)
    size = len(sides[0])
    if name == "successor":
        to = (np.arange(size) + 1) % size
    else:
        try:
            to = named_permutation(
                size, name, np.random.default_rng(0), owner=topology.instance_name
            )
        except ConfigurationError:
            return None
    to = np.concatenate([to + side.start for side in sides])
    allowed = all(topology.may_send(node, to[node : node + 1]).all() for node in range(nodes))
    return to.astype(np.int64) if allowed else None


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
"""Commands that are no settings: windows run; they halt; window number and verdict restart; the
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
part whose time of creation did not fit into the source's queue: they are sent, but are no samples.
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
