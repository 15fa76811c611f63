"""Arguments and options that verbs share."""

from collections.abc import Sequence

import click

network_words = click.argument("words", metavar="NET...", nargs=-1, type=click.UNPROCESSED)
"""Argument that takes the words of a network."""

as_json = click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
"""Option that every verb has."""


def split_words(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Words of a network (its name and the ``key=value`` words behind it), and the others."""
    keys = 1
    while keys < len(words) and "=" in words[keys]:
        keys += 1
    return words[:keys], words[keys:]
