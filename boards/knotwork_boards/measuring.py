"""What is measured of a network on a board: settings, traffic patterns and expected counts.

Pure Python, shared by the gateware of `selftest` and by whoever talks to a board.

Random words come from a linear-feedback shift register, many steps at a time. The bits of a
sequence obey s[n + 32] = s[n + 7] ^ s[n + 6] ^ s[n + 2] ^ s[n]. The low taps let hardware take 16
steps in a cycle with one look-up table per bit: a word is 16 new bits, lowest first. The period of
the bits is 2^32 - 1, and 16 has no factor in common with it, so that of the words is the same.

Every node has two such sequences: one decides when it creates a packet, the other where the packet
goes. The first state of each follows from the seed and a constant of the sequence.

References
----------
B. Schneier, "Applied Cryptography", 1996, table 16.2: x^32 + x^7 + x^6 + x^2 + 1 is primitive.
"""

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

COLLECTIVE_COUNTERS = ("answers", "wrong_answers")
"""Further counters in the line where groups have collectives, in their order there."""

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


STATE_WIDTH = 32
"""Bits of a register."""

TAPS = (0, 2, 6, 7)
"""Bits whose sum is the bit that follows the register's last."""

WORD_WIDTH = 16
"""Bits of a word, and steps from one to the next."""

CREATION, DESTINATION = 0, 1
"""Streams of a node."""

_GOLDEN = 0x9E3779B97F4A7C15


def salt(node: int, stream: int) -> int:
    """Constant of a node's stream that a seed is added to, bit by bit: 32 bits of SplitMix64."""
    mask = (1 << 64) - 1
    x = (2 * node + stream + 1) * _GOLDEN & mask
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ x >> shift) * factor & mask
    return (x ^ x >> 31) >> 32


def first_state(seed: int, node: int, stream: int) -> int:
    """First state of a register; its highest bit is set, so it is never 0."""
    return (seed ^ salt(node, stream)) | 1 << STATE_WIDTH - 1


