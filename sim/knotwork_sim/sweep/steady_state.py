"""Statistics of a simulation's steady state: where it begins, and the confidence in its means.

References
----------
K. P. White, "An effective truncation heuristic for bias reduction in simulation output",
Simulation 69(6), 1997 (MSER). A. M. Law, "Simulation Modeling and Analysis", chapter 9 (batch
means). W. G. Cochran, "Sampling Techniques", chapter 6 (ratios).
"""

import numpy as np

BATCHES = 20
"""Batches that a measurement is cut into."""
STUDENT_T_95 = 2.0930240544
"""Student's t for 95 % on both sides with `BATCHES` - 1 degrees of freedom."""


def warmup_end(series: np.ndarray) -> int:
    """Number of observations at the start that are not steady, by MSER; at most half of them.

    The mean of the observations from there on has the least standard error.
    """
    rest = np.asarray(series, float)[::-1]
    count = np.arange(1, len(rest) + 1)
    mean = np.cumsum(rest) / count
    spread = np.maximum(np.cumsum(rest**2) / count - mean**2, 0.0)
    error = (spread / count)[::-1]  # that of all from each place on
    return int(np.argmin(error[: len(rest) // 2 + 1]))


def mean_with_confidence(batches: np.ndarray) -> tuple[float, float]:
    """Mean of `BATCHES` batch means, and half the width of its 95 % confidence interval."""
    error = np.std(batches, ddof=1) / np.sqrt(BATCHES)
    return float(np.mean(batches)), float(STUDENT_T_95 * error)


def ratio_with_confidence(sums: np.ndarray, counts: np.ndarray) -> tuple[float, float]:
    """Mean over all that the batches counted, and half the width of its 95 % confidence interval.

    The batches' counts may differ, and some may be 0, but not all.
    """
    ratio = sums.sum() / counts.sum()
    error = np.std(sums - ratio * counts, ddof=1) / np.sqrt(BATCHES) / counts.mean()
    return float(ratio), float(STUDENT_T_95 * error)
