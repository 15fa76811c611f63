"""Ranks of channels: packets go from lower to higher ones, so none wait in a ring."""

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
