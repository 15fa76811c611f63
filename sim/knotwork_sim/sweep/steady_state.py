"""Statistics of a simulation's steady state: where it begins, and the confidence in its means.

References
----------
K. P. White, "An effective truncation heuristic for bias reduction in simulation output",
Simulation 69(6), 1997 (MSER). A. M. Law, "Simulation Modeling and Analysis", chapter 9 (batch
means). G. V. Bayley and J. M. Hammersley, "The 'effective' number of independent observations in
an autocorrelated time series", Supplement to the Journal of the Royal Statistical Society 8(2),
1946 (trends of correlated values). W. G. Cochran, "Sampling Techniques", chapter 6 (ratios).
S. Boucheron, G. Lugosi, P. Massart, "Concentration Inequalities", section 2.8 (Bernstein).
"""

from math import log

import numpy as np

BATCHES = 20
"""Batches that a measurement is cut into."""
STUDENT_T_95 = 2.0930240544
"""Student's t for 95 % on both sides with `BATCHES` - 1 degrees of freedom."""
STUDENT_T_999 = 3.6104847
"""Student's t for 99.9 % on one side with `BATCHES` - 2 degrees of freedom."""
DRIFT = 1 / 3
"""Rise over a measurement, as a share of the mean, below which a trend does not count."""
CONFIDENCE = 0.95
"""Probability that no flow of a steady state is taken for one that falls short."""


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


def drifts(batches: np.ndarray) -> bool:
    """Whether `BATCHES` batch means rise: by `DRIFT` of their mean, and seldom by chance.

    The slope of the regression line is tested on one side, with 99.9 % confidence. Near saturation
    a long queue makes neighbouring batches alike: they count as fewer, by the correlation of the
    deviations from the line.
    """
    place = np.arange(BATCHES) - (BATCHES - 1) / 2
    spread = float(place @ place)
    slope = float(place @ batches) / spread
    rest = batches - batches.mean() - slope * place
    squares = float(rest @ rest)
    error = np.sqrt(squares / (BATCHES - 2) / spread)
    if squares:
        # The line takes about 2 / BATCHES of the correlation with it.
        alike = min(max(float(rest[1:] @ rest[:-1]) / squares + 2 / BATCHES, 0.0), 0.99)
        error *= np.sqrt((1 + alike) / (1 - alike))
    return bool(slope > STUDENT_T_999 * error and slope * BATCHES > DRIFT * batches.mean())


def in_flight_change(in_flight: np.ndarray) -> np.ndarray:
    """Packets by which the number in flight of any flow may grow between two moments.

    Parameters
    ----------
    in_flight : ndarray
        Mean number of packets in flight, for each flow; all are below the bound with `CONFIDENCE`,
        by Bernstein's inequality for numbers of Poisson.
    """
    bound = log(len(in_flight) / (1 - CONFIDENCE))
    return np.sqrt(2 * bound * 2 * in_flight) + bound / 3
