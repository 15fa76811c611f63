"""Verb verify: what is proven of a network's routers."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ..errors import ConfigurationError
from ..network import Network, RouterKind
from . import output as answers
from .networks import network_words
from .output import as_json


@click.command()
@network_words
@click.option("--router", "named", metavar="KIND", help="Router to prove [that of most turns].")
@click.option("--all", "every", is_flag=True, help="Prove all kinds of the network's routers.")
@click.option("--traces", type=Path, metavar="DIR", help="Waveforms [build/<name>/verify].")
@as_json
@click.pass_context
def verify(
    context: click.Context,
    *,
    words: tuple[str, ...],
    named: str | None,
    every: bool,
    traces: Path | None,
    as_json: bool,
) -> None:
    """Prove what a network's routers must do, on their Verilog.

    What the network has beside them, interfaces of nodes and a controller, is proven with them,
    unless one router is named. Exit status 1 where something is false, or could never happen.
    """
    network = Network.from_words(words)
    network.require_deadlock_free()
    kinds = _kinds(network, named, every)
    from ..emit.modules import router_verilog
    from ..formal import FAILED, parts, prove_part, prove_router, require_proofs

    require_proofs(network)
    traces = traces or Path("build") / network.name / "verify"
    rows: list[dict[str, Any]] = []
    for kind in kinds:
        verilog = router_verilog(network, kind)
        for result in prove_router(network, kind, verilog, traces=traces):
            rows.append({**asdict(result), "router": kind.name})
    others = parts(network) if named is None else []
    for part in others:
        verilog = part.verilog(network, part.name)
        for result in prove_part(network, part, verilog, traces=traces):
            rows.append({**asdict(result), "router": part.name})
    if as_json:
        answers.print_json({"network": network.name, "properties": rows})
    else:
        _print(network, kinds, [part.name for part in others], rows)
    if any(row["result"] == FAILED for row in rows):
        context.exit(1)


def _kinds(network: Network, named: str | None, every: bool) -> list[RouterKind]:
    """Kinds of routers to prove."""
    kinds = network.router_kinds
    if named is not None and every:
        raise ConfigurationError("verify: there must be one of --router and --all, not both")
    if every:
        return list(kinds)
    if named is None:
        return [max(kinds, key=lambda kind: len(kind.turns))]
    chosen = [kind for kind in kinds if kind.name == named]
    if not chosen:
        known = ", ".join(kind.name for kind in kinds)
        raise ConfigurationError(f"{network.name}: --router must be one of {known}, not {named!r}")
    return chosen


def _print(
    network: Network, kinds: list[RouterKind], others: list[str], rows: list[dict[str, Any]]
) -> None:
    """Print a table for each module: kinds of routers, and what there is beside them."""
    share = f" ({len(kinds)} of {len(network.router_kinds)} kinds of routers)"
    titles = {kind.name: f"{network.name}, {kind.name}{share}" for kind in kinds}
    titles |= {name: name if name == network.name else f"{network.name}, {name}" for name in others}
    for module, title in titles.items():
        own = [row for row in rows if row["router"] == module]
        columns = ("property", "result", "depth", "seconds", "what it says")
        cells = [
            (
                row["name"],
                row["result"],
                row["depth"],
                f"{row['seconds']:.1f}",
                f"{row['text']}; {row['reason']}" if row["reason"] else row["text"],
            )
            for row in own
        ]
        answers.table(title, columns, cells)
