"""Places of labels that would overlap, moved apart."""

import numpy as np

ROUNDS = 300
"""Most moves of each label."""


def spread_labels(middles: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Middles of boxes that do not overlap, near to those wanted.

    Each pair that overlaps is moved apart along the way that is shorter, half of it each.

    Parameters
    ----------
    middles, sizes : numpy.ndarray
        Wanted middles, and widths and heights, of shape (labels, 2).
    """
    placed = middles.astype(float).copy()
    placed += 1e-6 * np.arange(len(placed))[:, None]  # two in one place part too
    for _ in range(ROUNDS):
        moved = False
        for one in range(len(placed)):
            for other in range(one + 1, len(placed)):
                apart = placed[other] - placed[one]
                overlap = (sizes[one] + sizes[other]) / 2 - abs(apart)
                if (overlap > 1e-3 * sizes[one]).all():
                    axis = int(np.argmin(overlap / sizes[one]))
                    shift = np.sign(apart[axis]) * overlap[axis] / 2
                    placed[one, axis] -= shift
                    placed[other, axis] += shift
                    moved = True
        if not moved:
            break
    return placed
