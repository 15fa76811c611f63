"""Waveforms of the Verilog, and GTKWave save files that show every node's ports."""

import io
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from knotwork.emit.ports import (
    eject_prefix,
    eject_widths,
    inject_prefix,
    inject_widths,
    refused_port,
)
from knotwork.errors import ConfigurationError
from knotwork.files import write_whole
from knotwork.network import Network
from vcd.gtkw import GTKWSave

from .verilator import TRACES
from .wrapper import TOP


def check_trace(path: Path) -> str:
    """Format of a waveform, from the ending of its file's name.

    Raises
    ------
    ConfigurationError
        An unknown ending, or an FST where this machine cannot compile the writer of that format.
    """
    form = path.suffix.removeprefix(".")
    if form not in TRACES:
        endings = " or ".join(f".{name}" for name in TRACES)
        raise ConfigurationError(f"{path}: a waveform must end in {endings}, not {path.suffix!r}")
    if form == "fst" and not _compiles("lz4.h", "zlib.h"):
        raise ConfigurationError(
            f"{path}: .fst must have the headers of lz4 and zlib (Debian: apt install liblz4-dev "
            "zlib1g-dev); .vcd needs neither"
        )
    return form


@contextmanager
def whole_trace(path: Path) -> Iterator[Path]:
    """File to write a waveform to: renamed to `path` if all goes well, else removed."""
    partial = path.with_name(f".{path.name}.partial")
    write_whole(partial, "")  # a folder that cannot be written is refused before the run
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _compiles(*headers: str) -> bool:
    compiler = shutil.which("c++")
    if compiler is None:
        return False
    text = "".join(f"#include <{header}>\n" for header in headers)
    command = [compiler, "-fsyntax-only", "-x", "c++", "-"]
    run = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
    return run.returncode == 0


def write_save_file(network: Network, trace_file: Path) -> Path:
    """Write ``.gtkw`` beside a waveform: clock, reset, and a group of signals per node."""
    text = io.StringIO()
    save = GTKWSave(text)
    save.dumpfile(str(trace_file.absolute()), abspath=False)
    scope = f"{TOP}.network"
    save.treeopen(f"{TOP}.")
    save.treeopen(f"{scope}.")
    save.trace(f"{scope}.clk")
    save.trace(f"{scope}.rst")
    handshake = {"tvalid": 1, "tready": 1}
    for node in range(network.topology.nodes):
        with save.group(f"node {network.topology.label(node)}", closed=node > 0):
            for prefix, widths in (
                (inject_prefix(node), inject_widths(network)),
                (eject_prefix(node), eject_widths(network)),
            ):
                for signal, width in (handshake | widths).items():
                    save.trace(f"{scope}.{prefix}_{signal}{_bits(width)}")
            save.trace(f"{scope}.{refused_port(node)}")
    path = trace_file.with_suffix(".gtkw")
    write_whole(path, text.getvalue())
    return path


def _bits(width: int) -> str:
    return f"[{width - 1}:0]" if width > 1 else ""
