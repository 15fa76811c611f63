"""Layouts of networks in levels: rows of switches above their PEs, and brackets for many PEs.

In rows, each level is a row, and the PEs are below. In a bracket, levels of switches are columns,
as in the draw of a tournament: half of the PEs stands at the left and half at the right, and from
both, levels of switches lead to the top in the middle. Labels are wider than high, so a column of
PEs is shorter than a row is wide, and each side has only its half.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .levels import Levels

_BELOW = 1.6  # from level 0 down to the PEs; 1 is the distance of PEs, or of what is denser
_ABOVE = 2.0  # from a level to the next at the least ...
_ROW_SLOPE = 0.2  # ... as a share of how far their longest link goes sideways ...
_PASSING = 0.5  # ... and in the same way for each switch that it passes


def switch_rows(levels: Levels) -> np.ndarray:
    """Positions of the switches of all copies, float64 of shape (switches, 2), level 0 lowest.

    All rows have the same width, so a switch stands above the middle of its PEs. Switches that
    share their PEs share that width, in the order of their up-words read from the last upper. So a
    complete interconnect with d = u is a butterfly. Levels
    with long links, or with links that pass many switches, are farther apart. Of several copies,
    those with odd numbers are upside down below the PEs.
    """
    width = _width(levels)
    across = [
        (switch_order(levels, level) + 0.5) * width / size
        for level, size in enumerate(levels.level_sizes)
    ]
    heights = [0.0]
    for level, uppers in enumerate(levels.uppers[:-1]):
        here = np.arange(levels.level_sizes[level])
        above = [across[level + 1][levels.up(level, here, k)[0]] for k in range(uppers)]
        longest = np.abs(np.array(above) - across[level]).max()
        passed = longest * max(levels.level_sizes[level : level + 2]) / width
        heights.append(heights[-1] + max(_ABOVE, _ROW_SLOPE * longest, _PASSING * passed))
    one = np.concatenate(across)
    up = np.repeat(heights, levels.level_sizes)
    step = heights[-1] + _ABOVE
    # The PEs stand between the first two copies; later ones are beyond these.
    sides = [
        2 * _BELOW + up + copy // 2 * step if copy % 2 else -up - copy // 2 * step
        for copy in range(levels.copies)
    ]
    return np.stack([np.tile(one, levels.copies), np.concatenate(sides)], axis=1)


def pe_row(levels: Levels) -> np.ndarray:
    """Positions of the PEs, float64 of shape (PEs, 2), in the scale of `switch_rows`."""
    across = (np.arange(levels.pes) + 0.5) / levels.pes * _width(levels)
    return np.stack([across, np.full(levels.pes, _BELOW)], axis=1)


def terminal_row(levels: Levels) -> np.ndarray:
    """Positions of what is on the uppers of the top level, each above its switch, by upper."""
    top, last = len(levels.uppers) - 1, levels.uppers[-1]
    switch, upper = np.divmod(np.arange(levels.level_sizes[top] * last), last)
    across = (switch_order(levels, top)[switch] * last + upper + 0.5) / len(switch) * _width(levels)
    height = switch_rows(levels)[:, 1].min() - _BELOW
    return np.stack([across, np.full(len(switch), height)], axis=1)


def _width(levels: Levels) -> float:
    return float(max(levels.pes, *levels.level_sizes))


def switch_order(levels: Levels, level: int) -> np.ndarray:
    """Place of each switch of a level in its row."""
    place, word = np.divmod(np.arange(levels.level_sizes[level]), levels.breadths[level])
    if not levels.is_tree:
        for uppers in reversed(levels.uppers[:level]):
            place, word = place * uppers + word % uppers, word // uppers
    return place


# In distances of PEs that are one above the other, 30 pixels.
_LETTER, _RIMS = 0.264, 0.74  # width of a letter; of both rims, with the room beyond them
_HEIGHT = 0.54  # half height of a box, with the room beyond it
_SEEN = 1.6  # of a link, between two columns of boxes ...
_SLOPE = 0.25  # ... and at the least as a share of how far the steepest goes up or down


class Bracket(NamedTuple):
    """Places of the switches and of the PEs, float64 of shape (switches, 2) and (PEs, 2)."""

    switches: np.ndarray
    pes: np.ndarray


class _Column(NamedTuple):
    """What stands in a column.

    Members
    -------
    boxes : ndarray
        Numbers of the PEs or of the level's switches.
    heights : ndarray
        Height of each.
    half : float
        Half width of a box.
    """

    boxes: np.ndarray
    heights: np.ndarray
    half: float

    @property
    def pitch(self) -> float:
        """Distance of two boxes that are neighbours."""
        return float(np.diff(np.sort(self.heights)).min(initial=np.inf))


def bracket(levels: Levels) -> Bracket:
    """Places in a drawing of levels that have one copy, and nothing above the top.

    The children of the top are halved between the sides; of an odd number, the left has one more.
    In its column, a switch stands where the middle of its PEs is; switches that share their PEs
    share that height. Columns are so far apart that no straight link passes under a switch.
    """
    top, radix = len(levels.radices) - 1, levels.radices[-1]
    left = -(-radix // 2)
    sides = [range(left)] + [range(left, radix)] * (radix > 1)
    most = max(len(children) * size // radix for children in sides for size in _sizes(levels)[:-1])
    height = float(max(most, levels.level_sizes[top]))
    boxes = np.arange(levels.level_sizes[top])
    above = _Column(boxes, _spread(_top_order(levels), height), _half_of_switches(levels))
    places = [np.empty((size, 2)) for size in _sizes(levels)]
    places[-1][above.boxes] = np.stack([0 * above.heights, above.heights], axis=1)
    for sign, children in zip((-1, 1), sides, strict=False):
        across, upper = 0.0, above
        for level in range(top - 1, -2, -1):
            column = _column(levels, level, children, height)
            across += _apart(column, upper, _rises(levels, level, column, upper))
            at = np.full(len(column.boxes), sign * across)
            places[level + 1][column.boxes] = np.stack([at, column.heights], axis=1)
            upper = column
    return Bracket(np.concatenate(places[1:]), places[0])


def _sizes(levels: Levels) -> Sequence[int]:
    return levels.pes, *levels.level_sizes


def _half(letters: int) -> float:
    return (letters * _LETTER + _RIMS) / 2


def _half_of_switches(levels: Levels) -> float:
    """Half width of the switches' boxes: all are as wide as that with the longest label."""
    ends = zip(levels.first_switch, levels.level_sizes, strict=True)
    return _half(max(len(levels.router_label(first + size - 1)) for first, size in ends))


