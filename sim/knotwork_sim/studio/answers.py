"""What the page shows of a network, and the archive of its files."""

import base64
import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

from knotwork.drawing.svg import ROUTER_LIMIT
from knotwork.emit.flows import FLOWS
from knotwork.errors import ConfigurationError
from knotwork.estimates.networks import check_work, cost_work, describe_work, generate_work
from knotwork.estimates.work import Limit
from knotwork.wording import not_one_of

from ..datasheet.document import header, sheet
from ..datasheet.tables import Data, check, cost, described
from ..estimates import datasheet_work
from .requests import DRAWN, NetworkRequest, words_of

CHECK_SECONDS = 5.0
"""Estimated time of a deadlock check up to which it is reported at once."""
_WHEN = (1980, 1, 1, 0, 0, 0)  # the same network gives the same archive, to the byte


def facts(request: Mapping[str, Any], limit: Limit) -> Data:
    """Facts of a network: what is reported before it is drawn.

    Raises
    ------
    ConfigurationError
        What a command line would refuse.
    """
    requested = NetworkRequest.of(request)
    network, topology = requested.network, requested.network.topology
    limit.require(f"describe {network.name}", describe_work(network, with_walks=False))
    tables = [described(network, requested.words)]
    if cost_work(network).seconds <= CHECK_SECONDS:
        tables.append(cost(network, requested.words))
    work = check_work(network)
    if work.seconds <= CHECK_SECONDS:
        tables.append(check(network, requested.words))
    else:
        tables.append(_unchecked(requested, str(work)))
    is_drawn = topology.routers <= ROUTER_LIMIT and topology.nodes <= ROUTER_LIMIT
    return {
        "name": requested.design.name,
        "words": requested.words,
        "head": header(network, requested.words),
        "tables": tables,
        "note": None if requested.design.is_plain else _NOTE,
        "drawn": is_drawn,
        "undrawn": None if is_drawn else _UNDRAWN,
    }


_NOTE = (
    "The facts, the drawing and the sweep are of the network alone; the archive has the adapters "
    "of its nodes."
)
_UNDRAWN = f"Networks of up to {ROUTER_LIMIT} routers and nodes are drawn."


def _unchecked(requested: NetworkRequest, work: str) -> Data:
    """Table that says why the deadlock check is not made here."""
    return {
        "title": "Freedom from deadlock",
        "command": f"knotwork check {requested.words}",
        "reason": f"The check takes about {work}; this command makes it, and so does a download.",
    }


def sheet_of(request: Mapping[str, Any], limit: Limit) -> Data:
    """Datasheet of a network, as the page shows it.

    Raises
    ------
    ConfigurationError
        What a command line would refuse, or a network that is not drawn.
    """
    requested = NetworkRequest.of(request)
    network = requested.network
    if (most := max(network.topology.routers, network.topology.nodes)) > ROUTER_LIMIT:
        raise ConfigurationError(
            f"draw: {network.name} must have at most {ROUTER_LIMIT} routers and nodes, not {most}"
        )
    limit.require(f"datasheet {network.name}", datasheet_work(network))
    return sheet(network, requested.words)


def files(request: Mapping[str, Any], limit: Limit) -> Data:
    """Archive of what ``generate`` writes, with a drawn graph beside it.

    Raises
    ------
    ConfigurationError
        What ``generate`` would refuse.
    DeadlockError
        The system failed its deadlock check.
    """
    requested, flows = NetworkRequest.of(request), words_of(request, "flows")
    for flow in flows:
        if flow not in FLOWS:
            raise ConfigurationError(not_one_of("generate: --for", FLOWS, flow))
    design, testbench = requested.design, request.get("testbench", True) is True
    limit.require(f"generate {design.name}", generate_work(requested.network))
    design.require_deadlock_free()
    written = design.files(testbench=testbench, flows=flows)
    texts = written.generated | written.user_owned
    if requested.graph is not None:
        texts[DRAWN] = json.dumps(requested.graph, indent=1) + "\n"
    return {
        "name": f"{design.name}.zip",
        "files": list(texts),
        "archive": base64.b64encode(archive(design.name, texts)).decode(),
    }


def archive(folder: str, texts: Mapping[str, str]) -> bytes:
    """Zip archive of texts in one folder."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in texts.items():
            entry = zipfile.ZipInfo(f"{folder}/{name}", _WHEN)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            made.writestr(entry, text)
    return packed.getvalue()
