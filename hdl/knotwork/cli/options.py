"""Arguments and options that verbs share: each a decorator, so that a verb takes what it needs."""

import math
from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import ConfigurationError
from ..estimates.work import FEW_SECONDS, Limit, Work
from ..progress import report
from ..wording import not_one_of, parse_integer, parse_real
from .command import NetworkArgument

if TYPE_CHECKING:
    from ..designs import Design
    from ..network import Network

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class OneOf(click.Choice[str]):
    """Choice of an option's words; another word is refused with the one that may be meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Word itself."""
        if value in self.choices:
            return value
        raise ConfigurationError(not_one_of(_option_named(param, ctx), self.choices, value))


class _Number(click.ParamType):
    """Number of an option, as `wording.numerals` reads it; another is refused with the rule."""

    what = "a number"
    read = staticmethod(parse_real)

    def __init__(self, least: float | None = None, most: float | None = None) -> None:
        self.least, self.most = least, most

    @property
    def rule(self) -> str:
        """Range in words."""
        if self.least is None:
            return self.what
        if self.most is None:
            return f"{self.what} of at least {self.least}"
        return f"{self.what} in {self.least}..{self.most}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Number that a text spells; a number itself."""
        try:
            number = self.read(value) if isinstance(value, str) else value
        except ValueError:
            number = math.nan
        least, most = self.least, self.most
        if (
            math.isfinite(number)
            and (least is None or number >= least)
            and (most is None or number <= most)
        ):
            return number
        raise ConfigurationError(f"{_option_named(param, ctx)} must be {self.rule}, not {value!r}")


class IntegerType(_Number):
    """Whole number of an option, in a range."""

    name = "integer"
    what = "an integer"
    read = staticmethod(parse_integer)


class NumberType(_Number):
    """Real number of an option."""

    name = "float"


def _option_named(param: click.Parameter | None, ctx: click.Context | None) -> str:
    """Option as errors name it, behind its verb."""
    verb = f"{ctx.info_name}: " if ctx is not None and ctx.info_name else ""
    return verb + (param.opts[-1] if param is not None else "a word")


def _load_plugins(context: click.Context, _: click.Parameter, files: tuple[Path, ...]) -> None:
    from .. import user_defined  # noqa: F401 - finds the networks of installed packages

    if files and not context.resilient_parsing:
        from ..user_defined.plugins import load_plugin

        for file in files:
            load_plugin(file)


plugin_option = click.option(
    "--plugin",
    metavar="FILE.py",
    type=click.Path(path_type=Path),
    multiple=True,
    is_eager=True,
    expose_value=False,
    callback=_load_plugins,
    help="Also load user-defined networks, routings and operations from this file.",
)
"""Option of every verb that takes networks."""


def network_argument(metavar: str, *, several: bool = False) -> Decorator:
    """Decorator that gives a verb the argument ``words``, and what every verb with networks has.

    Parameters
    ----------
    metavar : str
        How the words are shown in the usage line: ``NET... SRC DST``.
    several : bool
        Whether the verb takes several networks.
    """

    class Words(NetworkArgument):
        """Words of one network or several."""

    Words.several = several

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        words = click.argument(
            "words", metavar=metavar, nargs=-1, type=click.UNPROCESSED, cls=Words
        )
        return plugin_option(words(function))

    return decorate


network_words = network_argument("NET...")
"""Argument ``words`` of a verb that takes one network."""

several_networks = network_argument("NET... [NET...]", several=True)
"""Argument ``words`` of a verb that takes one network or several."""


def file_option(*names: str, help: str, metavar: str = "FILE") -> Decorator:
    """Decorator that gives a verb an option whose value is the path of a file.

    Parameters
    ----------
    names : str
        The option, and the argument if it has another name.
    help, metavar : str
        As for `click.option`.
    """
    path = click.Path(path_type=Path, dir_okay=False)
    return click.option(*names, type=path, metavar=metavar, help=help)


as_json = click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
"""Option that every verb has."""


