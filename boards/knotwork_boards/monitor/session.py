"""Conversation with a board: its windows, and commands to it at any time."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

from knotwork.errors import ConfigurationError, ToolError
from knotwork.network import Network

from ..measuring.settings import REPORTED_SETTINGS
from .commands import Request, format_setting
from .serial_link import POLL_SECONDS, SerialLink
from .window_line import WindowLine

SIMULATED = "simulated"
"""Port that stands for a simulated board."""

ATTEMPTS = 3
"""Windows with other settings after which the commands are sent again."""


def device_of(port: str, network: Network | None, stack: ExitStack) -> str:
    """Device to open for a port: for `SIMULATED`, that of a simulated board, which `stack` ends."""
    if port != SIMULATED or network is None:
        return port
    from ..simulated import SimulatedBoard

    return stack.enter_context(SimulatedBoard(network)).port


@dataclass(kw_only=True)
class Session:
    """Windows of a board under settings that a user commands.

    Parameters
    ----------
    link : SerialLink
        Port of the board.
    network : Network or None
        Network that the board must carry; None for any.
    patience : float
        Seconds to wait for a line from a port that is there.
    while_waiting : callable
        Called again and again.

    Members
    -------
    settings : dict of str to int
        Settings that were commanded; sent again to a board that has returned.
    halted : bool
        Whether the board was sent the command to halt, so that no line is missed.
    """

    link: SerialLink
    network: Network | None
    patience: float
    while_waiting: Callable[[], None] = lambda: None
    settings: dict[str, int] = field(default_factory=dict)
    table: bytes = b""
    halted: bool = False

    def __post_init__(self) -> None:
        self._openings = self.link.openings

    def send(self, request: Request) -> None:
        """Send commands."""
        self.settings |= request.settings
        for action in request.actions:
            self.halted = {"stop": True, "start": False}.get(action, self.halted)
        self.link.send(request.commands)

    def load(self, table: bytes) -> None:
        """Send the words of a table."""
        self.table = table
        self.link.send(table)

    def windows(self) -> Iterator[WindowLine]:
        """Windows from now on, without end; none before the board has taken the settings.

        Raises
        ------
        ConfigurationError
            The board carries another network.
        ToolError
            No line came in time, or none under the settings.
        """
        line = self._wait()
        if self.settings:
            line = self._settle(line)
        while True:
            yield line
            line = self._wait()

    def settled(self) -> WindowLine:
        """First window under the settings."""
        return self._settle(self._wait())

    def _settle(self, line: WindowLine) -> WindowLine:
        end, seen = time.monotonic() + self.patience, 0
        while (wrong := self._unmet(line)) is not None:
            if time.monotonic() > end:
                reported = line.measures.get(wrong)
                raise ToolError(
                    f"{self.link.port}: the board must take {wrong} "
                    f"{format_setting(wrong, self.settings[wrong])} within {self.patience:g} s, "
                    f"but its lines "
                    + (
                        "do not report it"
                        if reported is None
                        else f"say {format_setting(wrong, reported)}"
                    )
                )
            seen += 1
            if seen % ATTEMPTS == 0:
                self.link.send(Request(self.settings).commands)
            line = self._wait()
        return line

    def _unmet(self, line: WindowLine) -> str | None:
        """First setting of which a line reports another value, or none."""
        names = (name for name in REPORTED_SETTINGS if name in self.settings)
        return next((n for n in names if line.measures.get(n) != self.settings[n]), None)

    def _wait(self) -> WindowLine:
        skipped = self.link.skipped
        end = time.monotonic() + self.patience
        while True:
            self.while_waiting()
            line = self.link.line(POLL_SECONDS)
            if self.link.openings != self._openings:
                self._repeat()
            if line is not None:
                self._require_network(line)
                return line
            if self.halted or not self.link.is_open:
                end = time.monotonic() + self.patience
            if time.monotonic() > end:
                other = self.link.skipped - skipped
                raise ToolError(
                    f"{self.link.port}: a line of the self-test must arrive within "
                    f"{self.patience:g} s: is the board configured with a Knotwork bitstream, and "
                    f"is the baud rate right?" + (f" {other} other lines came" if other else "")
                )

    def _repeat(self) -> None:
        """Send a board that has returned its settings, its table and its halt again."""
        self._openings = self.link.openings
        commands = Request(self.settings).commands
        halt = Request({}, ("stop",)).commands if self.halted else b""
        self.link.send(self.table + commands + halt)

    def _require_network(self, line: WindowLine) -> None:
        if self.network is not None and line.name != self.network.name:
            raise ConfigurationError(
                f"{self.link.port}: the board must carry {self.network.name}, not {line.name}"
            )
