"""Options that say what is to be delivered: a permutation, or any set of messages."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import click

from ..errors import ConfigurationError
from .options import IntegerType, file_option

LINEAR = "lc"
"""Name of the permutation that ``--matrix`` and ``--complement`` give."""

_OPTIONS = (
    click.option(
        "--permutation",
        metavar="NAME",
        help="identity, complement, random, reversal, transpose, shuffle, bit_rotation, lc, "
        "destinations a,b,..., or a file: a JSON list of destinations.",
    ),
    click.option(
        "--messages",
        metavar="NAME",
        help="Arbitrary messages instead, where a node may send or receive several: random_routing "
        "(every node draws one destination independently), or a file: a JSON list of [source, "
        "destination], or lines SOURCE,DESTINATION (.csv).",
    ),
    file_option(
        "--matrix",
        help="For lc: n lines of n characters 0 or 1, the most significant bit first.",
    ),
    click.option(
        "--complement",
        metavar="BITS",
        help="For lc: n characters 0 or 1, the most significant bit first [all 0].",
    ),
    click.option(
        "--seed",
        type=IntegerType(0, 2**63 - 1),
        default=1,
        show_default=True,
        help="Seed of the random choices.",
    ),
)


class MessageRequest(NamedTuple):
    """What is to be delivered, as the options of `message_options` name it."""

    permutation: str | None
    messages: str | None
    matrix: Path | None
    complement: str | None
    seed: int

    def require(self, verb: str, *, one: bool) -> None:
        """Refuse options that do not go together.

        Parameters
        ----------
        verb : str
            Head of the lines of errors.
        one : bool
            Whether something must be delivered.

        Raises
        ------
        ConfigurationError
            Both a permutation and messages; neither, where there must be one; a matrix or a
            complement without their permutation.
        """
        if self.permutation is not None and self.messages is not None:
            raise ConfigurationError(f"{verb}: --messages must not be used with --permutation")
        if one and self.permutation is None and self.messages is None:
            raise ConfigurationError(f"{verb}: --permutation or --messages must be given")
        if self.permutation != LINEAR and (self.matrix or self.complement) is not None:
            instead = "" if self.permutation is None else f", not {self.permutation!r}"
            raise ConfigurationError(
                f"{verb}: --matrix and --complement must be used with --permutation "
                f"{LINEAR}{instead}"
            )

    @property
    def is_any(self) -> bool:
        """Whether there is something to deliver."""
        return self.permutation is not None or self.messages is not None


def message_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb the options; it hands their values to `MessageRequest`."""
    return reduce(lambda made, option: option(made), reversed(_OPTIONS), function)
