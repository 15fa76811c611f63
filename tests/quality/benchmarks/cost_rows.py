"""Rows of synthesised routers to which the estimate of costs is fitted, kept in ``costs.csv``."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from knotwork.costs.estimate import Area, largest_kind
from knotwork.emit.modules import router_verilog
from knotwork.files import write_whole
from knotwork.gateware.router_classes import ROUTER_GATEWARE
from knotwork.network import Network, RouterKind

from .cases import CASES
from .hardware import count, frequencies, measured_module
from .printed import kept_answers
from .wrapped_router import pins, placed, registered

ROWS = Path(__file__).with_name("costs.csv")
FIELDS = ("network", "role", "held_out", *Area._fields, "fmax_mhz")

Row = dict[str, Any]


def rows() -> list[Row]:
    """Measured rows: cells are integers, and MHz a number or None."""
    with ROWS.open(encoding="ascii", newline="") as file:
        return [_typed(row) for row in csv.DictReader(file, delimiter=";")]


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
        told = {figure: answer[figure] for figure in FIELDS if figure in answer}
        row = _typed({**told, "network": case.net, "role": role, "held_out": "no"})
        if case.role is not None:
            row |= dict.fromkeys(Area._fields)
        found.append(row)
    return found


def keep(found: Sequence[Row]) -> None:
    """Write all rows."""
    text = io.StringIO()
    lines = csv.writer(text, delimiter=";", lineterminator="\n")
    lines.writerow(FIELDS)
    for row in found:
        told = row | {"held_out": "yes" if row["held_out"] else "no"}
        lines.writerow(["" if told[name] is None else told[name] for name in FIELDS])
    write_whole(ROWS, text.getvalue())


def measured(word: str, role: str) -> Row:
    """Row of a network's router or part by its role, or of the whole network, synthesised anew."""
    network = Network.from_word(word)
    kinds = {kind.role: kind for kind in network.router_kinds}
    if role in kinds:
        text, name, constants = _router(network, kinds[role])
    else:
        name, text, address = measured_module(network, role)
        constants = {"address": address}
    ports = pins(text, name)
    constants = {pin: value for pin, value in constants.items() if pin in {p.name for p in ports}}
    inner = placed(name, ports, constants, name="placed")
    cells = count(text + inner, "placed", "ecp5")
    fmax = None
    if role == largest_kind(network).role:
        free = [port for port in ports if port.name not in constants]
        outer = registered("placed", free, name="top", chained=False)
        fmax = next(iter(frequencies(text + inner + outer, "ecp5", 1)), None)
    area = {figure: cells[figure] for figure in Area._fields}
    return {"network": word, "role": role, **area, "fmax_mhz": fmax and round(fmax, 1)}


def _router(network: Network, kind: RouterKind) -> tuple[str, str, dict[str, int]]:
    """Verilog of a kind of router, its name, and its constant inputs in its place."""
    made = ROUTER_GATEWARE[network.router_class].constants(network, kind.router)
    constants = {name: int(value.value) for name, value in made.items()}
    address = network.topology.address(kind.router)
    return router_verilog(network, kind), kind.name, constants | {"address": address}
