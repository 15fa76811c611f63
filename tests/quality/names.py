"""Command that measures what its arguments name, or everything."""

from collections.abc import Callable, Sequence
from typing import Any

import click


def command_of_names(names: Sequence[str]) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command of a function, whose `names` are those given on the line, each one of these.

    `--help` lists them all.
    """

    def made(function: Callable[..., Any]) -> click.Command:
        given = click.argument("names", nargs=-1, metavar="[NAME]...", type=click.Choice(names))
        return click.command(epilog=f"NAME is one of {', '.join(names)}.")(given(function))

    return made
