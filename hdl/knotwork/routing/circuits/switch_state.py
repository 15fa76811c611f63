"""State of a circuit switch, and the order of service that follows from it."""

from typing import NamedTuple

from ...topology.addressed_graph import Numbers

_MASK = 0xFFFFFFFF


def initial_state(seed: Numbers, gid: Numbers) -> Numbers:
    """State of a switch before its first network cycle, 32 bits; never 0.

    Parameters
    ----------
    seed : int or ndarray
        The network's seed.
    gid : int or ndarray
        Number of the switch among all.
    """
    x = seed + (gid + 1) * 0x9E3779B9 & _MASK
    x = (x ^ x >> 16) * 0x85EBCA6B & _MASK
    x = (x ^ x >> 13) * 0xC2B2AE35 & _MASK
    x = x ^ x >> 16
    return x + (x == 0)


def next_state(x: Numbers) -> Numbers:
    """State in the network cycle after the one with state `x`: xorshift32.

    References
    ----------
    G. Marsaglia, "Xorshift RNGs", J. Statistical Software 8(14), 2003.
    """
    x = x ^ x << 13 & _MASK
    x = x ^ x >> 17
    return x ^ x << 5 & _MASK


class ScanStarts(NamedTuple):
    """Where a switch starts to serve its headers in a network cycle; integers or arrays of them.

    Members
    -------
    below, above : int or ndarray
        Input from below, and from above, that is served first.
    upper : int or ndarray
        Upper that is given first; for `serve` those of every switch in their order.
    """

    below: Numbers
    above: Numbers
    upper: Numbers


def scan_starts(x: Numbers, d: int, u: int) -> ScanStarts:
    """Inputs from below and from above that a switch serves first, and the upper it gives first.

    Parameters
    ----------
    x : int or ndarray
        State of the switch in this network cycle.
    d, u : int
        Its downers and uppers.
    """
    return ScanStarts((x & 255) * d >> 8, (x >> 8 & 255) * u >> 8, (x >> 16 & 255) * u >> 8)
