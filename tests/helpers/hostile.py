"""Hostile command lines: words from the project's own tables of parameters, mixed with what none
takes, and the promise that every run keeps.
"""

import contextlib
import dataclasses
import faulthandler
import io
import json
import os
import shlex
import signal
import sys
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from hypothesis import HealthCheck, currently_in_test_context, given, note, settings
from hypothesis import strategies as st
from knotwork.cli import main
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.parameters import (
    ROUTER_PARAMETERS,
    Choice,
    FromFile,
    Integer,
    Integers,
    Mix,
    Real,
    Span,
    YesNo,
)
from knotwork.parameters.collectives import CollectiveParameters
from knotwork.parameters.patterns import Pattern
from knotwork.routing import all_routings_of
from knotwork.routing.network_keys import network_keys, router_names
from knotwork.topology import TOPOLOGIES, GraphFile
from knotwork_sim.traffic.keys import Traffic

LIMIT = 240
"""Seconds after which a run hangs: the machine may be busy."""

ODD = [
    *("", " ", "0", "-1", "-0", "+3", "007", "1_000", "1e9", "1.5", "3.0", "0x10", "0b11"),
    *("nan", "NaN", "inf", "-inf", "1e400", "None", "null", "true", "yes ", "YES", "no", "4,"),
    *(",4", "4,,4", "4-1", "1-", "-4", "1-2-3", "1:2:3", "::", "0:1:0", "0.1:0.2:1e-12", "@"),
    *("@0", "@-1", "99999999999999999999", "9" * 5000, "n", "=", "n=", "=3", "--", "-", "-x"),
    *("--nothing", "\u0663", "M\u00f6bius", "\U0001f980", "a b", "a\nb", "\udcff", "../.."),
    *("%s", "{}", "[1]", "'", '"', "\\", "hypercube:n=3", "x.toml", ".toml", "tcp://127.0.0.1:9"),
]
"""Texts that few parameters are made for."""


def draws(quick: int, soak: int) -> Any:
    """Parameter `count`: draws of a test in `make test`, and in `make soak`."""
    more = pytest.param(soak, marks=pytest.mark.soak)
    return pytest.mark.parametrize("count", [quick, more], ids=["quick", "soak"])


def hold(count: int, strategy: st.SearchStrategy, body: Any) -> None:
    """Carry out `body` with so many draws."""
    health = list(HealthCheck)  # a draw may take long, and need a second attempt
    settings(max_examples=count, deadline=None, suppress_health_check=health, print_blob=True)(
        given(strategy)(body)
    )()


class HangError(BaseException):
    """A run that does not come to its end."""


class Outcome(NamedTuple):
    """What a command did."""

    status: int
    # What it printed.
    out: str
    err: str
    # Content of every file of its folder, None for a folder.
    before: dict[str, bytes | None]
    after: dict[str, bytes | None]

    @property
    def refusal(self) -> str:
        """Why it was refused; empty where it was not."""
        return self.err.removeprefix("knotwork: error: ").strip() if self.status == 2 else ""


def files(folder: Path) -> dict[str, bytes | None]:
    """Content of all files below a folder, None for folders and what leads nowhere."""
    found = {}
    for path in sorted(folder.rglob("*")):
        found[str(path.relative_to(folder))] = path.read_bytes() if path.is_file() else None
    return found


@contextlib.contextmanager
def limited(seconds: float, what: str):
    """Raise `HangError` in what takes longer; end the process where it does not even notice."""

    def ring(*_):
        raise HangError(f"within {seconds} s must end: {what}")

    handler = signal.signal(signal.SIGALRM, ring)
    before, _ = signal.setitimer(signal.ITIMER_REAL, seconds)  # pytest-timeout's
    faulthandler.dump_traceback_later(3 * seconds, exit=True, file=sys.__stderr__)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, before)
        signal.signal(signal.SIGALRM, handler)


def run(words: list[str], folder: Path) -> Outcome:
    """Carry out a command in a folder, as the shell would."""
    if currently_in_test_context():
        note("knotwork " + shlex.join(words))
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", errors="replace") for _ in range(2))
    before, home = files(folder), Path.cwd()
    os.chdir(folder)
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(),
            limited(LIMIT, shlex.join(words)),
        ):
            warnings.simplefilter("error", RuntimeWarning)  # a user would see it, unasked
            status = main.run(words)
    finally:
        os.chdir(home)
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    return Outcome(status, *texts, before, files(folder))


