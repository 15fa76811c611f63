"""Waveforms of the Verilog, and GTKWave save files: nodes, routers, and flits by field."""

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
    link_fields,
    link_members,
    link_names,
    refused_port,
)
from knotwork.errors import ConfigurationError
from knotwork.files import write_file
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
def complete_trace(path: Path) -> Iterator[Path]:
    """File to write a waveform to: renamed to `path` if all goes well, else removed."""
    partial = path.with_name(f".{path.name}.partial")
    write_file(partial, "")  # a folder that cannot be written is refused before the run
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


_ROUTERS = 64
"""Most routers of a network whose links stand in its save file: a field's bits stand there singly,
so that a thousand routers would be hundreds of megabytes."""

_ZOOM = -17.0
"""GTKWave's scale, by which about 50 cycles are seen at first."""


def write_save_file(network: Network, trace_file: Path) -> Path:
    """Write ``.gtkw`` beside a waveform: clock, reset, and groups of signals.

    A group per node has its streams. In a network of up to `_ROUTERS` routers, a group per router
    has a group per link and way, in which the fields of the flits are slices of their wires.
    """
    text = io.StringIO()
    save = GTKWSave(text)
    save.dumpfile(str(trace_file.absolute()), abspath=False)
    save.size(1400, 900)
    save.zoom_markers(_ZOOM)
    scope = f"{TOP}.network"
    save.treeopen(f"{TOP}.")
    save.treeopen(f"{scope}.")
    save.trace(f"{scope}.clk")
    save.trace(f"{scope}.rst")
    for node in range(network.topology.nodes):
        with save.group(f"node {network.topology.label(node)}", closed=node > 0):
            _save_node(save, network, node, scope)
    routers = network.topology.routers
    for router in range(routers if routers <= _ROUTERS else 0):
        name = network.topology.router_identifier(router)
        with save.group(f"router {name}", closed=router > 0):
            _save_links(save, network, router, f"{scope}.router_{name}")
    path = trace_file.with_suffix(".gtkw")
    write_file(path, text.getvalue())
    return path


def _save_node(save: GTKWSave, network: Network, node: int, scope: str) -> None:
    handshake = {"tvalid": 1, "tready": 1}
    for prefix, widths in (
        (inject_prefix(network, node), inject_widths(network)),
        (eject_prefix(network, node), eject_widths(network)),
    ):
        for signal, width in (handshake | widths).items():
            save.trace(f"{scope}.{prefix}_{signal}{_bits(width)}")
    save.trace(f"{scope}.{refused_port(network, node)}")


def _save_links(save: GTKWSave, network: Network, router: int, scope: str) -> None:
    kind = network.router_kinds[network.router_number[router]]
    members, fields = link_members(network), link_fields(network)
    for port in kind.links:
        names = link_names(network, port)
        ways = (names.into, "in", kind.receiving), (names.out, "out", kind.sending)
        for way, title, ports in ways:
            if port not in ports:
                continue
            with save.group(f"{network.topology.ports[port]} {title}", closed=True):
                for member, (width, _) in members.items():
                    whole = f"{scope}.{way}_{member}{_bits(width)}"
                    save.trace(whole)
                    for field, (low, bits) in fields[member].items():
                        save.trace(_slice(whole, field, width - low - bits, bits))


def _slice(whole: str, name: str, first: int, width: int) -> str:
    """Bits of a wire as a signal of its own; GTKWave counts them from the highest."""
    if width == 1:
        return f"+{{{name}}} ({first}){whole}"
    bits = " ".join(f"({bit}){whole}" for bit in range(first, first + width))
    return f"#{{{name}{_bits(width)}}} {bits}"


def _bits(width: int) -> str:
    return f"[{width - 1}:0]" if width > 1 else ""
