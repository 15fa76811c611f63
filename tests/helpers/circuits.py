"""Circuit-switched networks that tests of their model share, and their runs one by one."""

from collections import defaultdict

import numpy as np
from knotwork.routing.circuits import Engine

CB22 = "lcan:d=2,u=2,levels=3,max_packet=4"
CB42 = "lcan:d=4,u=2,levels=2,max_packet=4"

SMALL = [
    "lcan:d=2,u=2,levels=4,max_packet=4",
    "lcan:d=4,u=4,levels=2,max_packet=2,data_width=8",
    "lcan:d=4,u=2,levels=2,max_packet=4",
    "lcan:d=3,u=2,levels=3,max_packet=5",
    "lcan:d=4,u=2,levels=3,interconnect=tree,max_packet=3",
    "fattree:r=4,2,3,u=2,3,1,max_packet=4",
    "cm5:levels=2,max_packet=4,data_width=72",
]


def network_cycles(topology, destinations, *, seed=1):
    """Network cycles that the gates take for a message of each PE."""
    sources = np.arange(topology.nodes)
    return sum(1 for _ in Engine(topology, seed=seed).drain(sources, destinations))


def served_one_by_one(topology, starts, sources, destinations, words=None):
    """Outcome of a network cycle, packet by packet and clock by clock: (won, word) of each.

    ``starts(level, w)`` gives the inputs and the upper that a switch serves and gives first.

    Written from section 7.3 for itself: events in the order of their clocks, each switch asked for
    itself, wires and uppers kept in sets.
    """
    clocks = defaultdict(lambda: defaultdict(list))
    taken = defaultdict(int)
    result = {s: [True, []] for s in sources}
    pairs = dict(zip(sources, destinations, strict=True))

    for s in sources:
        w, a = divmod(s, topology.radices[0])
        clocks[0][0, w].append((s, "A", a))
    for clock in range(2 * topology.levels - 1):
        for (level, w), heads in clocks[clock].items():
            p_a, p_b, rot = starts(level, w)
            d, u = topology.downers[level], topology.uppers[level]
            heads.sort(key=lambda h: (h[2] - p_a) % d if h[1] == "A" else (h[2] - p_b) % u)
            given_out = 0
            used = set()
            for s, kind, _ in heads:
                t = pairs[s]
                top = topology.lca_level(s, t)
                if kind == "A" and top > level:
                    upper = (rot + given_out) % u if words is None else words[s][level]
                    lost = given_out >= u if words is None else upper in used
                    given_out += 1
                    used.add(upper)
                    if lost:
                        result[s][0] = False
                        continue
                    result[s][1].append(upper)
                    after, came = topology.up(level, w, upper)
                    clocks[clock + 1][level + 1, after].append((s, "A", came))
                    continue
                child = topology.digit(t, level)
                wire = taken[level, w, child]
                if wire >= topology.wires[level]:
                    result[s][0] = False
                    continue
                taken[level, w, child] += 1
                after, came = topology.down(level, w, child * topology.wires[level] + wire)
                if level == 0:
                    assert after == t
                    assert clock == 2 * top
                else:
                    clocks[clock + 1][level - 1, after].append((s, "B", came))
    return [tuple(result[s]) for s in sources]