def check(outcome: Outcome, *, failing: bool = False, as_json: bool = False) -> None:
    """Hold a run to the promise: it worked, or it was refused in one line and left nothing.

    Parameters
    ----------
    failing : bool
        Whether the verb may find a fault, and end with 1.
    """
    part = [name for name in outcome.after if Path(name).name.startswith(".")]
    assert not part, f"a part is left: {part}"
    if outcome.status == 2:
        line = outcome.err.startswith("knotwork: error: ") and outcome.err.count("\n") == 1
        assert line and len(outcome.refusal) > 10, f"no line: {outcome.err!r}"
        assert outcome.out == "", f"said before it was refused: {outcome.out!r}"
        changed = {name for name, _ in outcome.after.items() ^ outcome.before.items()}
        assert not changed, f"changed, though refused: {changed}"
        return
    assert outcome.status in ((0, 1) if failing else (0,)), f"{outcome.status}: {outcome.err}"
    if outcome.status == 0:
        assert outcome.err == "", f"on stderr: {outcome.err!r}"
        assert outcome.out, "nothing was said"
        if as_json:
            json.loads(outcome.out, parse_constant=lambda word: 1 / 0)


# Words of networks

GRAPHS = [str(path) for path in sorted((Path(__file__).parent / "graphs").iterdir())]
"""Files of small graphs."""


