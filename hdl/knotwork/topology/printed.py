"""Facts of networks as papers print them, to stand beside those that are measured."""

from typing import NamedTuple

TABLE = "Liu and Han, table 1"
"""Table that compares three networks of N = 40 k m nodes."""


class Printed(NamedTuple):
    """Fact of a network as a paper prints it.

    Members
    -------
    fact : str
        Name by which `compare` tells the fact, or ``"group of N"``.
    formula : str
        Formula as it is printed, in the paper's letters.
    value : int or float
        What it gives for the network.
    source : str
        Where it is printed.
    why : str
        Why the network has another value, where it has.
    """

    fact: str
    formula: str
    value: int | float
    source: str
    why: str
