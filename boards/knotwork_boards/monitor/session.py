"""Conversation with a board: its serial port, lines from it and commands to it at any time."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Protocol, Self

import serial
from knotwork.errors import ConfigurationError, ToolError
from knotwork.network import Network

from ..measuring import REPORTED_SETTINGS
from .commands import Request, format_setting
from .window_line import WindowLine

POLL_SECONDS = 0.05
"""Seconds after which a read returns with what has come."""

RETRY_SECONDS = 0.25
"""Seconds between two attempts to open a port that has vanished."""

CONFIRM_SECONDS = 1.0
"""Seconds in which a second line must come, or the first one is believed."""

WRITE_SECONDS = 5.0
"""Seconds in which a board must take its commands."""

LONGEST_LINE = 4096
"""Bytes without an end of line from which on they are no line."""


class _Port(Protocol):
    """What is used of a serial port; pyserial ships no types."""

    @property
    def in_waiting(self) -> int: ...
    def read(self, size: int, /) -> bytes: ...
    def write(self, b: bytes, /) -> int | None: ...
    def close(self) -> None: ...


class SerialLink:
    """Serial port at which a board sends lines and takes commands.

    Text that is no line is skipped and counted. A port that vanishes is reported once, and opened
    again when it returns.

    The first line after the port was opened may have lost the beginning of its name, which nothing
    shows but the next line. So it is held back until that has come, or `CONFIRM_SECONDS`.

    Parameters
    ----------
    port : str
        Device, or a URL that pyserial understands.
    baud : int
        Bits per second.
    report : callable
        Called with a line of text whenever the port's state changes.

    Members
    -------
    skipped : int
        Lines of other text so far; the end of one that had begun before does not count.
    openings : int
        Times that the port was opened.

    Raises
    ------
    ToolError
        The port cannot be opened.
    """

    def __init__(self, port: str, *, baud: int, report: Callable[[str], None]) -> None:
        self.port, self._baud, self._report = port, baud, report
        self.skipped = 0
        self.openings = 0
        self._ready: deque[WindowLine] = deque()
        self._tried = 0.0
        try:
            self._device: _Port | None = self._open()
        except (serial.SerialException, OSError, ValueError) as error:
            raise ToolError(f"{port}: must be a serial port that can be read: {error}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_open(self) -> bool:
        """Whether the port is open."""
        return self._device is not None

    def close(self) -> None:
        """Release the port."""
        if self._device is not None:
            self._device.close()
        self._device = None

    def line(self, seconds: float) -> WindowLine | None:
        """Next line; None if none has come after so many seconds."""
        end = time.monotonic() + seconds
        while not self._ready:
            now = time.monotonic()
            if now >= end:
                return None
            if self._device is None:
                self._reopen(min(end - now, RETRY_SECONDS))
            else:
                self._take(self._read(self._device))
        return self._ready.popleft()

    def send(self, commands: bytes) -> None:
        """Send commands; where the port has vanished, or takes none, they are lost."""
        if self._device is None:
            return
        try:
            self._device.write(commands)
        except serial.SerialTimeoutException:  # the port is open: opening it again does not help
            demand = f"{len(commands)} bytes of commands must be taken within {WRITE_SECONDS:g} s"
            self._report(f"{self.port}: {demand}, and are lost")
        except (serial.SerialException, OSError) as error:
            self._lose(error)

    def _open(self) -> _Port:
        device = _opened(self.port, self._baud)
        self.openings += 1
        self._bytes = bytearray()
        self._is_cut = True  # the first line had perhaps begun before
        self._held: WindowLine | None = None
        return device

    def _reopen(self, seconds: float) -> None:
        pause = self._tried + RETRY_SECONDS - time.monotonic()
        if pause > 0:
            time.sleep(min(pause, seconds))
            return
        self._tried = time.monotonic()
        try:
            self._device = self._open()
        except (serial.SerialException, OSError, ValueError):
            return
        self._report(f"{self.port}: has returned")

    def _lose(self, error: Exception) -> None:
        self.close()
        self._report(f"{self.port}: has vanished, and is waited for: {error}")

    def _read(self, device: _Port) -> bytes:
        try:
            return device.read(max(1, device.in_waiting))
        except (serial.SerialException, OSError) as error:
            self._lose(error)
            return b""

    def _take(self, came: bytes) -> None:
        """Part what has come into lines."""
        self._bytes += came
        *complete, rest = self._bytes.split(b"\n")
        self._bytes = bytearray(rest)
        for raw in complete:
            self._take_line(bytes(raw).decode("ascii", errors="replace"))
        if len(self._bytes) > LONGEST_LINE:
            self._bytes.clear()
            self.skipped += not self._is_cut
            self._is_cut = True  # its end is no line either
        if self._held is not None and time.monotonic() > self._held_until:
            self._release()

    def _take_line(self, text: str) -> None:
        line = WindowLine.parse(text)
        was_cut, self._is_cut = self._is_cut, False
        if line is None:
            self.skipped += bool(text.strip()) and not was_cut
        elif was_cut:
            self._held, self._held_until = line, time.monotonic() + CONFIRM_SECONDS
        else:
            if self._held is not None and not _is_end(self._held.name, line.name):
                self._release()
            self._held = None
            self._ready.append(line)

    def _release(self) -> None:
        if self._held is not None:
            self._ready.append(self._held)
        self._held = None


def _opened(port: str, baud: int) -> _Port:
    return serial.serial_for_url(
        port,
        baudrate=baud,
        timeout=POLL_SECONDS,
        write_timeout=WRITE_SECONDS,
        exclusive=True,  # two readers would each get half of the characters
    )


def _is_end(name: str, other: str) -> bool:
    """Whether a name is the end of another one."""
    return name != other and other.endswith(name)


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
