"""Ranks of channels: packets go from lower to higher ones, so none wait in a ring.

One way to rank is the up*/down* order: packets first go up towards a root, then down, never up
again.

References
----------
M. D. Schroeder, A. D. Birrell, M. Burrows, H. Murray, R. M. Needham, T. L. Rodeheffer, E. H.
Satterthwaite and C. P. Thacker, "Autonet: a high-speed, self-configuring local area network using
point-to-point links", IEEE J. Selected Areas in Communications 9(8), 1991.
"""

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...topology import Topology

UNUSED = -1
"""Rank of a channel that no packet may take."""


class Ranks(NamedTuple):
    """Ranks of all channels of a network.

    Members
    -------
    rank : ndarray
        int32 of shape (routers, ports, classes), `UNUSED` where there is no channel.
    """

    rank: np.ndarray

    @property
    def classes(self) -> int:
        """Classes of virtual channels."""
        return self.rank.shape[2]

    @property
    def falling(self) -> np.ndarray:
        """Channels that may be used by falling rank, int64; see `loops.reach_router`."""
        flat = self.rank.ravel()
        order = np.argsort(-flat.astype(np.int64), kind="stable")
        return order[: int((flat >= 0).sum())]

    def repeated(self, classes: int) -> "Ranks":
        """So many classes with the ranks of the first, those of each above all before it."""
        first = self.rank[:, :, :1]
        more = np.arange(classes, dtype=np.int32) * (first.max(initial=0) + 1)
        return Ranks(np.where(first >= 0, first + more, UNUSED).astype(np.int32))


def layered(topology: Topology, orders: list[np.ndarray]) -> Ranks:
    """Ranks by an order of the routers in each class: first up in it, then down.

    From each class, packets may change to any later one. So a path may turn up again as often as
    there are classes after the first.

    Parameters
    ----------
    topology : Topology
        Network.
    orders : list of ndarray
        Place of each router, distinct, int, for each class; 0 is the top.
    """
    near = topology.neighbours
    routers = len(near)
    rank = np.full((*near.shape, len(orders)), UNUSED, np.int32)
    for vc_class, place in enumerate(orders):
        ranks = _up_and_down(near, place) + 2 * routers * vc_class
        rank[..., vc_class] = np.where(near >= 0, ranks, UNUSED)
    return Ranks(rank)


def by_ports(topology: Topology, order: np.ndarray, *, last_first: bool = False) -> Ranks:
    """Ranks of one class by ports, and in each port up by an order of the routers, then down.

    Where ports are dimensions, these are the ranks of dimension order.

    Parameters
    ----------
    topology : Topology
        Network.
    order : ndarray
        Place of each router, distinct, int; 0 is the top.
    last_first : bool
        Whether packets take the last port first.
    """
    near = topology.neighbours
    routers, ports = near.shape
    turn = np.arange(ports)[::-1] if last_first else np.arange(ports)
    rank = np.where(near >= 0, _up_and_down(near, order) + 2 * routers * turn, UNUSED)
    return Ranks(rank.astype(np.int32)[:, :, None])


