"""Keys of a simulation's traffic; one seed decides every number that is drawn."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from knotwork.errors import ConfigurationError
from knotwork.parameters import (
    Choice,
    FromFile,
    Integer,
    Mix,
    Parameters,
    Real,
    Reals,
    Span,
    Text,
    parameter,
    parse_words,
    shares,
)

if TYPE_CHECKING:
    from .files import PacketList, RateMatrix

_FILES = "knotwork_sim.traffic.files"

PATTERNS = (
    "uniform",
    "complement",
    "transpose",
    "reversal",
    "shuffle",
    "neighbour",
    "hotspot",
    "tornado",
    "bit_rotation",
    "permutation",
    "matrix",
    "replay",
)
"""Patterns, by the name that users write."""

COMPANIONS = ("permutation", "matrix", "replay")
"""Patterns that need the key of the same name, which goes with no other."""

STANDALONE = tuple(pattern for pattern in PATTERNS if pattern not in COMPANIONS)
"""Patterns that need no other key."""

COLLECTIVES = (
    *("barrier", "all_reduce", "reduce", "gather"),
    *("broadcast", "multicast", "scatter"),
)
"""Traffic that groups of nodes have on trees of their own, by the name that users write."""

PAUSES = ("steady", "changing")


class _Facts:
    """What follows from the keys of traffic."""

    traffic: str
    permutation: str | None
    replay: "PacketList | None"
    rate: float | None
    class_rates: tuple[float, ...] | None
    burst: float | None
    packets: int | None

    def spelled(self, key: str) -> str:
        """Value of a key as a user writes it."""
        value = getattr(self, key)
        if key == "class_rates":
            return ",".join(map(str, value))
        ends = value if isinstance(value, tuple) else (value,)
        return "-".join(map(str, dict.fromkeys(ends)))

    @property
    def parts(self) -> tuple[tuple[str, float], ...]:
        """Patterns and their shares, which add up to 1."""
        parts = shares(self.traffic)
        total = sum(share for _, share in parts)
        return tuple((pattern, share / total) for pattern, share in parts)

    @property
    def is_collective(self) -> bool:
        """Whether groups of nodes have it on trees of their own, without packets."""
        return self.parts[0][0] in COLLECTIVES

    def require_packets(self) -> None:
        """Refuse traffic without packets.

        Raises
        ------
        ConfigurationError
            Collectives.
        """
        if self.is_collective:
            raise ConfigurationError(
                f"traffic: a pattern of packets must be one of {', '.join(PATTERNS)}, not "
                f"{self.traffic}, which only simulate runs"
            )

    @property
    def is_permutation(self) -> bool:
        """Whether all packets follow the key `permutation`."""
        return self.permutation is not None and len(self.parts) == 1

    @property
    def is_timed(self) -> bool:
        """Whether a key says when nodes create their packets."""
        return any(key is not None for key in (self.rate, self.class_rates, self.burst))

    @property
    def mean_rate(self) -> float:
        """Flits that a node offers per cycle, where no pattern says otherwise."""
        if self.rate is None and self.class_rates is not None:
            return sum(self.class_rates) / len(self.class_rates)
        return self.rate or 0.1

    def has(self, pattern: str) -> bool:
        """Whether some packets follow a pattern."""
        return any(pattern == part for part, _ in self.parts)

    def packet_count(self, nodes: int) -> int:
        """Packets of a simulation of so many nodes, without replies."""
        return len(self.replay or ()) or self.packets or (nodes if self.is_permutation else 1000)


@dataclass(frozen=True, kw_only=True)
class Traffic(_Facts, Parameters):
    """Traffic of a simulation.

    Parameters
    ----------
    traffic : str
        Pattern. ``uniform``: any other node. ``complement``: i to N-1-i. ``transpose``,
        ``reversal``, ``shuffle``: the index's b bits rotated by floor(b/2), reversed, rotated by
        one (N = 2^b only). ``neighbour``: any adjacent router. ``hotspot``: a quarter to node 0,
        the rest uniform. ``tornado``: in every dimension of size k, ceil(k / 2) - 1 positions
        further. ``bit_rotation``: the index rotated by one the other way. ``permutation``,
        ``matrix``, ``replay``: what that key says. Or several, ``uniform:0.7,hotspot:0.3``. Or
        collectives: each of `COLLECTIVES`, or several with shares.
    permutation : str or None
        Destinations separated by commas, or the name of a fixed pattern, ``identity`` or
        ``random``.
    matrix : RateMatrix or None
        Relative rates between all pairs of nodes; also whatever `RateMatrix.of` takes.
    replay : PacketList or None
        Packets one by one; also whatever `PacketList.of` takes.
    rate : float or None
        Flits that a node offers per cycle, on average; 0.1 if unnamed (1 for ``permutation``).
    class_rates : tuple of float or None
        Rate of each class of traffic at every node, class 0 first; with `rate` only the ratios
        count, and its value is their mean.
    burst : float or None
        Mean cycles of a burst; packets come at any time if unnamed. Pauses between bursts keep the
        mean at `rate`. Both have geometric lengths.
    burst_rate : float
        Flits per cycle that a node offers in a burst, on average.
    packets : int or None
        Packets of the whole network; 1000 if unnamed (N for ``permutation``).
    length : (int, int) or None
        Flits of data per packet, or beats of a collective's vectors, drawn evenly from this range;
        1 if unnamed, or as many as the network's packets must have.
    collective_count : int or None
        Collectives of each group; 20 if unnamed.
    multicast_share : float
        Probability that a packet is a multicast, to random nodes.
    broadcast_share : float
        Probability that a packet is a broadcast.
    reply : (int, int) or None
        Flits of the reply to every packet, drawn evenly from this range; none if unnamed.
    service : (int, int) or None
        Cycles from a packet's last flit to its reply, drawn evenly from this range; 0 if unnamed.
    members : (int, int) or None
        Destinations of a multicast, drawn evenly from this range; 1 to as many as a chain can have
        if unnamed.
    bubble : float
        Probability that a node with a beat to send pauses in a cycle.
    stall : float
        Probability that a node does not take a beat in a cycle.
    pauses : str
        ``changing``: the probabilities `bubble` and `stall`, where they are not 0, are drawn anew
        from 0..1 for every node every 64 cycles.
    seed : int
        Decides every number drawn.
    """

    name: ClassVar[str] = "traffic"

    traffic: str = parameter(
        Mix((*PATTERNS, *COLLECTIVES)), help="traffic pattern", default="uniform"
    )
    permutation: str | None = parameter(
        Text("a name or destinations a,b,..."),
        help="destinations for traffic=permutation",
        default=None,
    )
    matrix: "RateMatrix | None" = parameter(  # noqa: RUF009 - as every field
        FromFile("a file of N x N rates", f"{_FILES}:RateMatrix"),
        help="rates for traffic=matrix",
        default=None,
        silent=True,
    )
    replay: "PacketList | None" = parameter(  # noqa: RUF009 - as every field
        FromFile("a CSV file of packets", f"{_FILES}:PacketList"),
        help="packets for traffic=replay",
        default=None,
        silent=True,
    )
    rate: float | None = parameter(
        Real(0.0001, 1.0), help="offered flits per node per cycle (default 0.1)", default=None
    )
    class_rates: tuple[float, ...] | None = parameter(
        Reals(0.0, 1.0),
        help="offered rate of each class of traffic, class 0 first",
        default=None,
        silent=True,
    )
    burst: float | None = parameter(
        Real(1.0, 100_000.0),
        help="mean length of a burst in cycles (default: no bursts)",
        default=None,
        silent=True,
    )
    burst_rate: float = parameter(
        Real(0.0001, 1.0), help="flits per cycle within a burst", default=1.0, silent=True
    )
    packets: int | None = parameter(
        Integer(1, 100_000_000), help="packets in total (default 1000)", default=None
    )
    length: tuple[int, int] | None = parameter(
        Span(1, 4096), help="flits per packet, as in 4 or 1-8 (default 1)", default=None
    )
    collective_count: int | None = parameter(
        Integer(1, 1_000_000),
        help="collectives of each group (default 20)",
        default=None,
        silent=True,
    )
    multicast_share: float = parameter(
        Real(0.0, 1.0), help="share of multicasts, where nodes can multicast", default=0.0
    )
    broadcast_share: float = parameter(
        Real(0.0, 1.0), help="share of broadcasts, where nodes can broadcast", default=0.0
    )
    reply: tuple[int, int] | None = parameter(
        Span(1, 4096), help="flits per reply (default: no replies)", default=None, silent=True
    )
    service: tuple[int, int] | None = parameter(
        Span(0, 1_000_000),
        help="cycles from a request to its reply (default 0)",
        default=None,
        silent=True,
    )
    members: tuple[int, int] | None = parameter(
        Span(1, 255), help="destinations per multicast (default: 1 to all)", default=None
    )
    bubble: float = parameter(
        Real(0.0, 0.99), help="probability that a source pauses before a beat", default=0.0
    )
    stall: float = parameter(
        Real(0.0, 0.99), help="probability that a node stalls a beat", default=0.0
    )
    pauses: str = parameter(
        Choice(PAUSES),
        help="whether bubble and stall change during the run",
        default="steady",
        silent=True,
    )
    seed: int = parameter(Integer(0, 2**63 - 1), help="seed of all random numbers", default=1)

    @classmethod
    def from_words(cls, words: list[str]) -> "Traffic":
        """Traffic from ``key=value`` words."""
        return cls.from_texts({**parse_words(words, owner=cls.name)})

    def __post_init__(self) -> None:
        _read_files(self)
        super().__post_init__()
        _require_companions(self)
        if self.replay is not None:
            _require_no_drawing(self)
        _require_collectives(self)


DRAWING = (
    *("rate", "class_rates", "burst", "burst_rate", "packets", "length"),
    *("multicast_share", "broadcast_share", "members"),
)
"""Keys that decide how packets are drawn."""


def _read_files(traffic: Traffic) -> None:
    """Read the matrix and the list of packets, whatever the user wrote for them."""
    for key in ("matrix", "replay"):
        if (value := getattr(traffic, key)) is not None:
            content = traffic.keys()[key].metadata["kind"].content_class
            object.__setattr__(traffic, key, content.of(value))


def _require_companions(traffic: Traffic) -> None:
    """Refuse a key without the one that it goes with."""
    for pattern in COMPANIONS:
        value = getattr(traffic, pattern)
        if traffic.has(pattern) != (value is not None):
            text = repr(value) if isinstance(value, str) else str(value)
            raise ConfigurationError(
                f"traffic: {pattern} must be given with traffic={pattern} and only with it, "
                f"not {text} with traffic={traffic.traffic}"
            )
    for key, other, holds in (
        ("burst_rate", "burst", traffic.burst_rate == 1.0 or traffic.burst is not None),
        ("service", "reply", traffic.service is None or traffic.reply is not None),
    ):
        if not holds:
            raise ConfigurationError(
                f"traffic: {key} must be used with {other}, not alone as "
                f"{key}={traffic.spelled(key)}"
            )


def _require_no_drawing(traffic: Traffic) -> None:
    """Refuse patterns and keys that draw packets, beside a list of packets."""
    if len(traffic.parts) > 1:
        raise ConfigurationError(
            f"traffic: replay must be the only pattern, not in the mix {traffic.traffic}"
        )
    for key in DRAWING:
        if getattr(traffic, key) != traffic.keys()[key].default:
            raise ConfigurationError(
                f"traffic: {key} must be left unset with traffic=replay, not {traffic.spelled(key)}"
            )


_OF_PACKETS = (
    *("rate", "class_rates", "burst", "burst_rate", "packets"),
    *("multicast_share", "broadcast_share", "members", "reply", "service"),
)
"""Keys that say how nodes send packets."""


def _require_collectives(traffic: Traffic) -> None:
    """Refuse a mix of collectives and packets, and keys of the one with the other."""
    kinds = {pattern in COLLECTIVES for pattern, _ in traffic.parts}
    if len(kinds) > 1:
        raise ConfigurationError(
            f"traffic: a mix must have packets or collectives, not both as {traffic.traffic}"
        )
    for key in _OF_PACKETS if traffic.is_collective else ("collective_count",):
        if getattr(traffic, key) != traffic.keys()[key].default:
            raise ConfigurationError(
                f"traffic: {key} must be left unset with traffic={traffic.traffic}, not "
                f"{traffic.spelled(key)}"
            )
