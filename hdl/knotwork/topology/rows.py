"""Drawings of levels of switches: each level a row, and the PEs below."""

import numpy as np

from .levels import Levels

_BELOW = 1.6  # from level 0 down to the PEs; 1 is the distance of PEs, or of what is denser
_ABOVE = 2.0  # from a level to the next at the least ...
_SLOPE = 0.2  # ... as a share of how far their longest link goes sideways ...
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
        heights.append(heights[-1] + max(_ABOVE, _SLOPE * longest, _PASSING * passed))
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
