"""Regular graphs as tables of neighbours: made, mixed, rotated, and improved by swaps of links."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..compiled import bits_set, loop, part


class Orbits(NamedTuple):
    """Links of a graph that rotations by `base` routers map onto each other.

    Members
    -------
    links : ndarray
        A link of each orbit, its two routers, int32 (orbits, 2). Orbits of half the length, whose
        links half a turn maps onto themselves, are left out.
    channels : ndarray
        Number of the orbit of the channel that leaves by each port, int32 (routers, ports): for
        link i of `links` 2i, 2i + 1 for the opposite direction, and then those of half the length.
    numbers : int
        Numbers of channels.
    """

    links: np.ndarray
    channels: np.ndarray
    numbers: int


def circulant(nodes: int, steps: Sequence[int]) -> np.ndarray:
    """Neighbours in the graph whose router i is linked to i + s and i - s for every step s."""
    here = np.arange(nodes)
    columns = [(here + step) % nodes for step in steps]
    columns += [(here - step) % nodes for step in steps if 2 * step != nodes]
    return np.stack(columns, axis=1).astype(np.int32)


def first_steps(nodes: int, degree: int) -> tuple[int, ...]:
    """Steps 1, 2, ... of a circulant of a degree, and half the nodes where the degree is odd."""
    half = (nodes // 2,) if degree % 2 else ()
    return (*range(1, degree // 2 + 1), *half)


def paired(nodes: int, degree: int) -> np.ndarray:
    """Neighbours in a graph that rotations by two routers map onto itself, without short orbits.

    Routers 2i and 2i + 1 are a pair where the degree is odd; the rest is a circulant.
    """
    if degree % 2 == 0:
        return circulant(nodes, first_steps(nodes, degree))
    steps = circulant(nodes, range(2, degree // 2 + 2))
    return np.concatenate([steps, (np.arange(nodes, dtype=np.int32) ^ 1)[:, None]], axis=1)


def links_of(neighbours: np.ndarray) -> np.ndarray:
    """Links of a graph, each its lower router and then its higher one, in rising order."""
    here = np.repeat(np.arange(len(neighbours)), neighbours.shape[1])
    links = np.stack([here, neighbours.ravel()], axis=1)
    links = links[links[:, 0] < links[:, 1]]
    return links[np.lexsort(links.T[::-1])]


def orbits(neighbours: np.ndarray, base: int) -> Orbits:
    """Orbits of the links of a graph without double links.

    Parameters
    ----------
    base : int
        Routers by which the graph may be rotated, a divisor of their number.
    """
    nodes = len(neighbours)
    turns = np.arange(0, nodes, base)
    numbers: dict[tuple[int, int], int] = {}
    whole, short = [], []
    for link in map(tuple, links_of(neighbours).tolist()):
        if link in numbers:
            continue
        ends = [tuple(ends) for ends in ((np.array(link) + turns[:, None]) % nodes).tolist()]
        is_short = ends[len(ends) // 2] == link[::-1]
        numbers.update(dict.fromkeys((end[::-1] for end in ends), -1))
        numbers.update(dict.fromkeys(ends, -1))
        (short if is_short else whole).append((link, ends))
    for number, (_, ends) in enumerate([*whole, *short]):
        numbers.update(dict.fromkeys((end[::-1] for end in ends), 2 * number + 1))
        numbers.update(dict.fromkeys(ends, 2 * number))
    channels = [
        [numbers[here, there] for there in row] for here, row in enumerate(neighbours.tolist())
    ]
    links = np.array([link for link, _ in whole], np.int32).reshape(-1, 2)
    return Orbits(links, np.array(channels, np.int32), 2 * (len(whole) + len(short)))


# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)


FAR = -1
"""Answer where a router is not reached, or where the hops exceed what is asked for."""


@loop
def hops(neighbours, sources, reached, grown, limit):
    """Hops from the first `sources` routers to all, and the largest distance; both may be `FAR`.

    Each router keeps one bit per source, so that 64 searches advance in one operation.

    Parameters
    ----------
    neighbours : ndarray
        int32 (routers, ports); -1 where a port has no link.
    reached, grown : ndarray
        Room, uint64 (routers, words for the sources).
    limit : float
        Sum beyond which it is not counted further.
    """
    routers, ports = neighbours.shape
    words = reached.shape[1]
    reached[:] = 0
    for source in range(sources):
        reached[source, source >> 6] |= np.uint64(1) << np.uint64(source & 63)
    missing = (routers - 1) * sources
    total, level = 0, 0
    while missing > 0:
        total += missing
        level += 1
        if total > limit:
            return FAR, FAR
        now = 0
        for router in range(routers):
            for word in range(words):
                grown[router, word] = reached[router, word]
            for port in range(ports):
                near = neighbours[router, port]
                if near >= 0:
                    for word in range(words):
                        grown[router, word] |= reached[near, word]
            for word in range(words):
                now += bits_set(grown[router, word])
        if routers * sources - now == missing:
            return FAR, FAR
        missing = routers * sources - now
        reached, grown = grown, reached
    return total, level


@part
def search(neighbours, source, order, far, ways):
    """Routers in the order of their hops from one, the hops, and the shortest paths; how many."""
    far[:] = -1
    ways[:] = 0.0
    far[source], ways[source], order[0] = 0, 1.0, source
    first, last = 0, 1
    while first < last:
        router = order[first]
        first += 1
        for port in range(neighbours.shape[1]):
            near = neighbours[router, port]
            if near < 0:
                continue
            if far[near] < 0:
                far[near] = far[router] + 1
                order[last] = near
                last += 1
            if far[near] == far[router] + 1:
                ways[near] += ways[router]
    return last


@loop
def spread(neighbours, channels, sources, rates, loads, order, far, ways, share):
    """Hops of the flits of the first `sources` routers, and the load of every channel.

    The flits between two routers are spread evenly over the shortest paths, as in the betweenness
    of edges.

    Parameters
    ----------
    neighbours : ndarray
        int32 (routers, ports); -1 where a port has no link.
    channels : ndarray
        int32 (routers, ports): number of the channel that leaves by a port; that of the opposite
        direction differs in the lowest bit.
    rates : ndarray
        Flits per cycle between each two routers, float64; empty where all are 1.
    loads : ndarray
        Load of each channel, float64, to be filled; empty where only hops are asked for.
    order, far, ways, share : ndarray
        Room for each router: int32 twice, float64 twice.

    Returns
    -------
    float
        Hops of all flits in a cycle; `FAR` where a router is not reached.

    References
    ----------
    Brandes, "A faster algorithm for betweenness centrality", 2001.
    """
    routers, ports = neighbours.shape
    is_uniform = rates.shape[0] == 0
    loads[:] = 0.0
    total = 0.0
    for source in range(sources):
        if search(neighbours, source, order, far, ways) < routers:
            return float(FAR)
        share[:] = 0.0
        for place in range(routers - 1, 0, -1):
            router = order[place]
            flits = 1.0 if is_uniform else rates[source, router]
            total += flits * far[router]
            if len(loads) == 0:
                continue
            flits = (flits + share[router]) / ways[router]
            for port in range(ports):
                near = neighbours[router, port]
                if near >= 0 and far[near] == far[router] - 1:
                    share[near] += flits * ways[near]
                    loads[channels[router, port] ^ 1] += flits * ways[near]
    return total


# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)


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


LEG = 2000
"""Swaps between two looks at the outside."""
MIXED = 5
"""Swaps per link after which nothing of a graph that was mixed is left."""
WARM, COLD = 0.2, 0.01
"""Temperatures of the first and of the last swap, as multiples of what a swap costs at first."""
TASTED = 200
"""Swaps that tell what one costs."""
EVERYWHERE = np.zeros((0, 0))
"""Rates of routers that send the same to all others."""


class Aim(NamedTuple):
    """What a search lowers.

    Members
    -------
    is_load : bool
        The load of the fullest channel; else the mean distance.
    rates : ndarray
        Flits per cycle between each two routers, float64; `EVERYWHERE` where all are alike.
    """

    is_load: bool
    rates: np.ndarray = EVERYWHERE

    @property
    def is_uniform(self) -> bool:
        """Whether all routers send the same to all others."""
        return len(self.rates) == 0


class Walker:
    """Graph that swaps change, and the best one so far.

    Parameters
    ----------
    neighbours : ndarray
        int32 (routers, ports), connected, without double links.
    base : int
        Routers by which the graph may be rotated; all of them where the rates are not alike.
    sources : int or None
        Routers from which paths are walked, if fewer than `base`.
    """

    def __init__(
        self, neighbours: np.ndarray, base: int, aim: Aim, sources: int | None = None
    ) -> None:
        nodes = len(neighbours)
        self.neighbours, self.best = neighbours.copy(), neighbours.copy()
        self.base, self.aim, self.sources = base, aim, sources or base
        self.links, self.channels, numbers = orbits(neighbours, base)
        words = -(-self.sources // 64) if aim.is_uniform and not aim.is_load else 0
        self._state = np.zeros(3)
        rooms = np.zeros((2, nodes), np.int32)
        bits = np.zeros((2 if words else 0, nodes, words), np.uint64)
        self._rooms = bits, rooms, np.zeros(2 * nodes + (numbers if aim.is_load else 0))
        weigh(
            self.neighbours, self.channels, self.sources, self.aim.rates, self._state, *self._rooms
        )

    @property
    def cost(self) -> float:
        """Cost of the graph as it is."""
        return float(self._state[0])

    def swap(self, random: np.random.Generator, slack: np.ndarray) -> None:
        """Try as many swaps as `slack` says how much they may raise the cost."""
        ranges = (len(self.links), len(self.links), len(self.neighbours) // self.base, 2, 2)
        for first in range(0, len(slack), LEG):
            some = slack[first : first + LEG]
            draws = random.integers(ranges, size=(len(some), 5)).astype(np.int32)
            descend(
                *(self.neighbours, self.channels, self.links, self.base, self.sources),
                *(self.aim.rates, draws, some, self._state, self.best, *self._rooms),
            )


def mixed(neighbours: np.ndarray, base: int, random: np.random.Generator) -> np.ndarray:
    """Random graph: another one's links swapped many times, so that it stays connected."""
    walker = Walker(neighbours, base, Aim(is_load=False), sources=1)
    if len(walker.links) > 1:
        walker.swap(random, np.full(MIXED * len(walker.links), np.inf))
    return walker.neighbours


def improved(
    neighbours: np.ndarray, base: int, aim: Aim, swaps: int, random: np.random.Generator
) -> np.ndarray:
    """Best graph that swaps of links lead to.

    Parameters
    ----------
    neighbours, base
        As for `Walker`.
    swaps : int
        Swaps to try.
    """
    walker = Walker(neighbours, base, aim)
    if len(walker.links) < 2:
        return walker.best
    taster, steps = Walker(neighbours, base, aim), []
    for _ in range(min(TASTED, swaps)):
        before = taster.cost
        taster.swap(random, np.array([np.inf]))
        steps.append(abs(taster.cost - before))
    felt = [step for step in steps if step > 0]
    usual = sum(felt) / len(felt) if felt else 0.0
    heat = usual * np.geomspace(WARM, COLD, swaps)
    walker.swap(random, -heat * np.log1p(-random.random(swaps)))
    return walker.best
