"""Destinations of the sources of a live module, by pattern, as tables for its harness."""

from typing import NamedTuple

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.topology import Topology

from ..traffic.keys import STANDALONE, Traffic
from ..traffic.patterns import make_law

_ONE = 1 << 32


class Choices(NamedTuple):
    """Destinations from which sources draw with a number of 32 bits.

    Members
    -------
    names : tuple of str
        Patterns, by number.
    first : ndarray
        First choice of each pattern and node, pattern by pattern, and the total, int64.
    destination : ndarray
        Node of each choice, int64.
    end : ndarray
        Largest number with which each choice is drawn, int64: a source takes the first choice that
        reaches as far as its number.
    """

    names: tuple[str, ...]
    first: np.ndarray
    destination: np.ndarray
    end: np.ndarray


def pattern_choices(topology: Topology) -> Choices:
    """Choices under all patterns of `knotwork simulate` that the network has and need no key."""
    names: list[str] = []
    counts, destinations, ends = [np.zeros(1, np.int64)], [], []
    for name in STANDALONE:
        try:
            law = make_law(topology, Traffic(traffic=name), np.random.default_rng(0))
        except ConfigurationError:
            continue  # a pattern for powers of two, or for nodes in rows
        names.append(name)
        for node in range(topology.nodes):
            found, shares = law.shares(node)
            found, shares = found[shares > 0], shares[shares > 0]
            end = np.round(np.cumsum(shares) * _ONE).astype(np.int64) - 1
            end[-1:] = _ONE - 1
            counts.append(np.array([len(found)]))
            destinations.append(found.astype(np.int64))
            ends.append(end)
    return Choices(
        tuple(names),
        np.cumsum(np.concatenate(counts)),
        np.concatenate(destinations),
        np.concatenate(ends),
    )