def _spread(order: np.ndarray, height: float) -> np.ndarray:
    return (order + 0.5) * (height / len(order))


def _top_order(levels: Levels) -> np.ndarray:
    """Place of each switch of the top in its column: beside those below, by their up-words."""
    top = len(levels.radices) - 1
    number = np.arange(levels.level_sizes[top])
    if levels.is_tree or top == 0:
        return number
    word, upper = np.divmod(number, levels.uppers[top - 1])
    return switch_order(levels, top - 1)[word] * levels.uppers[top - 1] + upper


def _column(levels: Levels, level: int, children: range, height: float) -> _Column:
    """Column of a level, -1 for the PEs, below some children of the top."""
    share = _sizes(levels)[level + 1] // levels.radices[-1]
    boxes = np.arange(children.start * share, children.stop * share)
    order = boxes if level < 0 else switch_order(levels, level)[boxes]
    half = _half(len(levels.label(levels.pes - 1))) if level < 0 else _half_of_switches(levels)
    return _Column(boxes, _spread(order - boxes[0], height), half)


def _rises(levels: Levels, level: int, column: _Column, upper: _Column) -> np.ndarray:
    """How far each link between two columns goes up or down."""
    if level < 0:
        ends = [column.boxes // levels.radices[0]]
    else:
        uppers = range(levels.uppers[level])
        ends = [np.asarray(levels.up(level, column.boxes, k)[0]) for k in uppers]
    at = np.zeros(_sizes(levels)[level + 2])
    at[upper.boxes] = upper.heights
    return np.abs(np.array([at[end] for end in ends]) - column.heights)


def _apart(column: _Column, upper: _Column, rises: np.ndarray) -> float:
    """Distance of two columns at which no straight link passes under a box of theirs."""
    longest = float(rises.max())
    least = [column.half + upper.half + _SEEN, _SLOPE * longest]
    least += [
        each.half * longest / (each.pitch - _HEIGHT)
        for each in (column, upper)
        if longest > each.pitch - _HEIGHT
    ]
    return max(least)
