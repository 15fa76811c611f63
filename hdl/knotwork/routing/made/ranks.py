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
        here = np.broadcast_to(np.asarray(place)[:, None], near.shape)
        up = np.asarray(place)[near] < here
        ranks = np.where(up, routers - here, routers + here) + 2 * routers * vc_class
        rank[..., vc_class] = np.where(near >= 0, ranks, UNUSED)
    return Ranks(rank)
