"""Confidence in the mean of a few dozen independent values."""

from collections.abc import Sequence

import numpy as np

NORMAL_95 = 1.96
"""Standard errors to each side of a mean that hold 95 % of a normal distribution."""


def half_width_95(values: Sequence[float]) -> float:
    """Half the width of the 95 % confidence interval of the values' mean; 0 for a single value."""
    if len(values) < 2:
        return 0.0
    return float(NORMAL_95 * np.std(values, ddof=1) / np.sqrt(len(values)))
