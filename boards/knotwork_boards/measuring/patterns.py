"""Patterns of the measuring self-test: to which node the packets of a node go."""

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.routing.scheduling.permutations import named_permutation
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
