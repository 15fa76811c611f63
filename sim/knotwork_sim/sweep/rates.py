"""Offered loads of a sweep: those that the user names, or a search for saturation."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from reprlib import repr as brief

from knotwork.errors import ConfigurationError

COARSE = 8
"""Even steps of a search from zero load to the ideal throughput; two more steps follow."""
HALVINGS = 4
"""Number of times that the step in which saturation was found is halved."""

_RATE_LIMIT = 1000  # rates of a range


def parse_rates(text: str, *, option: str = "--rates") -> tuple[float, ...]:
    """Loads in flits per node per cycle: ``FIRST:LAST:STEP``, both ends included, or ``0.1,0.25``.

    `option` is the command line's option with this text.

    Raises
    ------
    ConfigurationError
        Text of another form, a load that is not above 0 and at most 1, an empty range, or too
        many loads.
    """
    if re.fullmatch(r"[0-9.]+(,[0-9.]+)*", text):
        return _listed_rates(text, option)
    found = re.fullmatch(r"([0-9.]+):([0-9.]+):([0-9.]+)", text)
    try:
        first, last, step = map(Decimal, found.groups() if found else ())
    except (ValueError, ArithmeticError):
        raise no_rates(option, text) from None
    for load in (first, last):
        check_rate(load)
    if first > last or step <= 0:
        raise ConfigurationError(
            f"sweep: {option} must be a range with FIRST <= LAST and STEP above 0, not {text}"
        )
    count = int((last - first) / step) + 1
    _require_few(count)
    return tuple(float(first + number * step) for number in range(count))


def no_rates(option: str, value: object) -> ConfigurationError:
    """Error of an option whose value names no loads."""
    return ConfigurationError(
        f"sweep: {option} must be FIRST:LAST:STEP, or loads, 0.1 or 0.1,0.25, not {brief(value)}"
    )


def _listed_rates(text: str, option: str) -> tuple[float, ...]:
    """Loads with commas between them, each once."""
    words = text.split(",")
    _require_few(len(words))
    try:
        return tuple(dict.fromkeys(check_rate(Decimal(word)) for word in words))
    except ArithmeticError:
        raise no_rates(option, text) from None


def _require_few(count: int) -> None:
    if count > _RATE_LIMIT:
        raise ConfigurationError(f"sweep: loads must be at most {_RATE_LIMIT}, not {count}")


def check_rate(load: float | Decimal) -> float:
    """Load as a number of flits per node per cycle.

    Raises
    ------
    ConfigurationError
        A load that is not above 0 and at most 1.
    """
    if not 0 < load <= 1:
        raise ConfigurationError(f"sweep: a load must be above 0 and at most 1, not {load}")
    return float(load)


def highest_rate(ideal: float | None, limit: float = 1.0) -> float:
    """Highest load that a search may offer; `limit` is what the traffic can offer at most."""
    return coarse_rates(ideal, limit)[-1]


def coarse_rates(ideal: float | None, limit: float = 1.0) -> tuple[float, ...]:
    """Loads with which a search begins: even steps to the ideal throughput and a little beyond."""
    step = min(ideal or 1.0, limit) / COARSE
    rates = (round(step * n, 6) for n in range(1, COARSE + 3))
    return tuple(rate for rate in rates if rate <= limit)


def next_rates(
    ideal: float | None, saturated: Mapping[float, bool], limit: float = 1.0
) -> Sequence[float]:
    """Loads that a search measures next; none if it is done.

    It begins with the coarse loads. Then it halves the step between the lowest saturated load and
    the next lower load, `HALVINGS` times, so the points are dense where the latency rises.

    Parameters
    ----------
    ideal : float or None
        Upper bound of the throughput; None stands for 1.
    saturated : mapping
        For each load measured so far, whether the network was saturated.
    limit : float
        Load that the traffic can offer at most.
    """
    coarse = coarse_rates(ideal, limit)
    missing = [rate for rate in coarse if rate not in saturated]
    if missing:
        return missing
    beyond = [rate for rate, full in saturated.items() if full]
    if not beyond or len(saturated) >= len(coarse) + HALVINGS:
        return ()
    lowest = min(beyond)
    below = max((rate for rate in saturated if rate < lowest), default=0.0)
    return (round((below + lowest) / 2, 6),)
