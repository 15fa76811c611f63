"""Linear-complement permutations, the tables that route them, and the batches that cover messages.

Matrices are over GF(2): entry (i, j) is the coefficient of source bit j in destination bit i, index
0 the lowest bit. (Printed ones have bit n - 1 first.)

`batches_of` splits any messages into batches, each a linear-complement permutation that has them. A
linear-complement permutation is an affine map over GF(2). A map that is defined for some sources
can be extended by one more source outside their affine span, to any destination outside the span of
theirs. So a message joins a batch where the map that the others fix sends its source to its
destination, or where it extends that map.

`NaiveRun` routes a permutation dimension after dimension and shows where its messages collide. In
the step of dimension k, a message crosses the link of this dimension where bit k of its destination
differs from the node's. The classes ASCEND and DESCEND differ in the order of the dimensions alone.

References
----------
Liu Zhiyong, Liu Qun, Zhang Xiang, "... Connected Cycles", J. Comput. Sci. & Technol. 10, 1995,
sections 2 and 3 and appendix A.3; section 3.1 with theorem 1 for naive routing.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

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


def random_matrix(n: int, rng: "np.random.Generator") -> np.ndarray:
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
    def random(cls, n: int, rng: "np.random.Generator") -> Self:
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


class Batch(NamedTuple):
    """Messages of a batch, by their place in the set, and the permutation that carries them out.

    Nodes without a message send to whichever node the permutation names.
    """

    messages: list[int]
    permutation: LinearComplement


class _AffineMap:
    """Affine map under construction: given for one message, then extended by others."""

    def __init__(self, source: int, destination: int) -> None:
        self.source, self.destination = source, destination
        # By highest bit: differences of sources with those of their destinations, and the latter.
        self._basis: dict[int, tuple[int, int]] = {}
        self._images: dict[int, int] = {}

    def takes(self, source: int, destination: int) -> bool:
        """Whether a message fits; the map is extended by it where it must be."""
        x, y = source ^ self.source, destination ^ self.destination
        while x and x.bit_length() in self._basis:
            step, image = self._basis[x.bit_length()]
            x, y = x ^ step, y ^ image
        if x == 0:
            return y == 0
        left = y
        while left and left.bit_length() in self._images:
            left ^= self._images[left.bit_length()]
        if left == 0:
            return False
        self._basis[x.bit_length()], self._images[left.bit_length()] = (x, y), left
        return True

    def permutation(self, n: int) -> LinearComplement:
        """Permutation of 2^n nodes that continues the map."""
        free = [1 << bit for bit in range(n) if bit + 1 not in self._basis]
        images = [1 << bit for bit in range(n) if bit + 1 not in self._images]
        steps = [*self._basis.values(), *zip(free, images, strict=True)]
        sources, destinations = np.array([self.source]), np.array([self.destination])
        for step, image in steps:
            sources = np.concatenate([sources, sources ^ step])
            destinations = np.concatenate([destinations, destinations ^ image])
        found = LinearComplement.of(destinations[np.argsort(sources)])
        assert found is not None
        return found


def batches_of(sources: np.ndarray, destinations: np.ndarray, n: int) -> list[Batch]:
    """Batches that carry out any messages, one of each node at most in a batch.

    Every batch takes the first message that is left, and then, in their order, all that fit.

    Parameters
    ----------
    sources, destinations : ndarray
        Nodes of the messages, int64.
    n : int
        Bits of an address.
    """
    left = list(zip(range(len(sources)), sources.tolist(), destinations.tolist(), strict=True))
    found = []
    while left:
        known, used = _AffineMap(*left[0][1:]), set[int]()
        own, others = [], []
        for message in left:
            number, source, destination = message
            if source not in used and known.takes(source, destination):
                used.add(source)
                own.append(number)
            else:
                others.append(message)
        found.append(Batch(own, known.permutation(n)))
        left = others
    return found


ORDERS: Mapping[str, Callable[[int], range]] = {
    "ascending": range,
    "descending": lambda n: range(n - 1, -1, -1),
}
"""Dimensions 0..n - 1 in each order, by its name."""


class Collision(NamedTuple):
    """Two messages that come to be at one node in one step.

    Members
    -------
    node : int
        Node that has both.
    begin : int
        Node at the other end of its link of the step's dimension.
    stays : int
        Source of the message that was at `node` before.
    comes : int
        Source of the message that crosses the link from `begin`.
    """

    node: int
    begin: int
    stays: int
    comes: int


@dataclass(frozen=True, eq=False)
class NaiveRun:
    """Naive routing of a permutation of 2^n nodes.

    A node keeps all messages that it has, so the run goes on after a collision: every message is at
    its destination in the end.

    Members
    -------
    destinations : ndarray
        Destination of the message of each node, a permutation.
    order : str
        One of `ORDERS`.
    """

    destinations: np.ndarray
    order: str

    @property
    def dimensions(self) -> range:
        """Dimension of each step."""
        return ORDERS[self.order](len(self.destinations).bit_length() - 1)

    def positions(self) -> Iterator[np.ndarray]:
        """Node that has the message of each source after each step."""
        held = np.arange(len(self.destinations))
        for dimension in self.dimensions:
            held = held ^ (held ^ self.destinations) & (1 << dimension)
            yield held

    def collided(self) -> list[int]:
        """Messages after each step that share their node, one per node not counted."""
        return [int(np.sum(self._counts(held) == 0)) for held in self.positions()]

    @property
    def is_free(self) -> bool:
        """Whether no two messages are ever at one node."""
        return not any(self.collided())

    def first_collisions(self) -> tuple[int, list[Collision]]:
        """First step after which messages are at one node, and all their pairs, by that node.

        The step is that after the last one if there is none. Up to this step every node has one
        message, so no more than two can meet.
        """
        before = np.arange(len(self.destinations))
        for step, held in enumerate(self.positions()):
            shared = np.nonzero(self._counts(held) > 1)[0]
            if len(shared):
                source_at = np.empty_like(before)
                source_at[before] = np.arange(len(before))
                begins = shared ^ (1 << self.dimensions[step])
                columns = (shared, begins, source_at[shared], source_at[begins])
                rows = zip(*(column.tolist() for column in columns), strict=True)
                return step, [Collision(*row) for row in rows]
            before = held
        return len(self.dimensions), []

    def _counts(self, held: np.ndarray) -> np.ndarray:
        """Messages at each node."""
        return np.bincount(held, minlength=len(self.destinations))
