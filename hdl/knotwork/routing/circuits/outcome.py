"""What becomes of the packets of a network cycle, and the order in which switches serve them."""

from typing import NamedTuple

import numpy as np


class Outcome(NamedTuple):
    """What became of the packets of a network cycle.

    Members
    -------
    won : ndarray
        Whether each has its circuit, bool.
    words : ndarray
        Uppers that each was given, by level, int64 of shape (packets, levels - 1), and in one-way
        use (packets, levels); -1 where none.
    lost_level : ndarray
        Level on which each lost; -1 for a winner.
    lost_up : ndarray
        Whether it lost there while it went up, bool; else at the turn or while it went down.
    """

    won: np.ndarray
    words: np.ndarray
    lost_level: np.ndarray
    lost_up: np.ndarray


def empty_outcome(packets: int, levels: int) -> Outcome:
    """Outcome to be filled in, with words of so many levels."""
    return Outcome(
        np.zeros(packets, bool),
        np.full((packets, levels), -1, np.int64),
        np.full(packets, -1, np.int64),
        np.zeros(packets, bool),
    )


def ranks_in_group(group: np.ndarray, distance: np.ndarray, distances: int) -> np.ndarray:
    """Place of each among those of its group, by distance, from 0."""
    order = np.argsort(group * distances + distance)
    sorted_group = group[order]
    rank = np.arange(len(group))
    first = np.concatenate([[True], sorted_group[1:] != sorted_group[:-1]])[: len(group)]
    found = np.empty(len(group), np.int64)
    found[order] = rank - np.maximum.accumulate(np.where(first, rank, 0))
    return found
