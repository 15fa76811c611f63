"""A simulated board: the self-test's Verilog in Verilator, its UART at a pseudo-terminal."""

import os
import pty
import re
import subprocess
import tty
from pathlib import Path
from typing import Self

from knotwork.builds.compilation import MADE, compile_program, compiled, digest
from knotwork.errors import ToolError
from knotwork.network import Network

from .selftest import selftest_verilog
from .selftest.self_test import self_test_of, usual_rounds_log2

BAUD = 115200
"""Bits per second of the simulated board, in its own time."""

DIVISOR = 16
"""Clock cycles per bit, where no board determines them."""

_WINDOW_CYCLES = 1 << 15  # of a window of the self-test, about
_TOP = "selftest"


def build_board(network: Network, *, clock_hz: int) -> Path:
    """Program that is a board with a network's self-test; one that was compiled before is kept.

    Raises
    ------
    ConfigurationError
        The network cannot test itself.
    ToolError
        Verilator or the C++ compiler is missing or failed; names the log.
    """
    node_test = self_test_of(network).node_test(network)
    cycles = node_test.packets_per_round * node_test.cycles_per_packet
    verilog = selftest_verilog(
        network,
        clock_hz=clock_hz,
        baud=BAUD,
        rounds_log2=usual_rounds_log2(cycles, 2 * _WINDOW_CYCLES),
        measure=node_test.measuring is not None,
    )
    source = Path(__file__).with_name("simulated.cpp").read_text(encoding="utf-8")
    sources = {f"{_TOP}.v": verilog, "board.cpp": source}
    verilate = ["verilator", "--cc", "-Wno-fatal", "--output-split", "20000", "-Mdir", MADE]
    verilate += ["--no-assert", "--top-module", _TOP, "-O3", f"{_TOP}.v"]
    takes_commands = re.search(r"^ *input (wire )?rx;$", verilog, re.MULTILINE)
    defines = ["KNOTWORK_TAKES_COMMANDS=1"] if takes_commands else []

    def build(folder: Path) -> None:
        compile_program(folder, verilate, "board.cpp", level="-O2", defines=defines)

    name = f"board-{digest(sorted(sources.items()), verilate, defines, written_by=[__file__])}"
    return compiled(name, sources, f"V{_TOP}", build) / f"V{_TOP}"


class SimulatedBoard:
    """Board at a pseudo-terminal, which any program can open as a serial port.

    Its clock is as fast as this machine simulates it, so its windows take longer than those of a
    real board; time stands still while nobody reads what it sends. It ends with this process.

    Parameters
    ----------
    network : Network
        Network on the board.
    clock_hz : int, optional
        Frequency of its clock, which determines the cycles per bit on its UART.

    Members
    -------
    port : str
        Path of its terminal.

    Raises
    ------
    ConfigurationError, ToolError
        See `build_board`; or the machine has no pseudo-terminal that is free.
    """

    def __init__(self, network: Network, *, clock_hz: int = DIVISOR * BAUD) -> None:
        program = build_board(network, clock_hz=clock_hz)
        try:
            self._ours, self._theirs = pty.openpty()
        except OSError as error:
            raise ToolError(
                f"simulated: the machine must have a free pseudo-terminal: {error}"
            ) from None
        tty.setraw(self._theirs)  # or what the board sends would come back to it
        os.set_blocking(self._ours, False)
        self.port = os.ttyname(self._theirs)
        self._process = subprocess.Popen(
            [program, str(self._ours), str(round(clock_hz / BAUD))],
            stdin=subprocess.PIPE,
            pass_fds=[self._ours],
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; the port vanishes."""
        self._process.kill()
        self._process.communicate()
        os.close(self._ours)
        os.close(self._theirs)