def _mix(words: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Word alone, or several with shares."""
    one = st.sampled_from(words)
    parts = st.lists(one, min_size=2, max_size=3, unique=True)
    return st.one_of(one, parts.map(lambda found: ",".join(f"{word}:2" for word in found)))


def legal(kind: Any, spread: int = 2) -> st.SearchStrategy[str]:
    """Texts of a kind's least values, and of all words of a choice."""
    if isinstance(kind, YesNo):
        kind = Choice(("yes", "no"))
    match kind:
        case Integer(low, high):
            return st.integers(low, min(high, low + spread)).map(str)
        case Integers(low, high):
            one = legal(Integer(low, high), spread)
            return st.lists(one, min_size=1, max_size=3).map(",".join)
        case Real(low, high):
            reals = st.floats(max(low, 0.05), min(high, low + 20))
            return reals.map(lambda value: f"{value:.4g}")
        case Choice(words):
            return _mix(words) if isinstance(kind, Mix) else st.sampled_from(words)
        case Span(low, high):
            first = st.integers(low, min(high, low + spread))
            return st.tuples(first, st.integers(0, 3)).map(lambda s: f"{s[0]}-{s[0] + s[1]}")
        case _:
            of_graph = isinstance(kind, FromFile) and kind.content_class is GraphFile
            words = ["random", "identity", "complement", "1,0", "0,1,2,3"]
            return st.sampled_from(GRAPHS if of_graph else words)


def bounds(kind: Any) -> list[str]:
    """Texts at the edges of a kind's range, and just beyond."""
    low, high = getattr(kind, "low", None), getattr(kind, "high", None)
    if low is None or high is None:
        return ["", "-"]
    return [f"{low - 1:g}", f"{high + 1:.17g}", f"{-high:g}", f"{low},{low}", f"{low}.0", f"{low}x"]


def hostile(kind: Any) -> st.SearchStrategy[str]:
    """Texts for a kind that it may or may not take."""
    text = st.text(max_size=8).filter(lambda t: "\0" not in t)  # no argument can hold that
    return st.one_of(st.sampled_from(bounds(kind)), st.sampled_from(ODD), text)


def key_words(
    draw: Any, keys: dict[str, dataclasses.Field], *, odds: int, named: int, spread: int = 2
) -> list[str]:
    """``key=value`` words: all that must be named, of the others one in `named`.

    One value in `odds` is hostile; none if 0.
    """
    words = []
    for key, field in keys.items():
        must = field.default is dataclasses.MISSING
        if not must and draw(st.integers(1, named)) > 1:
            continue
        kind = field.metadata["kind"]
        strange = odds and draw(st.integers(1, odds)) == 1
        words.append(f"{key}={draw(hostile(kind) if strange else legal(kind, spread))}")
    return words


@st.composite
def network_words(draw: Any, odds: int = 12, spread: int = 2) -> list[str]:
    """Words of a network, legal but for one value in `odds`, of any topology, routing, router."""
    name = draw(st.sampled_from(list(TOPOLOGIES)))
    words = key_words(draw, TOPOLOGIES[name].keys(), odds=odds, named=2, spread=spread)
    routings = all_routings_of(name)
    routing = draw(st.sampled_from(list(routings)))
    router = draw(st.sampled_from(router_names(routings[routing])))
    if routing != next(iter(routings)) or draw(st.booleans()):
        words.append(f"routing={routing}")
    options = routings[routing].options_class.keys()
    if router != router_names(routings[routing])[0]:
        words.append(f"router={router}")
        options = {}
    hardware = {**options, **ROUTER_PARAMETERS.get(router, ROUTER_PARAMETERS["packet"]).keys()}
    if not odds:  # the other keys of collectives go with collectives=yes alone
        for key in {*CollectiveParameters.keys()} - {"collectives"}:
            del hardware[key]
    words += key_words(draw, hardware, odds=odds, named=5, spread=spread)
    if "dead" in network_keys(name, routing, router) and draw(st.integers(1, 4)) == 1:
        words.append(f"dead={draw(st.sampled_from(['1', '0-1', '1,0-2', '@0-@1']))}")
    if odds and draw(st.integers(1, odds)) == 1:
        words.append(draw(st.one_of(st.sampled_from(ODD), st.sampled_from(words or [""]))))
    return [draw(st.sampled_from([name] * 15 + ODD[:2])) if odds else name, *words]


def joined(*parts: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    """Words of all parts, one after the other."""
    return st.tuples(*parts).map(lambda lists: [word for words in lists for word in words])


def is_network(words: list[str], most: int) -> bool:
    """Whether words are a network that can be built, of at most so many nodes."""
    try:
        network = Network.from_words(words)
        network.require_deadlock_free()
    except ConfigurationError:
        return False
    return network.topology.nodes <= most


def fits(words: list[str], most: int) -> bool:
    """Whether a network has at most so many nodes; what is no network does."""
    try:
        return Network.from_words(words).topology.nodes <= most
    except Exception:  # whatever it is, the command under test must meet it
        return True


def in_one_word(words: list[str]) -> str:
    """Network's words as one: moebius:n=6,twist=1."""
    return f"{words[0]}:{','.join(words[1:])}"


@st.composite
def traffic_words(draw: Any, odds: int = 12) -> list[str]:
    """Words of traffic, with few packets."""
    keys = {key: field for key, field in Traffic.keys().items() if key != "packets"}
    return [*key_words(draw, keys, odds=odds, named=4), f"packets={draw(st.integers(1, 60))}"]


@st.composite
def pattern_words(draw: Any, odds: int = 12) -> list[str]:
    """Words of the traffic that routings are compared under."""
    return key_words(draw, Pattern.keys(), odds=odds, named=4)


# Options, as the verbs declare them


def verb_options(verb: str) -> list[click.Option]:
    """Options of a verb, without ``--help``."""
    command = main.cli.get_command(click.Context(main.cli), verb)
    return [made for made in command.params if isinstance(made, click.Option)]


@st.composite
def option_words(draw: Any, verb: str, places: list[str], *, without: tuple[str, ...] = ()):
    """Some of a verb's options, with values that their types take or do not."""
    words = []
    for option in verb_options(verb):
        if option.opts[0] in without or draw(st.integers(1, 4)) > 1 + option.required * 2:
            continue
        words.append(draw(st.sampled_from(option.opts)))
        if not option.is_flag:
            for _ in range(option.nargs):
                words.append(draw(_option_value(option, places)))
    return words


def _option_value(option: click.Option, places: list[str]) -> st.SearchStrategy[str]:
    kind, odd = option.type, st.sampled_from(ODD)
    if isinstance(kind, click.Choice):
        return st.one_of(st.sampled_from(list(kind.choices)), odd)
    if isinstance(kind, click.IntRange):
        low = kind.min or 0
        return st.one_of(st.integers(low, low + 3).map(str), st.integers(-5, 5).map(str), odd)
    if isinstance(kind, click.Path) or option.name in ("directory", "file", "path"):
        return st.sampled_from(places)
    return st.one_of(st.sampled_from(["0", "1", "2", "0,1", "1,2,3", "random", "0.1:0.2:0.1"]), odd)
