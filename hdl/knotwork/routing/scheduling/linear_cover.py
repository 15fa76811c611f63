"""Messages parted into batches: each batch a linear-complement permutation that has them.

A linear-complement permutation is an affine map over GF(2). A map that is given for some sources
can be extended by one more source outside their affine span, to any destination outside the span of
theirs. So a message joins a batch where the map that the others fix sends its source to its
destination, or where it extends that map.
"""

from typing import NamedTuple

import numpy as np

from .linear_complement import LinearComplement


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