def random_words(seed: int, nodes: int, stream: int, count: int) -> np.ndarray:
    """First words of a stream of every node, int64 of shape (nodes, count).

    The law of the bits, squared again and again, gives ever more of them at once: with
    s[n + 32 d] = s[n + 7 d] ^ s[n + 6 d] ^ s[n + 2 d] ^ s[n] for every d that is a power of two.
    """
    states = np.array([first_state(seed, node, stream) for node in range(nodes)], np.int64)
    total = max(count * WORD_WIDTH, STATE_WIDTH)
    bits = np.zeros((nodes, total), np.uint8)
    bits[:, :STATE_WIDTH] = states[:, None] >> np.arange(STATE_WIDTH) & 1
    known = STATE_WIDTH
    while known < total:
        spread = 1 << (known // STATE_WIDTH).bit_length() - 1
        back = STATE_WIDTH * spread
        new = min((STATE_WIDTH - max(TAPS)) * spread, total - known)
        start = known - back
        for tap in TAPS:
            first = start + tap * spread
            bits[:, known : known + new] ^= bits[:, first : first + new]
        known += new
    words = np.packbits(bits[:, : count * WORD_WIDTH], axis=1, bitorder="little")
    return words.reshape(nodes, count, 2).astype(np.int64) @ np.array([1, 256])


class DrawnPackets(NamedTuple):
    """Packets of a window, ordered by source and then by time.

    Members
    -------
    source, destination : ndarray
        Nodes, int64.
    time : ndarray
        Cycle in which the source creates each packet, from the window's start on, int64. It is
        offered to the network from then on, after those before it.
    """

    source: np.ndarray
    destination: np.ndarray
    time: np.ndarray


def draw_packets(topology: Topology, settings: Settings) -> DrawnPackets:
    """Packets that all nodes create in a window with these settings.

    Raises
    ------
    ConfigurationError
        A pattern that the network does not have.
    """
    to, nodes = destinations(topology, settings.pattern), topology.nodes
    words = random_words(settings.seed, nodes, CREATION, settings.span)
    source, time = np.nonzero(words < settings.threshold)
    if to is not None:
        return DrawnPackets(source, to[source], time)
    created = np.bincount(source, minlength=nodes)
    words = random_words(settings.seed, nodes, DESTINATION, int(created.max(initial=0)))
    number = np.arange(len(source)) - np.repeat(np.cumsum(created) - created, created)
    ranges = [topology.receivers(node) for node in range(nodes)]
    first = np.array([to.start for to in ranges])[source]
    size = np.array([choice_count(to, node) for node, to in enumerate(ranges)])[source]
    chosen = first + (words[source, number] * size >> WORD_WIDTH)
    skips = np.array([excludes_sender(to, node) for node, to in enumerate(ranges)])[source]
    return DrawnPackets(source, chosen + (skips & (chosen >= source)), time)


def excludes_sender(receivers: range, node: int) -> bool:
    """Whether a uniform destination is any receiver but the node itself."""
    return node in receivers and len(receivers) > 1


def choice_count(receivers: range, node: int) -> int:
    """Nodes among which a uniform destination is drawn."""
    return len(receivers) - excludes_sender(receivers, node)


MAX_QUEUE_DEPTH, MIN_QUEUE_DEPTH = 256, 16
"""Room of a source's queue of times of creation, at most and at least."""

PACE = 64
"""Cycles that each packet in a full queue may take before its latency exceeds the stamp's range."""


NOTICE_CYCLES = 6
"""Cycles after the first flit of a packet has entered the network in which its source notices."""


class Observed(NamedTuple):
    """What nodes observed of the packets of a window, in cycles from its start on.

    Members
    -------
    entered : ndarray
        Cycle in which the network took the first flit of each packet, int64.
    flit_cycle : ndarray
        Cycle in which a node took each flit that left the network, int64.
    ended : ndarray
        Cycle in which a node took the last flit of each packet, int64.
    """

    entered: np.ndarray
    flit_cycle: np.ndarray
    ended: np.ndarray


def stamp_width(data_width: int, address_width: int) -> int:
    """Bits of the time of creation in a packet's first flit, at most 16.

    Beside it are the address of the destination and the mark of a sample.
    """
    return min(16, data_width - address_width - 1)


def queue_depth(stamp: int) -> int:
    """Times of creation that a source keeps, where a packet carries `stamp` bits of one."""
    return min(MAX_QUEUE_DEPTH, max(MIN_QUEUE_DEPTH, (1 << stamp) // PACE))


def expected_measures(
    drawn: DrawnPackets, settings: Settings, observed: Observed, *, stamp: int, dropped: int = 0
) -> dict[str, int]:
    """Words of `settings.MEASURES` that a board must report.

    Parameters
    ----------
    drawn : DrawnPackets
        Packets of the window.
    settings : Settings
        Its settings.
    observed : Observed
        Outcome of a run of these packets, `drawn.time` being when they are offered.
    stamp : int
        `stamp_width` of the network. Minimum, maximum and histogram know no latency of 2^stamp
        cycles or more, and take it modulo that; the sum is exact.
    dropped : int
        Commands that were not understood.
    """
    measured = drawn.time >= settings.warmup
    timed = times_kept(drawn, observed.entered, queue_depth(stamp))
    sample = measured & timed
    latency = (observed.ended - drawn.time)[sample]
    stamped = latency & (1 << stamp) - 1
    level = np.minimum(np.frexp(stamped.astype(float))[1] - 1, BINS - 1)
    counts = np.bincount(np.maximum(level, 0), minlength=BINS)
    within = (observed.flit_cycle >= settings.warmup) & (observed.flit_cycle < settings.span)
    values = (
        *(dropped, int((measured & ~timed).sum()), int(within.sum()), len(latency)),
        *(int(stamped.min(initial=(1 << stamp) - 1)) if len(stamped) else 0, int(latency.sum())),
        int(stamped.max(initial=0)),
        *counts.tolist(),
    )
    return dict(zip(MEASURES, values, strict=True))


def times_kept(drawn: DrawnPackets, entered: np.ndarray, depth: int) -> np.ndarray:
    """Whether each packet's time of creation fitted into the queue of its source, bool.

    It does if fewer than `depth` packets with a time wait in the source, and none without.
    """
    kept = np.zeros(len(drawn.time), np.bool_)
    ends = np.flatnonzero(np.diff(drawn.source)) + 1
    for first, end in zip([0, *ends], [*ends, len(kept)], strict=True):
        gone = first  # packets that have entered the network
        last_without = -1
        for number in range(first, end):
            while gone < number and entered[gone] + NOTICE_CYCLES <= drawn.time[number]:
                gone += 1
            kept[number] = number - gone < depth and last_without < gone
            if not kept[number]:
                last_without = number
    return kept
