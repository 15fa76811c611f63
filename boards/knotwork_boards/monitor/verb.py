"""Verb monitor: the windows of a board, live, as text or as JSON; and commands to it."""

import itertools
import json
import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click
from knotwork.cli import output
from knotwork.cli.command import verb
from knotwork.cli.options import (
    IntegerType,
    NumberType,
    as_json,
    file_option,
    network_argument,
)
from knotwork.errors import CheckFailedError, ConfigurationError

if TYPE_CHECKING:
    from knotwork.network import Network

    from .commands import Request
    from .session import Session
    from .window_line import WindowLine


_ERASE, _END, _DROP = ("\x7f", "\b"), ("\r", "\n"), "\x15"  # backspace, return, Ctrl-U


class Keyboard:
    """Standard input, read without waiting.

    On a terminal keys come one by one and are not echoed, so that a line that is being typed can be
    shown below the table.

    Parameters
    ----------
    stream : TextIO
        Where keys come from.

    Members
    -------
    typed : str
        Line that is not finished.
    is_terminal : bool
        Whether someone types.
    """

    def __init__(self, stream: TextIO) -> None:
        self.typed = ""
        self.is_terminal = False
        self._handle: int | None = None
        with suppress(OSError, ValueError, AttributeError):  # pytest's, or a closed one
            handle = stream.fileno()
            self.is_terminal = os.isatty(handle)
            # A job in the background would be stopped when it reads from its terminal.
            if not self.is_terminal or os.tcgetpgrp(handle) == os.getpgrp():
                self._handle = handle

    @contextmanager
    def open(self) -> Iterator[None]:
        """Context in which keys are not echoed."""
        if self._handle is None or not self.is_terminal:
            yield
            return
        import termios
        import tty

        before = termios.tcgetattr(self._handle)
        try:
            tty.setcbreak(self._handle)
            yield
        finally:
            termios.tcsetattr(self._handle, termios.TCSADRAIN, before)

    def lines(self) -> list[str]:
        """Lines that were finished since the last call."""
        found = []
        for key in self._keys():
            if key in _END:
                found.append(self.typed.strip())
                self.typed = ""
            elif key in _ERASE:
                self.typed = self.typed[:-1]
            elif key == _DROP:
                self.typed = ""
            elif key.isprintable():
                self.typed += key
        return [line for line in found if line]

    def _keys(self) -> str:
        keys = b""
        while self._handle is not None and select.select([self._handle], [], [], 0)[0]:
            try:
                some = os.read(self._handle, 1024)
            except OSError:
                some = b""
            if not some:  # the end of a file
                self._handle = None
            keys += some
        return keys.decode(errors="replace")


def standard_input() -> Keyboard:
    """Keyboard of this process."""
    return Keyboard(sys.stdin)


REFRESH_SECONDS = 0.1
"""Seconds between two pictures of the live table."""

Show = Callable[["WindowLine"], None]


def _setting(name: str, help: str, metavar: str) -> Callable[[Any], Any]:
    return click.option(f"--{name}", metavar=metavar, help=help)


@verb(
    examples=[
        "monitor /dev/ttyUSB0",
        "monitor /dev/ttyUSB1 --windows 10 --json",
        "monitor COM3 moebius n=3 --rate 0.2 --pattern complement --length 4",
        "monitor simulated hypercube n=2 data_width=16 --rate 0.3 --windows 3",
    ],
    writes="A line per window of the self-test; on a terminal, a table that goes on, and a line "
    "in which commands can be typed: start, stop, clear, rate 0.3, and the other options' names. "
    "No file.",
)
@click.argument("port")
@network_argument("[NET...]")
@click.option(
    "--baud",
    default=115200,
    show_default=True,
    type=IntegerType(1),
    help="Bits per second.",
)
@click.option("--windows", type=IntegerType(1), help="Stop after this many windows.")
@click.option(
    "--patience",
    type=NumberType(),
    default=10.0,
    show_default=True,
    help="Seconds to wait for a line.",
)
@_setting("mode", "self-test or measure [measure, with an option below].", "MODE")
@_setting("rate", "Offered load, in flits per node per cycle.", "RATE")
@_setting("pattern", "Where packets go: uniform, successor, complement, ...", "NAME")
@_setting("length", "Flits per packet.", "FLITS")
@_setting("cycles", "Measured cycles per window.", "CYCLES")
@_setting("warmup", "Cycles before the measured ones.", "CYCLES")
@_setting("seed", "Seed of the board's random numbers.", "SEED")
@file_option(
    "--table",
    help="Send by another linear-complement permutation (lc1 and lc2): a JSON list of the nodes' "
    "destinations.",
)
@click.option("--clear", is_flag=True, help="Restart the board's count of windows at 0.")
@click.option("--start", is_flag=True, help="Start a board that was stopped.")
@click.option("--stop", is_flag=True, help="Stop the board after the current window, and exit.")
@as_json
def monitor(
    *,
    port: str,
    words: tuple[str, ...],
    baud: int,
    windows: int | None,
    patience: float,
    table: Path | None,
    as_json: bool,
    **commands: Any,
) -> None:
    """Show and control a board's self-test over serial port PORT.

    With NET, the monitor checks the network of the board, and shows loads per node; PORT may be
    "simulated", a board that Verilator runs. Ends with exit status 1 at the first window that
    fails. With --json, each window is one line.
    """
    from .session import SerialLink, Session, device_of

    if patience <= 0:
        raise ConfigurationError(f"monitor: patience must be positive seconds, not {patience:g}")
    network = _network(port, words)
    request = _request(network, commands)
    loaded = b"" if table is None else _table(network, table)
    with ExitStack() as stack:
        status = _StatusOutput()
        device = device_of(port, network, stack)
        link = stack.enter_context(SerialLink(device, baud=baud, report=status))
        session = Session(link=link, network=network, patience=patience)
        session.load(loaded)
        session.send(request)
        if "stop" in request.actions:
            return
        keyboard = standard_input()
        stack.enter_context(keyboard.open())
        show = stack.enter_context(_display(session, keyboard, status, as_json))
        for line in itertools.islice(session.windows(), windows):
            show(line)
            if not line.passed:
                raise CheckFailedError(
                    f"{line.name}: window {line.window} must pass, but its line says FAIL"
                )


