"""Datasheet of networks: its page, header, and the network that runs in it."""

import csv
import json
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path

from knotwork import __version__
from knotwork.cli.answers.networks import network_page
from knotwork.network import Network
from knotwork.topology import TOPOLOGIES

from ..live.module import live_module, live_script
from ..sweep.load import LoadSweep
from .pictures import animations, drawing, graph
from .routes import routes
from .tables import Data, Table, comparison, curves, facts, or_reason, ports, proofs

SCRIPTS = (
    *("dom", "graph", "routes", "view", "shape", "canvas", "picture"),
    *("route_panel", "player", "meter", "heat", "live_panel"),
    *("ports_panel", "curve", "sheet", "theme", "main"),
)
"""Scripts of the page, each after those that it uses as it is read."""


@cache
def page_file(name: str) -> str:
    """Text of a file of the page."""
    return Path(__file__).with_name("page").joinpath(name).read_text(encoding="utf-8")


def filled_page(parts: Mapping[str, str]) -> str:
    """Page whose places have these texts.

    The places are its ``title``, ``what`` it is, its ``style``, ``data`` and ``script``. What a
    text contains is no place.
    """
    head, *rest = page_file("page.html").split("{{")
    filled = [head]
    for piece in rest:
        name, _, text = piece.partition("}}")
        filled += [parts[name], text]
    return "".join(filled)


PAPERS = {
    "C": ("Liu, Liu and Zhang on cube-connected cycles", ("ccc",)),
    "M": ("Kocík on Möbius cubes", ("moebius",)),
    "L": (
        "Scherson and Chien on least-common-ancestor networks",
        ("lcan", "fattree", "cm5", "baseline", "sw_banyan", "trac", "kyklos", "banyan"),
    ),
    "W": ("Fang, Liang, Chen and Ng on WK-recursive networks", ("wk",)),
    "T": ("Liu and Han on torus-connected Petersen graphs", ("tcpg",)),
}
"""Papers by the letter of their misprints' numbers: who wrote it, and the networks it describes."""


def header(network: Network, words: str) -> Data:
    """What a network is, from which paper, and the paper's misprints.

    Parameters
    ----------
    network : Network
        What the page is about.
    words : str
        How a command line names it.
    """
    name = network.topology.name
    head: Data = {"name": network.name, "words": words, "description": [], "references": ""}
    if name not in TOPOLOGIES:  # a class of the user's own
        return head | {"summary": name, "command": f"knotwork describe {words}"}
    page = network_page(name)
    return head | {
        "summary": page.entry.summary,
        "description": page.description,
        "elsewhere": page.elsewhere,
        "references": page.references,
        "command": f"knotwork networks {name}",
        "errata": errata(name),
    }


def errata(name: str) -> Data | None:
    """Table of the misprints of a network's paper; None where no paper is its own."""
    for letter, (paper, networks) in PAPERS.items():
        if name in networks:
            rows = [row for row in misprints() if row[0].startswith(letter)]
            columns = ("no.", "where", "printed", "right")
            # The paper stands in the page's list of misprints; no verb prints it.
            return Table(f"Misprints of {paper}", "", columns, rows).as_json()
    return None


@cache
def misprints() -> list[list[str]]:
    """All misprints: number, where, what is printed, what is right."""
    text = Path(__file__).with_name("errata.csv").read_text(encoding="utf-8")
    return list(csv.reader(text.splitlines()))[1:]


def running(network: Network, words: str) -> Data:
    """Module of a network, what the page must know of it, and who runs the same load elsewhere.

    Raises
    ------
    ConfigurationError
        A network that cannot run in a page.
    ToolError
        Yosys or Zig's C++ compiler is missing or failed.
    """
    live = live_module(network)
    return {
        "command": f"knotwork simulate {words}",
        "module": live.packed,
        "description": live.description,
    }


def write_datasheet(
    networks: Sequence[Network],
    words: Sequence[str],
    *,
    command: str,
    sweep: LoadSweep | None = None,
    rates: str = "",
    live: bool = False,
) -> str:
    """Page of HTML that has all of itself within, and loads nothing from elsewhere.

    Parameters
    ----------
    networks : sequence of Network
        At least one; several are compared too.
    words : sequence of str
        How a command line names each.
    command : str
        Command line that makes the page.
    sweep : LoadSweep, optional
        What measures a curve for each network, with its `rates` as they were written.
    live : bool
        The networks run in the page, all of which must be able to.
    """
    measured = [None] * len(networks) if sweep is None else curves(sweep, rates)
    sheets = [
        sheet(network, word, live=live) | {"curve": curve}
        for network, word, curve in zip(networks, words, measured, strict=True)
    ]
    data = {
        "version": __version__,
        "command": command,
        "compare": comparison(networks, words),
        "networks": sheets,
    }
    title = ", ".join(network.name for network in networks)
    scripts = [live_script(), *(page_file(f"scripts/{name}.js") for name in SCRIPTS)]
    parts = {
        "title": escape(f"{title} - Knotwork datasheet"),
        "what": "datasheet",
        "style": page_file("page.css"),
        "data": script_safe(json.dumps(data, separators=(",", ":"), ensure_ascii=False)),
        "script": "\n".join(scripts),
    }
    return filled_page(parts)


def sheet(network: Network, words: str, *, live: bool = False) -> Data:
    """What a page shows of one network, which runs there if it is `live`."""
    return {
        "head": header(network, words),
        "graph": graph(network),
        "drawing": or_reason(lambda: drawing(network, words)),
        "routes": or_reason(lambda: routes(network, words)),
        "plays": animations(network, words),
        "live": running(network, words) if live else None,
        "tables": facts(network, words),
        "proofs": proofs(network, words),
        "ports": or_reason(lambda: ports(network, words)),
    }


def script_safe(text: str) -> str:
    """JSON within a script element: nothing in it ends the element or begins a comment."""
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
