"""Lines of the self-test, read from a serial port."""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Protocol, Self

import serial
from knotwork.errors import ToolError


@dataclass(frozen=True, kw_only=True)
class WindowLine:
    """Line of a window, as `selftest.window_line.WindowLineWriter` writes it."""

    name: str
    window: int
    sent: int
    received: int
    lost: int
    duplicated: int
    corrupted: int
    misrouted: int
    refused: int
    verdict: str

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Line that `text` spells; None for anything else, such as the end of a line."""
        found = _LINE.fullmatch(text.rstrip("\r\n"))
        if found is None:
            return None
        words = found.groupdict()
        numbers = {name: int(words[name]) for name in _NUMBERS}
        return cls(name=words["name"], verdict=words["verdict"], **numbers)

    @property
    def passed(self) -> bool:
        """Whether the window passed."""
        return self.verdict == "PASS"

    def as_dict(self) -> dict[str, int | str]:
        """Fields by name."""
        return asdict(self)


COLUMNS = tuple(field.name for field in fields(WindowLine))
_NUMBERS = COLUMNS[1:-1]
_LINE = re.compile(
    r"(?P<name>\S+) "
    + " ".join(rf"{name}=(?P<{name}>\d+)" for name in _NUMBERS)
    + r" (?P<verdict>PASS|FAIL)"
)


def read_lines(port: str, *, baud: int, patience: float) -> Iterator[WindowLine]:
    """Lines from a serial port, as they come, without end.

    Other text is skipped: if listening starts in the middle of a line, its end comes first.

    Parameters
    ----------
    port : str
        Device, or a URL that pyserial understands.
    baud : int
        Bits per second.
    patience : float
        Seconds to wait for a line.

    Raises
    ------
    ToolError
        The port cannot be opened or fails, or no line came in time.
    """
    try:
        with serial.serial_for_url(port, baudrate=baud, timeout=patience) as line_in:
            while True:
                yield _next_line(line_in, port, patience)
    except (serial.SerialException, OSError, ValueError) as error:
        raise ToolError(f"{port}: must be a serial port that can be read: {error}") from None


class _Readable(Protocol):
    """What is used of a serial port; pyserial ships no types."""

    def readline(self) -> bytes: ...


def _next_line(line_in: _Readable, port: str, patience: float) -> WindowLine:
    for _ in range(16):
        raw = line_in.readline()
        if not raw.endswith(b"\n"):
            break
        line = WindowLine.parse(raw.decode("ascii", errors="replace"))
        if line is not None:
            return line
    raise ToolError(
        f"{port}: a line of the self-test must come within {patience:g} s: is the board "
        f"configured with a Knotwork bitstream, and is the baud rate right?"
    )
