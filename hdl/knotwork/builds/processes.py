"""Programs that this process runs, and that end with it: none outlives Ctrl-C or `kill -9`."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

POLL_SECONDS = 0.1
"""Seconds between two calls of `while_running`."""

# Reads what nobody writes: the read returns when the process that could write has ended, in
# whatever way. Then it ends its group, itself included.
_WATCH = "read -r line; kill -KILL 0"


def run_process(
    command: Sequence[str | Path],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    given: bytes | None = None,
    stderr: int = subprocess.STDOUT,
    while_running: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run of a program to its end, and what it wrote.

    When this process ends before the program, for whatever reason, or the caller is interrupted,
    the program is ended with all processes that it started (those that leave its process group
    excepted). After an interruption none of them writes any more.

    Parameters
    ----------
    command : sequence of str or Path
        The program and its arguments.
    folder : Path, optional
        Where it runs.
    environment : mapping of str to str, optional
        All its variables; this process's own if not given.
    given : bytes, optional
        What it reads from its standard input.
    stderr : int
        As in `subprocess`: together with the output, or apart (``subprocess.PIPE``).
    while_running : callable, optional
        Called every `POLL_SECONDS` until the program has ended.

    Raises
    ------
    OSError
        There is no such program, or the system cannot run it.
    """
    with _group() as group:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            process_group=group,
        )
        with process:
            try:
                said, complained = _communicate(process, given, while_running)
            except BaseException:
                _kill(group)
                process.communicate()  # its pipes end when the last process that has them ends
                raise
    return subprocess.CompletedProcess(command, process.returncode, said, complained)


def _communicate(
    process: subprocess.Popen[bytes],
    given: bytes | None,
    while_running: Callable[[], None] | None,
) -> tuple[bytes, bytes | None]:
    """What a process writes to its output and, if that is apart, to its error output."""
    if while_running is None:
        return process.communicate(given)
    while True:
        try:
            return process.communicate(given, timeout=POLL_SECONDS)
        except subprocess.TimeoutExpired:
            given = None
            while_running()


@contextmanager
def _group() -> Iterator[int]:
    """Process group that ends with the context, and with this process."""
    watcher = subprocess.Popen(
        ["/bin/sh", "-c", _WATCH],
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )
    with watcher:  # closes its input, and waits: until then its number names no other group
        try:
            yield watcher.pid
        finally:
            _kill(watcher.pid)


def _kill(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # macOS: of a group of zombies
        os.killpg(group, signal.SIGKILL)
