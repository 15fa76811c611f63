"""Physical accounting of least-common-ancestor networks: crosspoints, and cuts between packages.

References
----------
"Least Common Ancestor Networks". Its figure of a switch has crosspoints that nothing uses; they are
left out here.
"""

from typing import Any

import numpy as np

from .levels import Levels


def crosspoints(topology: Levels) -> dict[str, int]:
    """Crosspoints of all switches.

    Returns
    -------
    dict
        ``full``: full crossbars, (d + u)^2 per switch. ``needed``: without turns from down to up,
        and without turns back to the child that a packet came from, except on level 0; in one-way
        use without all turns. ``built``: also without the open uppers of the top level.
    """
    full = needed = open_ways = 0
    for level, switches in enumerate(topology.level_sizes):
        d, u = topology.downers[level], topology.uppers[level]
        full += switches * (d + u) ** 2
        needed += switches * 2 * d * u
        if topology.turns_round:
            needed += switches * (d * d - blind_crosspoints(topology, level))
        open_ways = switches * 2 * d * (u - topology.linked_uppers[level])
    return {"full": full, "needed": needed, "built": needed - open_ways}


def blind_crosspoints(topology: Levels, level: int) -> int:
    """Crosspoints of a switch from a child's wires back to the same child, which nothing uses.

    On level 0 a PE may send to itself.
    """
    return topology.radices[level] * topology.wires[level] ** 2 if level else 0


def cut_facts(topology: Levels) -> list[dict[str, Any]]:
    """Packages into which each cut divides the network.

    Cut c separates level c - 1 from level c; a package is what stays connected below it.

    Returns
    -------
    list of dict
        For each cut: ``packages``, and the ``pes``, ``switches`` and bidirectional ``links`` to
        the outside of each; ``random_crossings``, the mean number of packets of a random
        permutation that cross the cut (once up and once down).
    """
    facts = []
    for cut in range(1, len(topology.radices)):
        packages = topology.pes // topology.spans[cut - 1]
        facts.append(
            {
                "cut": cut,
                "packages": packages,
                "pes": topology.spans[cut - 1],
                "switches": sum(topology.level_sizes[:cut]) // packages,
                "links": topology.capacities[cut - 1],
                "random_crossings": topology.pes - topology.spans[cut - 1],
            }
        )
    return facts


def crossings(topology: Levels, cut: int, sources: np.ndarray, destinations: np.ndarray) -> int:
    """Packets that cross a cut: those whose LCA is above it."""
    return int((topology.lca_level(sources, destinations) >= cut).sum())
