"""Datasheet of one network or several as one page of HTML."""

import json
from collections.abc import Sequence
from html import escape

from knotwork import __version__
from knotwork.network import Network

from ..live.module import live_script
from ..sweep.load import LoadSweep
from .content import Data, or_reason
from .curve import curves
from .drawn import drawing, graph
from .header import header
from .page_files import SCRIPTS, filled_page, page_file
from .plays import plays
from .ports import ports
from .routes import routes
from .running import running
from .tables import comparison, facts, proofs


def write_datasheet(
    networks: Sequence[Network],
    words: Sequence[str],
    *,
    command: str,
    sweep: LoadSweep | None = None,
    rates: str = "",
    live: bool = False,
) -> str:
    """Page of HTML that has all of itself within, and asks no one for anything.

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
    """What a page tells of one network, which runs there if it is `live`."""
    return {
        "head": header(network, words),
        "graph": graph(network),
        "drawing": or_reason(lambda: drawing(network, words)),
        "routes": or_reason(lambda: routes(network, words)),
        "plays": plays(network, words),
        "live": running(network, words) if live else None,
        "tables": facts(network, words),
        "proofs": proofs(network, words),
        "ports": or_reason(lambda: ports(network, words)),
    }


def script_safe(text: str) -> str:
    """JSON within a script element: nothing in it ends the element or begins a comment."""
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
