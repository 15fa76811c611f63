"""Signals that end a command: Ctrl-C, `kill` and a closed terminal, each an `Interrupted`.

A program that calls `catch_signals` ends its child processes at the first signal, and then raises
`Interrupted` in its main thread, so that every ``finally`` cleans up. A second signal ends it at
once.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

SIGNALS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up"}
"""Signals that end a command, and what it then says."""
GRACE_SECONDS = 2.0
"""Seconds that child processes have to clean up before they are killed."""

_SHOW_CURSOR = "\x1b[?25h"
_SET_CHILD_SUBREAPER = 36  # of Linux's prctl


class Interrupted(KeyboardInterrupt):
    """End of a command by a signal.

    Parameters
    ----------
    number : int
        The signal's.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    @property
    def status(self) -> int:
        """Exit status, as a shell reports it."""
        return 128 + self.number

    def __str__(self) -> str:
        return SIGNALS[signal.Signals(self.number).name]


class _State:
    """What the handler must know between two signals."""

    owner: int = 0
    """Process that catches signals; a fork of it does not."""
    caught: int = 0
    """Signal that is ending the command; 0 for none."""
    shields: int = 0
    """Contexts of `shielded` under way."""


def catch_signals() -> None:
    """Have this process end its children and raise `Interrupted` when a signal ends it.

    Calls from other threads than the main one do nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    _State.owner, _State.caught = os.getpid(), 0
    for name in SIGNALS:
        number = getattr(signal, name, None)
        # `nohup` has a command ignore what a terminal sends when it closes.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _catch)
    sys.unraisablehook = _raise_again


def ignore_signals() -> None:
    """Have this process end without a word if a signal comes now: its output is complete."""
    for name in SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is _catch:
            signal.signal(number, signal.SIG_IGN)


def ending() -> Interrupted | None:
    """End of this process by a signal, where it has come and cleaning up goes on."""
    return Interrupted(_State.caught) if _State.caught else None


@contextmanager
def shielded() -> Iterator[None]:
    """Context of a few quick steps that belong together: a signal waits until they are done."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are raised in the main thread only
        return
    _State.shields += 1
    try:
        yield
    finally:
        _State.shields -= 1
        if _State.caught and not _State.shields:
            number, _State.caught = _State.caught, 0
            _catch(number, None)


def _catch(number: int, _: FrameType | None) -> None:
    if os.getpid() != _State.owner:
        os._exit(128 + number)
    if _State.caught and not _State.shields:
        with suppress(OSError):
            if sys.stderr.isatty():
                os.write(2, _SHOW_CURSOR.encode())
        _signal_all(signal.SIGKILL)
        os._exit(128 + number)
    _State.caught = number
    if _State.shields:
        return
    if "warnings" in sys.modules:  # of what is left half done, as Amaranth's of unused components
        sys.modules["warnings"].simplefilter("ignore")
    _adopt_orphans()
    _signal_all(signal.SIGTERM)
    raise Interrupted(number)


def _raise_again(unraisable: "sys.UnraisableHookArgs") -> None:
    """Raise an `Interrupted` anew that came up where Python drops exceptions (``__del__``)."""
    if isinstance(unraisable.exc_value, Interrupted):
        _State.caught = 0
        again = (os.getpid(), unraisable.exc_value.number)
        threading.Timer(0.01, os.kill, again).start()  # whatever is raised here is dropped too
    else:
        sys.__unraisablehook__(unraisable)


def end_children(grace: float = GRACE_SECONDS) -> None:
    """Wait for all child processes, and theirs; kill those that do not end in time.

    Nothing is done where no signals are caught: the children may then be another's. Systems without
    ``/proc`` leave this to the terminal, which signals all of them.
    """
    if os.getpid() != _State.owner:
        return
    last = time.monotonic() + grace
    _adopt_orphans()
    while children := [child for child, parent in _parents().items() if parent == os.getpid()]:
        for child in children:
            if time.monotonic() > last:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)
        time.sleep(0.01)


def _adopt_orphans() -> None:
    """Become the parent of grandchildren whose parent ends, where the system offers it."""
    if sys.platform != "linux":
        return
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _signal_all(number: int) -> None:
    """Signal all child processes, and theirs."""
    parents = _parents()
    members = {os.getpid()}
    while found := {child for child, parent in parents.items() if parent in members} - members:
        members |= found
    for child in members - {os.getpid()}:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(child, number)


def _parents() -> dict[int, int]:
    """Parent of each process of this machine; empty where the system does not report it."""
    found = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            _, _, facts = status.read_text(errors="replace").rpartition(")")
            found[int(status.parent.name)] = int(facts.split()[1])
    return found
