"""Keys of a simulation's traffic; one seed decides every number that is drawn."""

from dataclasses import dataclass
from typing import ClassVar

from knotwork.errors import ConfigurationError
from knotwork.parameters import (
    Choice,
    Integer,
    Parameters,
    Real,
    Span,
    Text,
    parameter,
    parse_words,
)

PATTERNS = (
    "uniform",
    "complement",
    "transpose",
    "reversal",
    "shuffle",
    "neighbour",
    "hotspot",
    "permutation",
)

PAUSES = ("steady", "changing")


@dataclass(frozen=True, kw_only=True)
class Traffic(Parameters):
    """Traffic of a simulation.

    Parameters
    ----------
    traffic : str
        Pattern. ``uniform``: any other node. ``complement``: i to N-1-i. ``transpose``,
        ``reversal``, ``shuffle``: the index's b bits rotated by floor(b/2), reversed, rotated by
        one (N = 2^b only). ``neighbour``: any adjacent router. ``hotspot``: a quarter to node 0,
        the rest uniform. ``permutation``: what the key `permutation` says.
    permutation : str or None
        Destinations separated by commas, or the name of a fixed pattern, ``identity`` or
        ``random``.
    rate : float or None
        Flits of data that a node offers per cycle, on average; 0.1 if unnamed (1 for
        ``permutation``).
    packets : int or None
        Packets of the whole network; 1000 if unnamed (N for ``permutation``).
    length : (int, int) or None
        Flits of data per packet, drawn evenly from this range; 1 if unnamed, or as many as the
        network's packets must have.
    multicast_share : float
        Probability that a packet is a multicast, to random nodes.
    broadcast_share : float
        Probability that a packet is a broadcast.
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

    traffic: str = parameter(Choice(PATTERNS), help="pattern", default="uniform")
    permutation: str | None = parameter(
        Text("a name or destinations a,b,..."), help="for traffic=permutation", default=None
    )
    rate: float | None = parameter(
        Real(0.0001, 1.0), help="flits per node per cycle (default 0.1)", default=None
    )
    packets: int | None = parameter(
        Integer(1, 100_000_000), help="of the whole network (default 1000)", default=None
    )
    length: tuple[int, int] | None = parameter(
        Span(1, 4096), help="flits per packet, 4 or 1-8 (default 1)", default=None
    )
    multicast_share: float = parameter(
        Real(0.0, 1.0), help="of the packets, where nodes can multicast", default=0.0
    )
    broadcast_share: float = parameter(
        Real(0.0, 1.0), help="of the packets, where nodes can broadcast", default=0.0
    )
    members: tuple[int, int] | None = parameter(
        Span(1, 255), help="destinations of a multicast (default: 1 to all)", default=None
    )
    bubble: float = parameter(Real(0.0, 0.99), help="pause before a beat", default=0.0)
    stall: float = parameter(Real(0.0, 0.99), help="a beat not taken", default=0.0)
    pauses: str = parameter(
        Choice(PAUSES), help="bubble, stall drawn anew or not", default="steady", silent=True
    )
    seed: int = parameter(Integer(0, 2**63 - 1), help="of every number drawn", default=1)

    @classmethod
    def from_words(cls, words: list[str]) -> "Traffic":
        """Traffic from ``key=value`` words."""
        return cls.from_texts({**parse_words(words, owner=cls.name)})

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.traffic == "permutation") != (self.permutation is not None):
            raise ConfigurationError(
                "traffic: permutation must be given with traffic=permutation and only with it, "
                f"not {self.permutation!r} with traffic={self.traffic}"
            )
