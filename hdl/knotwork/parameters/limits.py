"""What classes of traffic may have of a network: limits at the nodes, weights at the links."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from ..errors import ConfigurationError


class Limit(NamedTuple):
    """Limit of what a node sends of a class of traffic.

    In any t cycles it sends at most ``burst + rate * t`` flits, and it starts a packet only when it
    may send `burst` flits at once.
    """

    rate: Fraction
    burst: int


def limits(
    rates: tuple[Fraction, ...] | None,
    bursts: tuple[int, ...] | None,
    *,
    classes: int,
    owner: str,
) -> tuple[Limit | None, ...]:
    """Limits of each class, None for none, of the values of ``class_limits`` and ``class_bursts``.

    Raises
    ------
    ConfigurationError
        Another number of values than of classes, or bursts without limits.
    """
    _require_one_each("class_limits", rates, classes=classes, owner=owner)
    _require_one_each("class_bursts", bursts, classes=classes, owner=owner)
    if rates is None:
        if bursts is not None:
            raise ConfigurationError(
                f"{owner}: class_bursts must go with class_limits, not alone as "
                f"{_comma_separated(bursts)}"
            )
        return (None,) * classes
    sizes = bursts or (1,) * classes
    return tuple(
        None if rate == 1 else Limit(rate, size) for rate, size in zip(rates, sizes, strict=True)
    )


def link_weights(
    arbitration: str, weights: tuple[int, ...] | None, *, classes: int, owner: str
) -> tuple[int, ...]:
    """Weights of each class, none for strict priority, of ``arbitration`` and ``class_weights``.

    Raises
    ------
    ConfigurationError
        Another number of weights than of classes, or weights of strict priority.
    """
    _require_one_each("class_weights", weights, classes=classes, owner=owner)
    if arbitration == "strict":
        if weights is not None:
            raise ConfigurationError(
                f"{owner}: class_weights must go with arbitration=weighted, not with strict as "
                f"{_comma_separated(weights)}"
            )
        return ()
    if classes == 1:
        raise ConfigurationError(
            f"{owner}: arbitration must be strict without classes of traffic, not {arbitration}"
        )
    return weights or (1,) * classes


def _require_one_each(
    key: str, values: Sequence[Fraction | int] | None, *, classes: int, owner: str
) -> None:
    """Refuse another number of values than of classes, or any where there is one class."""
    if values is not None and (classes == 1 or len(values) != classes):
        rule = f"{classes} numbers, one for each class" if classes > 1 else "unnamed"
        where = "" if classes > 1 else " without classes of traffic"
        raise ConfigurationError(
            f"{owner}: {key} must be {rule}{where}, not {_comma_separated(values)}"
        )


def _comma_separated(values: Sequence[Fraction | int]) -> str:
    return ",".join(map(str, values))
