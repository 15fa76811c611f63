"""A board's serial port: lines from it, commands to it, also after it has vanished."""

import time
from collections import deque
from collections.abc import Callable
from typing import Protocol, Self

import serial
from knotwork.errors import ToolError

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
