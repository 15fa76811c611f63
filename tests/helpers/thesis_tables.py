"""Routing tables that the thesis prints: of each node (row) to each (column) the next node.

Typed from D. Kocík, "Routing in Möbius Cubes", CTU in Prague, 2016, figures 2.11 to 2.14: spr and
rsa in 0-MC_4 and 1-MC_4. Row 0 of figure 2.11 lacks its blank and has one cell too many at its end,
which is left out.
"""

from pathlib import Path

import numpy as np

_PRINTED = {
    block.partition("\n")[0]: block.partition("\n")[2]
    for block in Path(__file__).with_suffix(".txt").read_text().split("\n\n")
}


def printed(figure: str) -> np.ndarray:
    """Next nodes that a figure prints, (16, 16), -1 on the diagonal."""
    cells = _PRINTED[figure].replace(" -", " -1").split()
    return np.array(cells, int).reshape(16, 16)


MISPRINTS = {
    "2.11": {(4, 2)},
    "2.12": {(4, 2)},
    "2.13": {(11, 5)},
    "2.14": {(5, 3), (14, 12)},
}
"""Pairs (from, to) whose printed next node is on no shortest path."""
