"""Crossings as one page of HTML: timelines, and the heat of the links on the drawing."""

import json
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from knotwork import __version__
from knotwork.files import AnyPath, as_path, write_file
from knotwork.network import Network

from ..check.result import SimulationResult
from ..datasheet.document import filled_page, page_file, script_safe
from ..datasheet.pictures import drawing, graph
from ..datasheet.routes import packed
from ..datasheet.tables import or_reason
from .chrome import channel_names, chrome_trace

BORROWED = ("dom", "graph", "view", "shape", "canvas", "picture", "heat", "theme")
"""Scripts of the datasheet that the page has too."""

OWN = ("record", "lanes", "timeline", "packet_panel", "trace")
"""Scripts of its own, each after those that it uses as it is read."""


def write_page(network: Network, result: SimulationResult, *, command: str) -> str:
    """Page of HTML that has all of itself within, and loads nothing from elsewhere.

    `command` is the command line that makes it.
    """
    data = {
        "version": __version__,
        "command": command,
        "name": network.name,
        "facts": _facts(result),
        "graph": graph(network),
        "drawing": or_reason(lambda: drawing(network, network.name)),
        **_record(network, result),
    }
    parts = {
        "title": escape(f"{network.name} - Knotwork trace"),
        "what": "trace",
        "style": page_file("page.css") + _own_file("trace.css"),
        "data": script_safe(json.dumps(data, separators=(",", ":"), ensure_ascii=False)),
        "script": "\n".join(
            [
                *(page_file(f"scripts/{name}.js") for name in BORROWED),
                *(_own_file(f"scripts/{name}.js") for name in OWN),
            ]
        ),
    }
    return filled_page(parts)


def _facts(result: SimulationResult) -> list[list[str]]:
    """Names and values that stand above the drawing."""
    compared = "not compared with the Verilog"
    if result.mismatches is not None:
        compared = f"{result.mismatches} differences from the Verilog"
    mean = result.latency.mean
    return [
        ["packets delivered", f"{result.delivered} of {result.injected}"],
        ["cycles", f"{result.cycles}"],
        ["mean latency", "unknown" if mean is None else f"{mean:g} cycles"],
        ["throughput", f"{result.throughput:g} flits/node/cycle"],
        ["golden model", compared],
    ]


def _record(network: Network, result: SimulationResult) -> dict[str, Any]:
    """Visits and packets, as rows of int32."""
    crossings = result.crossings
    assert crossings is not None
    names, lanes = channel_names(network, crossings)
    first = np.unique(lanes, return_index=True)[1]
    channels = np.stack([crossings.router, crossings.port, crossings.to], axis=1)[first]
    visits = (
        *(crossings.packet, lanes, crossings.ready, crossings.head, crossings.tail),
        *(crossings.flits, crossings.before),
    )
    columns = crossings.packets.columns
    packets = [np.ma.filled(columns[name], -1) for name in PACKET_FIELDS]
    return {
        "channels": [[name, *ends] for name, ends in zip(names, channels.tolist(), strict=True)],
        "visits": packed(np.stack(visits).astype("<i4")),
        "packets": packed(np.stack(packets).astype("<i4")),
    }


PACKET_FIELDS = ("packet", "source", "destination", "length", "offered", "injected", "ejected")
"""Columns of the packets on the page, in its order."""


@cache
def _own_file(name: str) -> str:
    return Path(__file__).with_name("page").joinpath(name).read_text(encoding="utf-8")


def write_trace(path: AnyPath, network: Network, result: SimulationResult, *, command: str) -> None:
    """Write the crossings of a simulation, .html as a page and .json as a Chrome trace.

    `command` is the command line that makes the file.
    """
    path = as_path(path, "a trace")
    is_page = path.suffix == ".html"
    text = (write_page if is_page else chrome_trace)(network, result, command=command)
    write_file(path, text)
