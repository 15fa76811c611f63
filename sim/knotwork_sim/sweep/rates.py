"""Offered loads of a sweep: as a user lists them, or as saturation is searched."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from knotwork.errors import ConfigurationError

COARSE = 8
"""Points of a search from zero load up to the ideal throughput, evenly; two more follow."""
HALVINGS = 4
"""Times that the step in which saturation was found is halved."""

_RATE_LIMIT = 1000  # rates of a range


def parse_rates(text: str, *, option: str = "--rates") -> tuple[float, ...]:
    """Loads of ``FIRST:LAST:STEP``, both ends included, flits a node a clock.

    `option` is what gave them.

    Raises
    ------
    ConfigurationError
        Another form, a load that is not above 0 and at most 1, an empty range, too many loads.
    """
    found = re.fullmatch(r"([0-9.]+):([0-9.]+):([0-9.]+)", text)
    try:
        first, last, step = map(Decimal, found.groups() if found else ())
    except (ValueError, ArithmeticError):
        raise ConfigurationError(
            f"sweep: {option} must be FIRST:LAST:STEP, three numbers, not {text!r}"
        ) from None
    for load in (first, last):
        if not 0 < load <= 1:
            raise ConfigurationError(f"sweep: a load must be above 0 and at most 1, not {load}")
    if first > last or step <= 0:
        raise ConfigurationError(
            f"sweep: {option} must be a range with FIRST <= LAST and STEP above 0, not {text}"
        )
    count = int((last - first) / step) + 1
    if count > _RATE_LIMIT:
        raise ConfigurationError(f"sweep: loads must be at most {_RATE_LIMIT}, not {count}")
    return tuple(float(first + number * step) for number in range(count))


def highest_rate(ideal: float | None) -> float:
    """Highest load that a search may offer."""
    return coarse_rates(ideal)[-1]


def coarse_rates(ideal: float | None) -> tuple[float, ...]:
    """Loads with which a search begins: evenly up to the ideal throughput, and a little beyond."""
    step = (ideal or 1.0) / COARSE
    return tuple(round(step * n, 6) for n in range(1, COARSE + 3) if round(step * n, 6) <= 1)


def next_rates(ideal: float | None, saturated: Mapping[float, bool]) -> Sequence[float]:
    """Loads that a search asks for next; none where it is over.

    First the coarse ones; then, between the highest load below all saturated ones and the lowest
    of those, halfway, `HALVINGS` times. So the points are dense where the latency rises.

    Parameters
    ----------
    ideal : float or None
        Bound of the throughput; 1 where it is not known.
    saturated : mapping
        Whether the network was saturated, by the loads measured so far.
    """
    coarse = coarse_rates(ideal)
    missing = [rate for rate in coarse if rate not in saturated]
    if missing:
        return missing
    beyond = [rate for rate, full in saturated.items() if full]
    if not beyond or len(saturated) >= len(coarse) + HALVINGS:
        return ()
    lowest = min(beyond)
    below = max((rate for rate in saturated if rate < lowest), default=0.0)
    return (round((below + lowest) / 2, 6),)
