"""Rows of synthesised routers to which the estimate of costs is fitted, kept in ``costs.csv``."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from knotwork.costs.estimate import Area, largest_kind
from knotwork.emit.modules import router_verilog
from knotwork.gateware.router_classes import ROUTER_GATEWARE
from knotwork.network import Network, RouterKind

from ..names import read_rows, write_rows
from .cases import CASES
from .hardware import area_and_speeds, measured_module, middle
from .printed import kept_answers

ROWS = Path(__file__).with_name("costs.csv")
FIELDS = ("network", "role", "held_out", *Area._fields, "fmax_mhz")

Row = dict[str, Any]


def rows() -> list[Row]:
    """Measured rows: cells are integers, and MHz a number or None."""
    return [_typed(row) for row in read_rows(ROWS, ";")]


def _typed(row: Mapping[str, str]) -> Row:
    fmax = row["fmax_mhz"]
    cells = {figure: int(row[figure]) for figure in Area._fields}
    held_out = {"held_out": row["held_out"] == "yes"}
    return {**row, **cells, **held_out, "fmax_mhz": float(fmax) if fmax else None}


def of_pages() -> list[Row]:
    """Rows of `make bench-hw` that pages print: routers of networks, on ECP5.

    Of a router that was chosen by its role only the frequency: it was not in its place.
    """
    kept, found = kept_answers(), []
    held_out = {row["network"] for row in rows() if row["held_out"]}
    for case in CASES:
        answer = kept.get(case.name, {}).get("ecp5")
        if answer is None or case.net in held_out:
            continue
        network = Network.from_word(case.net)
        role = case.role or largest_kind(network).role
        if role not in {kind.role for kind in network.router_kinds}:
            continue
        fields = {figure: answer[figure] for figure in FIELDS if figure in answer}
        row = _typed({**fields, "network": case.net, "role": role, "held_out": "no"})
        if case.role is not None:
            row |= dict.fromkeys(Area._fields)
        found.append(row)
    return found


def keep(found: Sequence[Row]) -> None:
    """Write all rows."""
    fields = (row | {"held_out": "yes" if row["held_out"] else "no"} for row in found)
    write_rows(ROWS, FIELDS, ([row[name] for name in FIELDS] for row in fields), ";")


def measured(word: str, role: str) -> Row:
    """Row of a network's router or part by its role, or of the whole network, synthesised anew."""
    network = Network.from_word(word)
    kinds = {kind.role: kind for kind in network.router_kinds}
    if role in kinds:
        text, name, constants = _router(network, kinds[role])
    else:
        name, text, address = measured_module(network, role)
        constants = {"address": address}
    seeds = int(role == largest_kind(network).role)
    cells, speeds = area_and_speeds(name, text, constants, "ecp5", seeds)
    area = {figure: cells[figure] for figure in Area._fields}
    return {"network": word, "role": role, **area, "fmax_mhz": middle(speeds)}


def _router(network: Network, kind: RouterKind) -> tuple[str, str, dict[str, int]]:
    """Verilog of a kind of router, its name, and its constant inputs in its place."""
    made = ROUTER_GATEWARE[network.router_class].constants(network, kind.router)
    constants = {name: int(value.value) for name, value in made.items()}
    address = network.topology.address(kind.router)
    return router_verilog(network, kind), kind.name, constants | {"address": address}
