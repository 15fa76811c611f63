"""Sets of links and routers that may be dead at once."""

from itertools import combinations
from math import comb

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.topology import Topology

PARTS = ("both", "links", "routers")
"""What of a network may be dead."""
MOST = 1_000_000
"""Sets that are told one by one at most."""

DeadSet = tuple[str, ...]
"""Links and routers as `topology.altered` takes them: ``("0-1", "5")``."""


def parts_of(topology: Topology, which: str) -> list[str]:
    """Links and routers of a network, or one kind of them; parallel links are one part.

    Parameters
    ----------
    which : str
        One of `PARTS`.
    """
    routers, ports = np.nonzero(topology.neighbours >= 0)
    ends = np.stack([routers, topology.neighbours[routers, ports]], axis=1)
    pairs = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0).tolist()
    links = [f"{first}-{second}" for first, second in pairs]
    alone = [str(router) for router in range(topology.routers)]
    return {"both": links + alone, "links": links, "routers": alone}[which]


def dead_sets(parts: list[str], dead: int, most: int | None, seed: int) -> list[DeadSet]:
    """Sets of so many parts: all of them where they are no more than `most`, else so many random.

    Parameters
    ----------
    most : int or None
        None for all sets.

    Raises
    ------
    ConfigurationError
        Fewer parts than shall be dead; more than `MOST` sets.
    """
    if dead > len(parts):
        raise ConfigurationError(
            f"survive: --dead must be at most the {len(parts)} parts that can die, not {dead}"
        )
    count = comb(len(parts), dead)
    if most is None and count > MOST:
        raise ConfigurationError(
            f"survive: --all must mean at most {MOST:,} sets, not {count:,}; --sets draws some"
        )
    if most is None or count <= most:
        return list(combinations(parts, dead))
    random = np.random.default_rng(seed)
    found: dict[tuple[int, ...], None] = {}
    while len(found) < most:
        drawn = random.choice(len(parts), dead, replace=False)
        found[tuple(sorted(drawn.tolist()))] = None
    return [tuple(parts[place] for place in places) for places in found]
