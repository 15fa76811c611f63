"""How far apart colours look, to people with and without colour blindness.

References
----------
G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, "A physiologically-based model for simulation
of color vision deficiency", IEEE Trans. Visualization and Computer Graphics 15(6), 2009: matrices
of severity 1.0. Distances are those of CIE 1976 L*a*b*, contrasts those of WCAG 2.2.
"""

from itertools import combinations

import numpy as np

VISIONS = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE = _XYZ.sum(axis=1)


def linear(colour):
    """Red, green and blue of ``#rrggbb``, proportional to light."""
    values = np.array([int(colour[first : first + 2], 16) for first in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lightness_and_hue(colour, vision="normal"):
    """L*, a* and b* of a colour as somebody sees it."""
    seen = _XYZ @ np.clip(VISIONS[vision] @ linear(colour), 0, 1) / _WHITE
    x, y, z = np.where(seen > 0.008856, np.cbrt(seen), 7.787 * seen + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def nearest(colours, vision):
    """Distance of the two colours that are most alike, and those two."""
    seen = [(colour, lightness_and_hue(colour, vision)) for colour in colours]
    return min(
        (float(np.linalg.norm(one - other)), first, second)
        for (first, one), (second, other) in combinations(seen, 2)
    )


def contrast(one, other):
    """Contrast of two colours, 1..21."""
    dark, light = sorted(float((_XYZ @ linear(colour))[1]) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)
