"""Matrices over GF(2) for tests, independent of `routing.scheduling.linear_complement`."""

import numpy as np


def all_matrices(n):
    """Every n x n matrix over GF(2)."""
    numbers = np.arange(2 ** (n * n))
    return (numbers[:, None] >> np.arange(n * n) & 1).astype(bool).reshape(-1, n, n)


def images(matrices):
    """What each matrix makes of each of 0..2^n - 1, as a number: bits added and taken modulo 2."""
    n = matrices.shape[-1]
    bits = np.arange(2**n) >> np.arange(n)[:, None] & 1
    return np.tensordot(1 << np.arange(n), matrices.astype(int) @ bits & 1, axes=(0, -2))


def nonsingular(n):
    """Every n x n matrix that sends distinct numbers to distinct numbers."""
    matrices = all_matrices(n)
    sent = np.sort(images(matrices), axis=-1)
    return matrices[(sent == np.arange(2**n)).all(axis=-1)]


def rank(matrix):
    """Rank by elimination, on rows as integers."""
    basis = []
    for row in matrix:
        left = int("".join(str(int(entry)) for entry in row), 2)
        for known in basis:
            left = min(left, left ^ known)
        if left:
            basis.append(left)
    return len(basis)


def matrix_of(*rows):
    """Matrix from its rows as they are printed, the highest index first."""
    return np.array([list(row) for row in rows])[::-1, ::-1] == "1"
