"""Verb of the command line: a click command whose help has its keys, examples and output."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import click

Keys = Callable[[], Mapping[str, dataclasses.Field]]
"""Declared keys of a set of parameters, loaded only when they are shown or completed."""


class Verb(click.Command):
    """Verb whose help also shows its keys, examples, and what it writes.

    Parameters
    ----------
    examples : sequence of str
        Command lines without ``knotwork``, at least three; a test runs each.
    writes : str
        What it prints and which files it leaves.
    keys : mapping of str to callable
        What it takes as ``key=value`` beside the network's keys: for each title, its `Keys`.
    """

    def __init__(
        self,
        *arguments: Any,
        examples: Sequence[str] = (),
        writes: str = "",
        keys: Mapping[str, Keys] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self.examples = tuple(examples)
        self.writes = writes
        self.keys = dict(keys or {})

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write usage, text, options, keys, examples, and what it writes."""
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        self.format_options(ctx, formatter)
        for title, keys in self.keys.items():
            with formatter.section(title):
                formatter.write_dl([_key_row(key, field) for key, field in keys().items()])
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}knotwork {example}\n")
        if self.writes:
            with formatter.section("Writes"):
                formatter.write_text(self.writes)


verb = partial(click.command, cls=Verb)
"""Decorator that makes a function a `Verb`."""


def _key_row(key: str, field: dataclasses.Field) -> tuple[str, str]:
    """Key and its meaning, range and default, as a list of definitions shows them."""
    metadata = field.metadata
    if field.default is None:
        default = ""  # its help says what it follows from
    elif field.default is dataclasses.MISSING:
        default = ", required"
    else:
        default = f", default {metadata['kind'].shown(field.default)}"
    return f"{key}=", f"{metadata['help']}; {metadata['kind'].rule}{default}"
