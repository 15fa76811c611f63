"""Packets that the sources of a live module create, computed anew from what its page says."""

import numpy as np
from knotwork_sim.live.patterns import pattern_choices


def _mixed(x):
    x = ((x ^ x >> 16) * 0x85EBCA6B) & 0xFFFFFFFF
    x = ((x ^ x >> 13) * 0xC2B2AE35) & 0xFFFFFFFF
    return x ^ x >> 16


def number(seed, cycle, node, purpose):
    """Number of 32 bits of the documented generator; arrays in, arrays out."""
    return _mixed(seed ^ _mixed(cycle ^ _mixed(2 * node + purpose + 1)))


def created(topology, *, seed, rate, pattern, length, cycles):
    """Packets (cycle, source, destination, length) in order of cycle and source."""
    choices = pattern_choices(topology)
    cycle, node = np.mgrid[:cycles, : topology.nodes].astype(np.uint64)
    hit = number(np.uint64(seed), cycle, node, 0) < (rate << 16) // length
    time, source = np.nonzero(hit)
    drawn = number(np.uint64(seed), time.astype(np.uint64), source.astype(np.uint64), 1)
    rows = []
    for at, node, word in zip(time.tolist(), source.tolist(), drawn.tolist(), strict=True):
        begin, end = choices.first[pattern * topology.nodes + node :][:2].tolist()
        if begin == end:
            continue
        chosen = begin + int(np.searchsorted(choices.end[begin:end], word))
        rows.append((at, node, int(choices.destination[chosen]), length))
    return rows
