"""Scratch memory of the golden model: what is decided within a cycle."""

from typing import NamedTuple

import numpy as np
from knotwork.network import Network

from ...compiled import NONE, words_for

REQUEST = np.dtype(
    [
        ("above", np.int32),
        ("lowest", np.int32),
        ("owner_asks", np.bool_),
    ],
    align=True,
)
"""Requests for an output channel of the current plain router: the first slot after the one granted
last that requests it, and the first of all, -1 for none; whether its owner requests it."""

MOVE = np.dtype([("slot", np.int32), ("out", np.int32)])
"""Flit that crosses: input channel and output channel of the current router."""

ARRIVAL = np.dtype(
    [("label", np.int64), ("channel", np.int32), ("packet", np.int32), ("beat", np.int32)],
    align=True,
)
"""Flit that is written into a buffer at the end of the cycle."""

COUNTERS = np.dtype(
    [
        ("moves", np.int64),
        ("departures", np.int64),
        ("arrivals", np.int64),
        ("heads", np.int64),
        ("entering", np.int64),
        ("offering", np.int64),
        ("asked", np.int64),
        ("woken", np.int64),
        ("steps", np.int64),
        ("flits", np.int64),
        ("storing", np.int64),
        ("crossings", np.int64),
    ]
)
"""Entries in the lists of `Scratch`, and counts: packets whose time has come (`woken`), sources
that offer a beat, changes in this cycle (`steps`), flits in the network, stores that are not idle
(`storing`), flits that have crossed a router."""


class Scratch(NamedTuple):
    """Scratch memory of one cycle; a slot is an input or output channel of the current router.

    Members
    -------
    requests : ndarray
        `REQUEST` of each output channel; `lowest` is -1 where there is no request.
    asked : ndarray
        Output channels that are requested.
    moves : ndarray
        `MOVE` of the current router.
    departures : ndarray
        Input channels that a flit has left in this cycle, all routers.
    arrivals : ndarray
        `ARRIVAL` of this cycle, all routers.
    entering : ndarray
        Nodes whose beat the network takes in this cycle.
    heads : ndarray
        Input channels to whose front a head flit came.
    sources : ndarray
        Set of the nodes with a beat to give.
    counters : ndarray
        `COUNTERS`, one.
    """

    requests: np.ndarray
    asked: np.ndarray
    moves: np.ndarray
    departures: np.ndarray
    arrivals: np.ndarray
    entering: np.ndarray
    heads: np.ndarray
    sources: np.ndarray
    counters: np.ndarray


def make_scratch(network: Network) -> Scratch:
    """Make cleared scratch memory."""
    (routers, ports), nodes = network.topology.neighbours.shape, network.topology.nodes
    slots = ports * network.routing.virtual_channels
    requests = np.zeros(slots, REQUEST)
    requests["lowest"] = requests["above"] = NONE
    return Scratch(
        requests=requests,
        asked=np.zeros(slots, np.int32),
        moves=np.zeros(slots, MOVE),
        departures=np.zeros(routers * slots, np.int32),
        arrivals=np.zeros(routers * ports, ARRIVAL),
        entering=np.zeros(nodes, np.int32),
        heads=np.zeros(2 * routers * slots, np.int32),
        sources=np.zeros(words_for(nodes), np.uint64),
        counters=np.zeros(1, COUNTERS),
    )
