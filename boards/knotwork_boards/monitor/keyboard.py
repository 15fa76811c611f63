"""Lines that a user types while something else is shown, or that a pipe brings."""

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

_ERASE, _END, _DROP = ("\x7f", "\b"), ("\r", "\n"), "\x15"  # backspace, return, Ctrl-U


class Keyboard:
    """Standard input, read without waiting.

    On a terminal keys come one by one and are not echoed, so that a line that is being typed can be
    shown where there is room for it.

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
