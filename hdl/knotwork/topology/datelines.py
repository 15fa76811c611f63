"""Ways round a ring, and virtual-channel classes in which they do not wait for each other.

The dateline is the link between the last position and the first. Numbers may be arrays.
"""

from .addressed_graph import Numbers


def leads_forward(size: int, here: Numbers, there: Numbers, spread: bool) -> Numbers:
    """Whether a path round a ring goes forward: the shorter way.

    Half way round, paths go backward; if they are spread, forward from even positions, so that both
    ways carry as much.
    """
    ahead = (there - here) % size * 2
    return (ahead < size) | (ahead == size) & (here % 2 == 0) & spread


def first_class(
    size: int, here: Numbers, there: Numbers, forward: Numbers, spread: bool
) -> Numbers:
    """Class, 0 or 1, of a path's first hop in a direction round a ring.

    A path is in class 0 up to and including the hop over the dateline, and in class 1 afterwards
    (`passes_dateline`). One that does not pass it is in class 1. If paths are spread, those that
    can be in either class are not all in one: a path that ends with the dateline is in class 1; one
    that does not pass it is in class 0 if it starts right behind it or an even number of hops on.
    """
    behind = (1 - forward) * (size - 1)
    passes = (there > here) != forward
    if not spread:
        return 1 - passes
    return passes * (there == behind) + (1 - passes) * ((here - behind) % 2)


def passes_dateline(size: int, here: Numbers, forward: Numbers) -> Numbers:
    """Whether a packet that came here in a direction came over the dateline."""
    return here == (1 - forward) * (size - 1)
