# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Local search on a graph: two links give up their ends to each other, and the better graph stays.

Links come in orbits: a rotation by `base` routers maps the graph onto itself, and all links of an
orbit are swapped at once. Where `base` is the number of routers, each link is an orbit of its own.
"""

import numpy as np

from ..compiled import loop, part
from .walks import FAR, hops, spread

POWER = 8
"""Power of the loads whose mean is lowered where the fullest channel is the aim."""
LITTLE = 1e-6
"""Weight of the mean load, which decides between graphs whose fullest channels are alike."""


@part
def is_linked(neighbours, router, other):
    """Whether two routers are neighbours."""
    for port in range(neighbours.shape[1]):  # noqa: SIM110 - compiled
        if neighbours[router, port] == other:
            return True
    return False


@part
def is_allowed(neighbours, base, a, b, c, d):
    """Whether the orbits of links a-b and c-d may become those of a-c and b-d.

    An orbit of half the length, whose links the rotation by half the routers maps onto themselves,
    would change the degree, as would twice the same orbit.
    """
    routers = neighbours.shape[0]
    if a == c or b == d or is_linked(neighbours, a, c) or is_linked(neighbours, b, d):
        return False
    if 2 * (c - a) % routers == 0 and (c - a) % base == 0:
        return False
    if 2 * (d - b) % routers == 0 and (d - b) % base == 0:
        return False
    if (b - a) % base == 0 and (b - a - d + c) % routers == 0:
        return False
    return (b - c) % base != 0 or (b - c - d + a) % routers != 0


@part
def relink(neighbours, channels, base, router, old, new, channel):
    """Lead the link from a router to another one, and in its orbit alike."""
    routers, ports = neighbours.shape
    for turn in range(0, routers, base):
        here, there = (router + turn) % routers, (old + turn) % routers
        for port in range(ports):
            if neighbours[here, port] == there:
                neighbours[here, port] = (new + turn) % routers
                channels[here, port] = channel
                break


@part
def cross(neighbours, channels, base, a, b, c, d, first, second):
    """Make links a-c and b-d, whose channels are `first` and `second`, of a-b and c-d."""
    relink(neighbours, channels, base, a, b, c, first)
    relink(neighbours, channels, base, c, d, a, first + 1)
    relink(neighbours, channels, base, b, a, d, second)
    relink(neighbours, channels, base, d, c, b, second + 1)


@part
def judged(loads):
    """Number of the fullest channel, and the mean of the loads' powers, as a load."""
    fullest, total = 0, 0.0
    for channel in range(len(loads)):
        if loads[channel] > loads[fullest]:
            fullest = channel
    top = loads[fullest]
    for channel in range(len(loads)):
        total += (loads[channel] / top) ** POWER
    return fullest, top * (total / len(loads)) ** (1 / POWER)


@part
def weighed(neighbours, channels, sources, rates, limit, bits, rooms, room):
    """Cost, merit and fullest channel of a graph; the cost is `FAR` where it is not connected.

    The merit is the cost, or the load of the fullest channel and a little of the hops.
    """
    routers = neighbours.shape[0]
    if len(bits):
        total = float(hops(neighbours, sources, bits[0], bits[1], limit)[0])
        return total, total, 0
    loads = room[2 * routers :]
    total = spread(
        neighbours, channels, sources, rates, loads,
        rooms[0], rooms[1], room[:routers], room[routers : 2 * routers],
    )  # fmt: skip
    if len(loads) == 0 or total < 0:
        return total, total, 0
    fullest, cost = judged(loads)
    return cost, loads[fullest] + LITTLE * total / len(loads), fullest


@loop
def weigh(neighbours, channels, sources, rates, state, bits, rooms, room):
    """Fill the state of a graph before its first swap; see `descend`."""
    cost, merit, fullest = weighed(neighbours, channels, sources, rates, np.inf, bits, rooms, room)
    state[0], state[1], state[2] = cost, merit, fullest


@loop
def descend(
    neighbours, channels, links, base, sources, rates, draws, slack, state, best, bits, rooms,
    room,
):  # fmt: skip
    """Try swaps one after the other, and keep those that raise the cost by little enough.

    Parameters
    ----------
    neighbours, channels : ndarray
        As for `spread`; changed.
    links : ndarray
        A link of each orbit, its two routers, int32 (orbits, 2); changed. Its channels are numbers
        2i and 2i + 1.
    base, sources : int
        Routers by which the graph may be rotated, and from how many of them paths are walked.
    draws : ndarray
        Each swap's two orbits, rotation of the second, order of its ends, and whether the first is
        that of the fullest channel, int32 (swaps, 5).
    slack : ndarray
        How much each swap may raise the cost, float64.
    state : ndarray
        Cost, least merit, fullest channel, float64; changed.
    best : ndarray
        Neighbours at the least merit; changed.
    bits, rooms, room : ndarray
        Room: two tables as for `hops`, order and distances, ways, shares and loads.
    """
    routers, ports = neighbours.shape
    for swap in range(len(slack)):
        first, second = draws[swap, 0], draws[swap, 1]
        if draws[swap, 4] and int(state[2]) >> 1 < len(links):
            first = int(state[2]) >> 1
        if first == second:
            continue
        a, b = links[first]
        turn = draws[swap, 2] * base
        c, d = (links[second, 0] + turn) % routers, (links[second, 1] + turn) % routers
        if draws[swap, 3]:
            c, d = d, c
        if not is_allowed(neighbours, base, a, b, c, d):
            continue
        cross(neighbours, channels, base, a, b, c, d, 2 * first, 2 * second)
        limit = state[0] + slack[swap]
        cost, merit, fullest = weighed(
            neighbours, channels, sources, rates, limit, bits, rooms, room
        )
        if cost == FAR or cost > limit:
            cross(neighbours, channels, base, a, c, b, d, 2 * first, 2 * second)
            continue
        links[first, 0], links[first, 1], links[second, 0], links[second, 1] = a, c, b, d
        state[0], state[2] = cost, fullest
        if merit < state[1]:
            state[1] = merit
            for router in range(routers):
                for port in range(ports):
                    best[router, port] = neighbours[router, port]
