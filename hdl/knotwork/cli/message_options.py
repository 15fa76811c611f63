"""Options that say what is to be delivered: a permutation, or any set of messages."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import click

from ..errors import ConfigurationError
from .options import WholeNumber, file_option

LINEAR = "lc"
"""Name of the permutation that ``--matrix`` and ``--complement`` give."""

_OPTIONS = (
    click.option(
        "--permutation",
        metavar="NAME",
        help="identity, complement, random, reversal, transpose, shuffle, bit_rotation, lc, "
        "destinations a,b,..., or a file: a JSON list of them.",
    ),
    click.option(
        "--messages",
        metavar="NAME",
        help="Any messages instead, several of a node or to a node too: random_routing (every node "
        "draws one destination by itself), or a file: a JSON list of [source, destination], or "
        "lines SOURCE,DESTINATION (.csv).",
    ),
    file_option(
        "--matrix",
        help="For lc: n lines of n characters 0 or 1, the highest bit first.",
    ),
    click.option(
        "--complement",
        metavar="BITS",
        help="For lc: n characters 0 or 1, the highest bit first [all 0].",
    ),
    click.option(
        "--seed",
        type=WholeNumber(0, 2**63 - 1),
        default=1,
        show_default=True,
        help="Seed of what is drawn.",
    ),
)


class Asked(NamedTuple):
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
            raise ConfigurationError(f"{verb}: --messages must not go with --permutation")
        if one and self.permutation is None and self.messages is None:
            raise ConfigurationError(f"{verb}: there must be --permutation or --messages")
        if self.permutation != LINEAR and (self.matrix or self.complement) is not None:
            instead = "" if self.permutation is None else f", not {self.permutation!r}"
            raise ConfigurationError(
                f"{verb}: --matrix and --complement must come with --permutation {LINEAR}{instead}"
            )

    @property
    def is_any(self) -> bool:
        """Whether there is something to deliver."""
        return self.permutation is not None or self.messages is not None


def message_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb the options; it hands their values to `Asked`."""
    return reduce(lambda made, option: option(made), reversed(_OPTIONS), function)
