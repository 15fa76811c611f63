"""Answers of a rule as a table, and the rule that looks them up.

A rule that a user wrote in plain Python is called once wherever its packets come; compiled loops
follow the table of its answers. So it need not be in the subset of Python that Numba compiles.
"""

import numpy as np

from .compilable import compilable

CLASSES = 8
"""Most classes of a rule."""

UNREACHED = -1
"""Entry of a state to which no packet comes."""

_HEAD = 3


@compilable
def look_up(parameters, router, port, channel_class, destination):
    """Entry of a table that `pack_table` made."""
    ports, classes, nodes = parameters[0], parameters[1], parameters[2]
    place = ((router * ports + port) * classes + channel_class) * nodes + destination
    entry = parameters[_HEAD + place]
    return entry // CLASSES, entry % CLASSES


def pack_table(answers: np.ndarray) -> np.ndarray:
    """Parameters of `look_up`, int64, from an array of (router, port, class, destination).

    An entry is ``CLASSES * output port + class``, or `UNREACHED`.
    """
    return np.concatenate([answers.shape[1:], answers.ravel()]).astype(np.int64)
