"""Verb of the command line: a click command whose help has its keys, examples and output."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import click
from click.shell_completion import CompletionItem

Keys = Callable[[], Mapping[str, dataclasses.Field]]
"""Declared keys of a set of parameters, loaded only when they are shown or completed."""


class NetworkArgument(click.Argument):
    """Words of a verb's networks, completed with names, keys, and the values of choices."""

    several = False
    """Whether the verb takes several networks."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Words that may stand here."""
        from .words_completion import complete_words

        own = ctx.command.own_keys() if isinstance(ctx.command, Verb) else {}
        before = list(ctx.params.get(self.name) or ())
        found = complete_words(before, incomplete, own, several=self.several)
        return [CompletionItem(word) for word in found]


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

    def own_keys(self) -> dict[str, dataclasses.Field]:
        """Keys that the verb takes beside those of its networks."""
        return {key: field for keys in self.keys.values() for key, field in keys().items()}

    def all_keys(self) -> dict[str, dataclasses.Field]:
        """Keys that it takes: its own, and those of any network if it takes networks."""
        if not any(isinstance(each, NetworkArgument) for each in self.params):
            return self.own_keys()
        from ..routing.network_keys import all_network_keys
        from ..topology import TOPOLOGIES

        networks = {
            key: field for name in TOPOLOGIES for key, field in all_network_keys(name).items()
        }
        return networks | self.own_keys()

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write usage, text, options, keys, examples, and what it writes."""
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        self.format_options(ctx, formatter)
        for parameter in self.get_params(ctx):
            if isinstance(parameter, NetworkArgument):
                _format_networks(formatter, several=parameter.several)
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


def _format_networks(formatter: click.HelpFormatter, *, several: bool) -> None:
    """Write how a network is named, which there are, and where its keys are listed."""
    from ..parameters import ROUTER_PARAMETERS
    from ..topology import TOPOLOGIES

    with formatter.section("Networks"):
        formatter.write_text(
            "NET is a name with key=value words, both in one word, or a TOML file:"
        )
        forms = ["hypercube n=3 data_width=64", "hypercube:n=3,data_width=64", "my.toml n=4"]
        if several:
            forms.append("hypercube n=3 mesh x=3 y=3   (several networks, one after the other)")
        for form in forms:
            formatter.write(f"{'':{formatter.current_indent + 2}}{form}\n")
        formatter.write_text(f"Names: {', '.join(TOPOLOGIES)}.")
        formatter.write_text(
            "`knotwork networks NAME` shows one network's keys, routings and router classes, with "
            "ranges and defaults. All have routing=, router= and name= (of the top module). Most "
            "have packet routers, with these keys:"
        )
        keys = ROUTER_PARAMETERS["packet"].keys()
        formatter.write_dl([_key_row(key, field) for key, field in keys.items()])


def _key_row(key: str, field: dataclasses.Field) -> tuple[str, str]:
    """Key and its meaning, range and default, as a list of definitions shows them."""
    metadata = field.metadata
    if field.default is None:
        default = ""  # its help says what it follows from
    elif field.default is dataclasses.MISSING:
        default = ", required"
    else:
        default = f", default {metadata['kind'].display(field.default)}"
    return f"{key}=", f"{metadata['help']}; {metadata['kind'].rule}{default}"
