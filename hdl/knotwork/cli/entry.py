"""Entry point of the ``knotwork`` command, ready for Ctrl-C before anything slow is imported."""

import os
import sys
from typing import NoReturn

from ..interrupts import Interrupted, catch_signals


def main() -> NoReturn:
    """Carry out the command line of this process."""
    catch_signals()
    # Starting a thread per core for linear algebra takes 0.1 s of processor in every command. They
    # save as much in `describe` of a graph of 1,024 routers, and nowhere more.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from .main import main as carry_out
    except Interrupted as stop:
        print(f"knotwork: {stop}", file=sys.stderr)
        sys.exit(stop.status)
    carry_out()
