"""Regular graphs as tables of neighbours: made of steps, mixed, and rotated onto themselves."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


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
