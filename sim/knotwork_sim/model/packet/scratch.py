"""Working memory of the golden model: what is worked out within a clock."""

from typing import NamedTuple

import numpy as np
from knotwork.network import Network

from ...compiled import NONE, words_for

REQUEST = np.dtype(
    [
        ("above", np.int32),
        ("lowest", np.int32),
        ("grant", np.int32),
        ("owner_asks", np.bool_),
        ("can_cross", np.bool_),
    ],
    align=True,
)
"""What is asked of an output channel of the router at hand: first slot that asks after the one
granted last, and first of all, -1 for none; whether the slot granted last asks; then the slot
granted, -1 for none, and whether there is room behind."""

CHOICE = np.dtype([("slot", np.int32), ("distance", np.int32)])
"""Channel that a port's switch arbiter chooses, and how far it is from that chosen last."""

MOVE = np.dtype([("slot", np.int32), ("out", np.int32)])
"""Flit that crosses: input channel and output channel of the router at hand."""

DEPARTURE = np.dtype([("channel", np.int32), ("flits", np.int32)])
"""Flits that are no more in a buffer at the clock's end."""

ARRIVAL = np.dtype(
    [("label", np.int64), ("channel", np.int32), ("packet", np.int32), ("beat", np.int32)],
    align=True,
)
"""Flit that is written into a buffer at the clock's end."""

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
"""Entries of the lists of `Scratch`; packets of which the time has come; sources that offer a
beat; changes in the clock; flits in the network; stores that are not idle; flits that have
crossed a router."""


class Scratch(NamedTuple):
    """Working memory of one clock; a slot is an input or output channel of the router at hand.

    Members
    -------
    requests : ndarray
        `REQUEST` of each output channel; `lowest` is -1 where nobody asks.
    asked : ndarray
        Output channels that are asked for.
    offers, accepted : ndarray
        `CHOICE` of each port as output and as input, slot -1 for none.
    moves : ndarray
        `MOVE` of the router at hand.
    departures, arrivals : ndarray
        `DEPARTURE` and `ARRIVAL` of this clock, all routers.
    entering : ndarray
        Nodes whose beat the network takes in this clock.
    heads : ndarray
        Input channels to whose front a head came.
    sources : ndarray
        Set of the nodes with a beat to give.
    counters : ndarray
        `COUNTERS`, one.
    """

    requests: np.ndarray
    asked: np.ndarray
    offers: np.ndarray
    accepted: np.ndarray
    moves: np.ndarray
    departures: np.ndarray
    arrivals: np.ndarray
    entering: np.ndarray
    heads: np.ndarray
    sources: np.ndarray
    counters: np.ndarray


def make_scratch(network: Network) -> Scratch:
    """Make cleared working memory."""
    routers, ports = network.topology.neighbours.shape
    slots = ports * network.routing.virtual_channels
    requests = np.zeros(slots, REQUEST)
    requests["lowest"] = requests["above"] = requests["grant"] = NONE
    choices = np.zeros(ports, CHOICE)
    choices["slot"] = NONE
    return Scratch(
        requests=requests,
        asked=np.zeros(slots, np.int32),
        offers=choices.copy(),
        accepted=choices.copy(),
        moves=np.zeros(slots, MOVE),
        departures=np.zeros(2 * routers * slots, DEPARTURE),
        arrivals=np.zeros(routers * ports, ARRIVAL),
        entering=np.zeros(routers, np.int32),
        heads=np.zeros(2 * routers * slots, np.int32),
        sources=np.zeros(words_for(routers), np.uint64),
        counters=np.zeros(1, COUNTERS),
    )
