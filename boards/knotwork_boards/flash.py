"""Bitstreams onto boards, by openFPGALoader."""

import os
import shutil

from knotwork.builds.compilation import run_process
from knotwork.errors import ConfigurationError, ToolError
from knotwork.files import AnyPath, as_path
from knotwork.progress import progress
from knotwork.tools import last_words, search_path

from .table import BOARDS, Board

LOADER = "openFPGALoader"
"""Program that loads bitstreams; the variable ``OPENFPGALOADER`` may name another."""

REMEDY = "Debian: apt install openfpgaloader"


def find_loader(board: Board) -> str:
    """Path of openFPGALoader.

    Raises
    ------
    ConfigurationError
        It cannot load that board.
    ToolError
        It is not installed.
    """
    if not board.loader:
        able = ", ".join(name for name, other in BOARDS.items() if other.loader)
        raise ConfigurationError(
            f"{board.name}: --flash must be for a board that {LOADER} can load ({able}); copy the "
            f"bitstream to the drive that {board.name} shows on USB"
        )
    program = os.environ.get(LOADER.upper(), LOADER)
    found = shutil.which(program, path=search_path())
    if found is None:
        raise ToolError(f"{program}: must be on PATH for --flash: {REMEDY}")
    return found


def write_flash(board: Board, bitstream: AnyPath) -> None:
    """Write a bitstream into a board's flash memory, from which its FPGA starts.

    Raises
    ------
    ConfigurationError, ToolError
        As `find_loader`; or the loader fails: the message has its last line.
    """
    bitstream = as_path(bitstream, "a bitstream")
    command = [find_loader(board), *board.loader, "--write-flash", bitstream]
    try:
        with progress(f"loading {bitstream.name} with {LOADER}"):
            done = run_process(command)
    except OSError as error:
        raise ToolError(f"{LOADER}: must be a program that runs: {error.strerror}") from None
    if done.returncode:
        reason = last_words(done.stdout.decode(errors="replace"))
        raise ToolError(
            f"{LOADER}: must succeed with {board.name}: "
            f"{reason or f'exit status {done.returncode}'}"
        )
