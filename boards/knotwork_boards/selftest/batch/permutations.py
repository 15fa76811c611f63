"""Permutations by which a batch network tests itself."""

from collections.abc import Sequence

import numpy as np
from amaranth.hdl import Array, Const, Value
from amaranth.utils import exact_log2
from knotwork.routing.scheduling.linear_complement import (
    JumpTable,
    LinearComplement,
    buddy_jump,
    random_matrix,
)

REPEATS_LOG2 = 1
"""Logarithm of the consecutive batches that send one permutation: a table must serve several."""

_COUNT = 16
_SEED = 1995


class Permutations:
    """Distinct linear-complement permutations: number 0 is the bit reversal, the others are random.

    There are 16, but only 2 in a network of two nodes.

    Parameters
    ----------
    n : int
        Width of an address.

    Members
    -------
    destinations : ndarray
        Destination of each node, one row per permutation.
    sources : ndarray
        Node whose packet each node receives, one row per permutation.
    tables : tuple of JumpTable
        Table that routes each permutation.
    """

    def __init__(self, n: int) -> None:
        dice = np.random.default_rng(_SEED)
        chosen = [LinearComplement(np.eye(n, dtype=bool)[::-1])]
        rows = [chosen[0].destinations]
        while len(chosen) < (_COUNT if n > 1 else 2):
            drawn = LinearComplement(random_matrix(n, dice), int(dice.integers(1 << n)))
            row = drawn.destinations
            if not any((row == other).all() for other in rows):
                chosen.append(drawn)
                rows.append(row)
        self.destinations = np.array(rows)
        self.sources = np.argsort(self.destinations, axis=1)
        self.tables: tuple[JumpTable, ...] = tuple(buddy_jump(lc.matrix)[0] for lc in chosen)

    @property
    def batches_log2(self) -> int:
        """Logarithm of the batches that send all permutations, repetitions included."""
        return exact_log2(len(self.tables)) + REPEATS_LOG2


def of_batch(batch: Value, values: Sequence[int], width: int) -> Value:
    """Entry of `values`, one per permutation, that belongs to the batch of this number."""
    number = batch[REPEATS_LOG2:][: exact_log2(len(values))]
    return Array(Const(int(value), width) for value in values)[number]