multicast_order = click.option(
    "--order",
    type=OneOf(("xor", "address")),
    help="Sort a multicast's nodes by address XOR the source's, as the hardware does, or by "
    "address [xor].",
)
"""Option of every verb that shows a multicast."""

STDOUT = Path("-")
"""File that stands for stdout."""

picture_format = click.option(
    "--format",
    "picture_kind",
    type=OneOf(("svg", "png", "pdf")),
    help="Format of the picture, with -o - [svg].",
)
"""Option of every verb that draws."""


def stdout_kind(verb: str, file: Path | None, requested: str | None, as_json: bool) -> str | None:
    """Kind of picture that goes to stdout; None where there is none.

    Parameters
    ----------
    verb : str
        Name of the verb, for errors.
    file : Path or None
        Value of ``-o``.
    requested : str or None
        Value of ``--format``.
    as_json : bool
        Whether stdout has JSON.

    Raises
    ------
    ConfigurationError
        A format of a file, which its suffix says; two answers on stdout.
    """
    if file != STDOUT:
        if requested is not None:
            raise ConfigurationError(
                f"{verb}: --format must be used with -o -; a file's suffix says it"
            )
        return None
    if as_json:
        raise ConfigurationError(f"{verb}: --json must not be used with -o -")
    return requested or "svg"


def _keep_limit(context: click.Context, _: click.Parameter, text: str | None) -> None:
    context.meta[_LIMIT] = Limit.default() if text is None else Limit.from_text(text)


_LIMIT = "knotwork.limit"

work_limit = click.option(
    "--limit",
    metavar="TIME,MEMORY",
    callback=_keep_limit,
    expose_value=False,
    help="Refuse work whose estimate exceeds this: 2h, 16GB, 2h,16GB or none [10min and the free "
    "memory].",
)
"""Option of every verb that may work long; `start_work` reads it."""


def chosen_limit() -> Limit:
    """What the verb's ``--limit`` allows."""
    context = click.get_current_context(silent=True)
    limit = context.meta.get(_LIMIT) if context is not None else None
    return limit or Limit.default()


def start_work(what: str, work: Work) -> None:
    """Say how long work will take, where that is more than a few seconds.

    Parameters
    ----------
    what : str
        What the verb does to which network: ``generate hypercube_n20``.
    work : Work
        Estimate.

    Raises
    ------
    ConfigurationError
        The work is beyond the verb's ``--limit``.
    """
    chosen_limit().require(what, work)
    if work.seconds > FEW_SECONDS:
        report(f"{what} takes about {work}")


def start_networks(
    verb: str, networks: "Sequence[Network]", estimate: "Callable[[Network], Work]"
) -> None:
    """Say how long a verb's work on networks will take, or refuse it, as `start_work` does."""
    total = reduce(Work.then, map(estimate, networks))
    others = f" and {len(networks) - 1} more" if len(networks) > 1 else ""
    start_work(f"{verb} {networks[0].name}{others}", total)


def read_networks(words: Sequence[str]) -> "list[Network]":
    """Networks that the words of `several_networks` name, at least one, each alone."""
    from ..designs import read_network
    from ..network_words import split_networks

    return [read_network(net) for net in split_networks(words).networks or [[]]]


def read_designs(words: Sequence[str]) -> "list[Design]":
    """Designs that the words of `several_networks` name, at least one."""
    from ..designs import read_design
    from ..network_words import split_networks

    return [read_design(net) for net in split_networks(words).networks or [[]]]


def require_distinct(networks: "Sequence[Network | Design]") -> None:
    """Refuse two networks of one name, whose files would be the same.

    Raises
    ------
    ConfigurationError
        A name that two of them have.
    """
    names = [network.name for network in networks]
    for name in names:
        if names.count(name) > 1:
            raise ConfigurationError(f"networks must have different names, not {name} twice")


def split_words(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Words of a network (its name and the ``key=value`` words behind it), and the others."""
    keys = 1
    while keys < len(words) and "=" in words[keys]:
        keys += 1
    return words[:keys], words[keys:]
