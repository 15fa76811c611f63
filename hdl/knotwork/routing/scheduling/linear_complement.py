"""Linear-complement permutations, and the jump and buddy tables that route them.

Matrices are over GF(2): entry (i, j) is the coefficient of source bit j in destination bit i, index
0 the lowest bit. (Printed ones have bit n - 1 first.)

References
----------
Liu Zhiyong, Liu Qun, Zhang Xiang, "... Connected Cycles", J. Comput. Sci. & Technol. 10, 1995,
sections 2 and 3 and appendix A.3.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np


def is_nonsingular(matrices: np.ndarray) -> np.ndarray:
    """Whether each matrix of a stack has an inverse over GF(2).

    It has one if its determinant over the integers is odd. The determinant of a 20 x 20 matrix of
    zeros and ones is at most 7.3e7 (Hadamard), and a minor at most 2e7, so the error of floating
    point stays far below a half.

    Parameters
    ----------
    matrices : ndarray
        Zeros and ones, shape (..., n, n), n <= 20.
    """
    return np.rint(np.linalg.det(matrices.astype(float))).astype(np.int64) & 1 == 1


def random_matrix(n: int, rng: np.random.Generator) -> np.ndarray:
    """Nonsingular matrix, each with the same probability; bool of shape (n, n)."""
    while True:
        drawn = rng.integers(0, 2, (n, n)).astype(bool)
        if is_nonsingular(drawn):
            return drawn


@dataclass(frozen=True, eq=False)
class LinearComplement:
    """Permutation that sends node s to T s + c over GF(2).

    Members
    -------
    matrix : ndarray
        T, bool of shape (n, n), nonsingular.
    complement : int
        c, bit i for destination bit i.
    """

    matrix: np.ndarray
    complement: int = 0

    @property
    def n(self) -> int:
        """Bits of an address."""
        return len(self.matrix)

    @property
    def rows(self) -> list[str]:
        """Rows of T as they are printed: bit n - 1 first."""
        return ["".join("01"[entry] for entry in row) for row in self.matrix[::-1, ::-1].tolist()]

    @property
    def destinations(self) -> np.ndarray:
        """Destination of each of the 2^n nodes, int64."""
        images = self.matrix.astype(np.int64).T @ (1 << np.arange(self.n))  # of each source bit
        result = np.array([self.complement], np.int64)
        for image in images:
            result = np.concatenate([result, result ^ image])
        return result

    @classmethod
    def random(cls, n: int, rng: np.random.Generator) -> Self:
        """Permutation of 2^n nodes, each linear-complement one with the same probability."""
        return cls(random_matrix(n, rng), int(rng.integers(1 << n)))

    @classmethod
    def of(cls, destinations: np.ndarray) -> Self | None:
        """Linear-complement permutation with these destinations; None where there is none.

        The destinations must be a permutation.
        """
        n = len(destinations).bit_length() - 1
        if len(destinations) != 1 << n:
            return None
        images = destinations[1 << np.arange(n)] ^ destinations[0]
        matrix = (images >> np.arange(n)[:, None] & 1).astype(bool)
        found = cls(matrix, int(destinations[0]))
        return found if (found.destinations == destinations).all() else None


@dataclass(frozen=True)
class JumpTable:
    """Jump bit and buddy of each dimension, by which packets are exchanged the first time.

    Members
    -------
    jump : tuple of int
        By dimension. 1: nothing is exchanged in it.
    buddy : tuple of int
        By dimension. Bit of the destination with which the dimension's own is compared; n for the
        constant 0.
    """

    jump: tuple[int, ...]
    buddy: tuple[int, ...]

    @classmethod
    def naive(cls, n: int) -> Self:
        """Table by which nothing is exchanged in any dimension."""
        return cls((1,) * n, (n,) * n)

    def requests(self, dimension: np.ndarray | int, destinations: np.ndarray) -> np.ndarray:
        """Whether packets to these destinations request an exchange in a dimension, bool.

        The two are broadcast against each other.
        """
        jump, buddy = np.array(self.jump), np.array(self.buddy)
        differ = (destinations >> dimension ^ destinations >> buddy[dimension]) & 1
        return (differ == 1) & (jump[dimension] == 0)


def buddy_jump(matrix: np.ndarray) -> tuple[JumpTable, np.ndarray]:
    """Table for all permutations of a matrix, and the matrix T' that is left after its exchanges.

    Every trailing block of T' (rows and columns below k) is nonsingular, so that packets then reach
    their destinations dimension by dimension without a conflict. Where several buddies would do,
    the table has the highest.

    Parameters
    ----------
    matrix : ndarray
        T, zeros and ones of shape (n, n).

    Raises
    ------
    ValueError
        The matrix is singular.
    """
    if not is_nonsingular(matrix):
        raise ValueError("a matrix must be nonsingular to have a jump table")
    n = len(matrix)
    left = matrix.astype(bool)
    jump, buddy = [1] * n, [n] * n
    for k in range(n - 1, 0, -1):
        if is_nonsingular(left[:k, :k]):
            continue
        jump[k] = 0
        moved = left[k].copy()
        if left[k, k]:
            buddy[k] = int(np.nonzero(left[:k, k])[0][-1])
            moved ^= left[buddy[k]]
        left[left[:, k]] ^= moved  # `moved` has no entry k, so the column stays
    return JumpTable(tuple(jump), tuple(buddy)), left


def is_naively_routable(matrix: np.ndarray, *, ascending: bool = True) -> bool:
    """Whether dimension after dimension, without any preparation, two packets never meet.

    So it is where every trailing block is nonsingular (in ascending order of dimensions), or every
    leading one (in descending order): section 3.1 and theorem 1, made exact.
    """
    n = len(matrix)
    blocks = [matrix[:k, :k] if ascending else matrix[n - k :, n - k :] for k in range(1, n + 1)]
    return all(bool(is_nonsingular(block)) for block in blocks)


def bit_order(matrix: np.ndarray) -> list[int] | None:
    """Source bit that each destination bit is, of a permutation matrix; None of another one."""
    if (matrix.sum(axis=0) != 1).any() or (matrix.sum(axis=1) != 1).any():
        return None
    return matrix.argmax(axis=1).tolist()


def bit_permutation_table(order: list[int]) -> JumpTable:
    """Table of a permutation that sends source bit ``order[i]`` to destination bit i.

    jump[k] is 1 where k is the least of its cycle; there are no buddies (the closed form of
    section 3.2 for BPC permutations).
    """
    n = len(order)
    jump = []
    for k in range(n):
        least, at = k, order[k]
        while at != k:
            least, at = min(least, at), order[at]
        jump.append(int(least == k))
    return JumpTable(tuple(jump), (n,) * n)
