"""Words that a board must report of a window, from what the golden model saw of its packets."""

from typing import NamedTuple

import numpy as np

from .drawn import DrawnPackets
from .settings import BINS, MEASURES, Settings

MAX_QUEUE_DEPTH, MIN_QUEUE_DEPTH = 256, 16
"""Room of a source's queue of times of creation, at most and at least."""

PACE = 64
"""Cycles that each packet in a full queue may take before its latency exceeds the stamp's range."""


NOTICE_CYCLES = 6
"""Cycles after the first flit of a packet has entered the network in which its source notices."""


class Observed(NamedTuple):
    """What nodes observed of the packets of a window, in cycles from its start on.

    Members
    -------
    entered : ndarray
        Cycle in which the network took the first flit of each packet, int64.
    flit_cycle : ndarray
        Cycle in which a node took each flit that left the network, int64.
    ended : ndarray
        Cycle in which a node took the last flit of each packet, int64.
    """

    entered: np.ndarray
    flit_cycle: np.ndarray
    ended: np.ndarray


def stamp_width(data_width: int, address_width: int) -> int:
    """Bits of the time of creation in a packet's first flit, at most 16.

    Beside it are the address of the destination and the mark of a sample.
    """
    return min(16, data_width - address_width - 1)


def queue_depth(stamp: int) -> int:
    """Times of creation that a source keeps, where a packet carries `stamp` bits of one."""
    return min(MAX_QUEUE_DEPTH, max(MIN_QUEUE_DEPTH, (1 << stamp) // PACE))


def expected_measures(
    drawn: DrawnPackets, settings: Settings, observed: Observed, *, stamp: int, dropped: int = 0
) -> dict[str, int]:
    """Words of `settings.MEASURES` that a board must report.

    Parameters
    ----------
    drawn : DrawnPackets
        Packets of the window.
    settings : Settings
        Its settings.
    observed : Observed
        Outcome of a run of these packets, `drawn.time` being when they are offered.
    stamp : int
        `stamp_width` of the network. Minimum, maximum and histogram know no latency of 2^stamp
        cycles or more, and take it modulo that; the sum is exact.
    dropped : int
        Commands that were not understood.
    """
    measured = drawn.time >= settings.warmup
    timed = times_kept(drawn, observed.entered, queue_depth(stamp))
    sample = measured & timed
    latency = (observed.ended - drawn.time)[sample]
    stamped = latency & (1 << stamp) - 1
    level = np.minimum(np.frexp(stamped.astype(float))[1] - 1, BINS - 1)
    counts = np.bincount(np.maximum(level, 0), minlength=BINS)
    within = (observed.flit_cycle >= settings.warmup) & (observed.flit_cycle < settings.span)
    values = (
        *(dropped, int((measured & ~timed).sum()), int(within.sum()), len(latency)),
        *(int(stamped.min(initial=(1 << stamp) - 1)) if len(stamped) else 0, int(latency.sum())),
        int(stamped.max(initial=0)),
        *counts.tolist(),
    )
    return dict(zip(MEASURES, values, strict=True))


def times_kept(drawn: DrawnPackets, entered: np.ndarray, depth: int) -> np.ndarray:
    """Whether the queue of its source had room for each packet's time of creation, bool.

    It has room if fewer than `depth` packets with a time wait in the source, and none without.
    """
    kept = np.zeros(len(drawn.time), np.bool_)
    ends = np.flatnonzero(np.diff(drawn.source)) + 1
    for first, end in zip([0, *ends], [*ends, len(kept)], strict=True):
        gone = first  # packets that have entered the network
        last_without = -1
        for number in range(first, end):
            while gone < number and entered[gone] + NOTICE_CYCLES <= drawn.time[number]:
                gone += 1
            kept[number] = number - gone < depth and last_without < gone
            if not kept[number]:
                last_without = number
    return kept
