"""Hypercubes as cubes at the corners of cubes."""

import numpy as np

Steps = tuple[tuple[float, float], ...]
"""Step right and down for each dimension."""

_DOWN = 1.3  # height of a step as a share of its width, in the middle of those not searched for
_CUBE: Steps = ((6.3, 0.0), (0.0, 5.7), (3.2, -2.4))
_NODES: dict[int, Steps] = {
    **{dimensions: _CUBE[:dimensions] for dimensions in range(4)},
    4: ((4.31, -0.2), (-0.01, 9.37), (2.0, -3.47), (7.98, 1.41)),
    5: ((5.48, 0.8), (-0.93, 6.46), (2.76, -2.89), (11.66, -0.02), (0.01, 13.75)),
    6: (
        *((8.57, 0.67), (0.94, 11.46), (4.16, -2.2)),
        *((17.16, -0.31), (0.09, 24.39), (6.74, -6.28)),
    ),
    7: (
        *((7.53, 1.4), (-0.87, 17.65), (3.79, -3.74)),
        *((15.21, 0.34), (0.05, 46.36), (5.66, -8.78), (35.03, -1.03)),
    ),
    8: (
        *((8.65, 0.86), (0.97, 11.7), (4.4, -2.72), (17.18, -0.24), (0.16, 27.86)),
        *((6.52, -6.43), (39.82, -1.46), (0.04, 62.98)),
    ),
}
_RINGS: dict[int, Steps] = {
    1: ((6.0, 0.0),),
    2: ((6.0, 0.0), (0.0, 6.0)),
    3: ((2.3, -2.0), (4.7, 0.0), (0.0, 5.4)),
    4: ((1.01, -3.75), (2.78, -1.27), (-0.01, 7.39), (5.69, -0.02)),
    5: ((2.0, -2.43), (4.62, -0.86), (-0.97, 5.4), (8.66, 0.35), (0.1, 15.45)),
    6: (
        *((2.66, -5.22), (13.17, -0.68), (-0.8, 11.56)),
        *((6.95, -2.39), (32.09, 1.28), (1.86, 31.51)),
    ),
    7: (
        *((2.66, -5.22), (13.17, -0.68), (-0.8, 11.56)),
        *((6.95, -2.39), (32.09, 1.28), (1.86, 31.51), (56.8, 0.4)),
    ),
}
"""Here the depth of a cube, its shortest step, comes first: rings turn to it and to the next."""


def cube_layout(dimensions: int, most: int = 8) -> np.ndarray:
    """Places of the nodes of a hypercube: a step for each bit that is 1.

    Three dimensions make a cube, the next three a larger cube that has such a cube at each corner,
    and so on. The steps of up to eight dimensions were searched for: those of the smallest drawing
    in which no straight link, of eight hardly one, passes under a node. Of more, none does.

    Parameters
    ----------
    dimensions : int
        Bits of a node's number.
    most : int
        Dimensions up to which the steps are those that were searched for.

    Returns
    -------
    ndarray
        Positions of the 2^dimensions nodes, float64.
    """
    return _corners(_steps(dimensions, _NODES if dimensions <= most else {}))


def ring_cube_layout(dimensions: int) -> np.ndarray:
    """The same with room for a ring at each place, past which the links lead.

    Returns
    -------
    ndarray
        Positions of the rings' middles, float64; the nearest two are 1 apart.
    """
    places = _corners(_steps(dimensions, _RINGS))
    between = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    return places / between[~np.eye(len(places), dtype=bool)].min()


def _corners(steps: Steps) -> np.ndarray:
    bits = np.arange(1 << len(steps))[:, None] >> np.arange(len(steps)) & 1
    return bits @ np.array(steps, float).reshape(-1, 2)


def _steps(dimensions: int, found: dict[int, Steps]) -> Steps:
    """Steps that were found; for more dimensions the powers of two.

    A step is twice as far right as the one before it, and half as far down: between two nodes with
    a link no other one is in the rectangle of which they are corners, as in the point set of
    van der Corput. The lowest bits have the steps of which neither side is long.
    """
    if dimensions in found:
        return found[dimensions]
    longer = sorted(range(dimensions), key=lambda step: abs(2 * step - dimensions + 0.5))
    return tuple((2.0**step, _DOWN * 2.0 ** (dimensions - 1 - step)) for step in longer)