class _StatusOutput:
    """Output of status messages: stderr, until the live table takes them."""

    def __init__(self) -> None:
        self.redirect: Callable[[str], None] | None = None

    def __call__(self, what: str) -> None:
        if self.redirect is not None:
            self.redirect(what)
        else:
            click.echo(f"knotwork: {what}", err=True)


def _network(port: str, words: tuple[str, ...]) -> "Network | None":
    from .session import SIMULATED

    if not words:
        if port == SIMULATED:
            raise ConfigurationError(
                "monitor: simulated must be used with a network, as in hypercube n=2"
            )
        return None
    from knotwork.designs import read_network

    return read_network(list(words))


def _request(network: "Network | None", commands: dict[str, Any]) -> "Request":
    """Request that the options make: each has the name of its command."""
    from ..measuring import MEASURE
    from .commands import ACTIONS, Request, read_setting

    chosen = {
        name: read_setting(name, text, network)
        for name, text in commands.items()
        if name not in ACTIONS and text is not None
    }
    if chosen:
        chosen.setdefault("mode", MEASURE)
    return Request(chosen, tuple(action for action in ACTIONS if commands[action]))


def _table(network: "Network | None", file: Path) -> bytes:
    from .commands import permutation_commands

    if network is None:
        raise ConfigurationError("monitor: --table must be used with a network, as in ccc n=3")
    return permutation_commands(network, file)


@contextmanager
def _display(
    session: "Session", keyboard: "Keyboard", status: _StatusOutput, as_json: bool
) -> Iterator[Show]:
    """Context in which windows are shown, and what is typed is sent."""
    from .commands import read_words

    def type_commands(text: str) -> str | None:
        """Send a line; return why it cannot be."""
        try:
            session.send(read_words(text, session.network))
        except ConfigurationError as error:
            if not keyboard.is_terminal:
                raise
            return str(error)
        return None

    screen = output.console()
    if as_json or not screen.is_terminal:
        yield from _plain(session, keyboard, type_commands, as_json)
    else:
        yield from _live(session, keyboard, status, type_commands)


def _plain(
    session: "Session",
    keyboard: "Keyboard",
    type_commands: Callable[[str], str | None],
    as_json: bool,
) -> Iterator[Show]:
    from . import display

    heads: list[object] = []
    skipped = 0

    def wait() -> None:
        for text in keyboard.lines():
            if (wrong := type_commands(text)) is not None:
                click.echo(f"knotwork: {wrong}", err=True)

    def show(line: "WindowLine") -> None:
        nonlocal skipped
        if as_json:
            more = session.link.skipped - skipped
            skipped += more
            click.echo(json.dumps(display.fields(line, session.network, more)))
        else:
            head = [line.name, display.columns(line)]
            if head != heads:
                heads[:] = head
                click.echo(line.name)
                click.echo(display.row(display.columns(line)))
            click.echo(display.row(display.cells(line, session.network)))
        sys.stdout.flush()

    session.while_waiting = wait
    yield show


def _live(
    session: "Session",
    keyboard: "Keyboard",
    status: _StatusOutput,
    type_commands: Callable[[str], str | None],
) -> Iterator[Show]:
    from rich.live import Live

    from .display import Screen

    screen = Screen(session.link.port, session.network)
    drawn = 0.0

    def report(what: str) -> None:
        screen.message = what

    def wait() -> None:
        nonlocal drawn
        for text in keyboard.lines():
            report(type_commands(text) or f"sent: {text}")
        screen.typed = keyboard.typed if keyboard.is_terminal else None
        screen.skipped = session.link.skipped
        if time.monotonic() - drawn > REFRESH_SECONDS:
            drawn = time.monotonic()
            live.refresh()

    status.redirect = report
    session.while_waiting = wait
    with Live(screen, console=output.console(), auto_refresh=False) as live:
        try:
            yield screen.add
        finally:
            screen.typed = None
            live.refresh()