def _up_and_down(near: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Rank of each link, 1.. : rising towards the top of an order, then away from it."""
    place = np.asarray(order)
    here = np.broadcast_to(place[:, None], near.shape)
    return np.where(place[near] < here, len(near) - here, len(near) + here)


_ROOTS = 64
"""Most roots that are tried where links lead one way."""


def order_by_distance(distances: np.ndarray) -> np.ndarray:
    """Places of the routers by their distances from a root, and by number where these are equal."""
    place = np.empty(len(distances), np.int64)
    place[np.argsort(distances, kind="stable")] = np.arange(len(distances))
    return place


def roots(distances: np.ndarray) -> np.ndarray:
    """All routers: the nearest to their farthest router, there and back, first; then to all."""
    there_and_back = distances.astype(np.int64) + distances.T
    return np.lexsort((there_and_back.sum(axis=1), there_and_back.max(axis=1)))


def updown_ranks(topology: Topology, distances: np.ndarray) -> Ranks:
    """Ranks with one class where a root is found that allows it; else with two.

    Links that lead both ways need one class. In other networks, every router needs a channel of its
    own towards the root, and every router one from it: none may serve for both.
    """
    ordered = roots(distances)
    if not topology.is_one_way:
        return layered(topology, [order_by_distance(distances[ordered[0]])])
    for root in ordered[:_ROOTS].tolist():
        found = _one_class(
            topology, order_by_distance(distances[:, root]), order_by_distance(distances[root])
        )
        if found is not None:
            return found
    root = int(ordered[0])
    back = order_by_distance(distances[:, root])
    # Up to the root in the first class, down from it in the second; each also turns once by itself.
    return layered(topology, [back, order_by_distance(distances[root])])


def _one_class(topology: Topology, back: np.ndarray, there: np.ndarray) -> Ranks | None:
    """Ranks where every channel either leads to the root or from it; None where too few do.

    Parameters
    ----------
    topology : Topology
        Network.
    back, there : ndarray
        Places of the routers, by their distances to the root and from it.
    """
    near = topology.neighbours
    routers, ports = near.shape
    tail = np.broadcast_to(np.arange(routers)[:, None], near.shape)
    linked = near >= 0
    rises = linked & (back[near] < back[tail])
    falls = linked & (there[near] > there[tail])
    choice = _matched(near, rises, falls, back, there)
    if choice is None:
        return None
    down = falls & ~rises
    for channel, is_down in choice.items():
        down[divmod(channel, ports)] = is_down
    rank = np.where(down, routers + there[tail], routers - back[tail])
    return Ranks(np.where(rises | falls, rank, UNUSED).astype(np.int32)[:, :, None])


def _matched(
    near: np.ndarray, rises: np.ndarray, falls: np.ndarray, back: np.ndarray, there: np.ndarray
) -> dict[int, bool] | None:
    """Whether a channel that could be both leads down; None where some router would have none.

    A matching of the routers' needs with channels, by augmenting paths. Need 2 r is a channel up
    from router r, need 2 r + 1 one down to it.
    """
    ports, both = near.shape[1], rises & falls
    served = set(np.nonzero((rises & ~both).any(axis=1))[0].tolist())
    needs = [2 * router for router in np.nonzero(back > 0)[0].tolist() if router not in served]
    served = set(near[falls & ~both].tolist())
    needs += [
        2 * router + 1 for router in np.nonzero(there > 0)[0].tolist() if router not in served
    ]
    candidates: dict[int, list[int]] = {need: [] for need in needs}
    for router, port in np.argwhere(both).tolist():
        for need in (2 * router, 2 * int(near[router, port]) + 1):
            if need in candidates:
                candidates[need].append(router * ports + port)
    taken: dict[int, int] = {}
    for need in needs:
        if not _augment(need, candidates, taken):
            return None
    return {channel: bool(need % 2) for channel, need in taken.items()}


def _augment(need: int, candidates: dict[int, list[int]], taken: dict[int, int]) -> bool:
    """Give a need a channel, if others can take other ones in place of theirs."""
    seekers: dict[int, int] = {}  # need that seeks a channel
    front = deque([need])
    while front:
        seeker = front.popleft()
        for channel in candidates[seeker]:
            if channel in seekers:
                continue
            seekers[channel] = seeker
            if channel in taken:
                front.append(taken[channel])
                continue
            for last, owner in _reassignments(channel, need, seekers, taken):
                taken[last] = owner
            return True
    return False


def _reassignments(
    channel: int, need: int, seekers: dict[int, int], taken: dict[int, int]
) -> Iterator[tuple[int, int]]:
    """Channels and their new needs, back to the need that began."""
    held = {owner: channel for channel, owner in taken.items()}
    while True:
        seeker = seekers[channel]
        before = held.get(seeker)
        yield channel, seeker
        if seeker == need or before is None:
            return
        channel = before
