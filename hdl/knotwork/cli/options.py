"""Arguments and options that verbs share: each a decorator, so that a verb takes what it needs."""

from collections.abc import Callable, Sequence
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def network_argument(metavar: str) -> Decorator:
    """Decorator that gives a verb the argument ``words``, and what every verb with networks has.

    Parameters
    ----------
    metavar : str
        How the words are shown in the usage line: ``NET... SRC DST``.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        words = click.argument("words", metavar=metavar, nargs=-1, type=click.UNPROCESSED)
        return words(function)

    return decorate


network_words = network_argument("NET...")
"""Argument ``words`` of a verb that takes one network."""

several_networks = network_argument("NET... [NET...]...")
"""Argument ``words`` of a verb that takes one network or several."""

as_json = click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
"""Option that every verb has."""


def split_words(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Words of a network (its name and the ``key=value`` words behind it), and the others."""
    keys = 1
    while keys < len(words) and "=" in words[keys]:
        keys += 1
    return words[:keys], words[keys:]
