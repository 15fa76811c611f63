"""Bounds of measured figures: what a router must reach, beside what it does.

A bound that is not met fails nothing; `make bench-hw` and `make bench-saturation` print which are.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from knotwork.cli import output

from .cases import CASES, pipelines


class Bound(NamedTuple):
    """Figures that one of some rows must reach, all of them on that row."""

    what: str  # what the rows have in common
    rows: tuple[str, ...]  # their names: the same with each pipeline, say
    # Figures, by their fields, and their upper and lower bounds.
    most: Mapping[str, float] = {}
    least: Mapping[str, float] = {}

    def reached(self, row: Mapping[str, Any]) -> dict[str, float]:
        """How far a row reaches each bound, for figures that were measured: 1 or more meets it."""
        over = {key: bound / row[key] for key, bound in self.most.items() if row.get(key)}
        return over | {key: row[key] / bound for key, bound in self.least.items() if row.get(key)}

    def best(self, rows: Iterable[Mapping[str, Any]]) -> Mapping[str, Any] | None:
        """Row whose farthest figure is nearest to its bound; None where none was measured."""
        own = [row for row in rows if row["name"] in self.rows and self.reached(row)]
        return max(own, key=lambda row: min(self.reached(row).values()), default=None)


class Verdict(NamedTuple):
    """One figure beside its bound."""

    # What is bounded, and the best of its rows.
    what: str
    row: str
    figure: str  # field of the row
    value: float | None  # none where it was not measured
    bound: str  # rule, in words
    met: bool | None  # whether the value keeps it; None without a value


def verdicts(bounds: Iterable[Bound], rows: Sequence[Mapping[str, Any]]) -> list[Verdict]:
    """Every bound of rows that were measured, beside the best row's figure."""
    found = []
    for bound in bounds:
        best = bound.best(rows)
        if best is None:
            continue
        reached = bound.reached(best)
        for word, limits in (("at most", bound.most), ("at least", bound.least)):
            for figure, limit in limits.items():
                met = reached[figure] >= 1 if figure in reached else None
                required = f"{word} {limit:g}"
                found.append(
                    Verdict(bound.what, best["name"], figure, best.get(figure), required, met)
                )
    return found


def print_verdicts(found: Sequence[Verdict]) -> None:
    """Print verdicts as a table, or nothing for none."""
    words = {True: "met", False: "not met", None: "not measured"}
    cells = [
        (one.what, one.row, one.figure.replace("_", " "), one.value, one.bound, words[one.met])
        for one in found
    ]
    if cells:
        output.table("Bounds", ("routers", "best row", "figure", "is", "must be", ""), cells)


def piped(name: str, channels: int = 1) -> tuple[str, ...]:
    """Names of a row with each pipeline of a router with so many virtual channels."""
    return tuple(f"{name}_p{pipeline}" for pipeline in pipelines(channels))


_NETWORK = {"network_share": 0.85}
"""A whole network's frequency is within 15 % of its router's."""


def _area_and_speed(what: str, name: str, luteq: float, mhz: float, **more: float) -> Bound:
    rows = tuple(case.name for case in CASES if case.name.rpartition("_p")[0] == name)
    return Bound(what, rows, {"luteq": luteq}, {"fmax_mhz": mhz, **more})


def _throughput(wanted: float) -> dict[str, float]:
    """Delivered throughput per area, for packets of both lengths."""
    return {"throughput_per_area_1": wanted, "throughput_per_area_4": wanted}


_ONE, _TWO, _FOUR = "mesh, 1 channel", "mesh, 2 channels x 4 flits", "mesh, 4 channels x 4 flits"

ROUTERS = (
    _area_and_speed(_TWO, "mesh_4x4_vcs2_depth4", 1000, 150, **_throughput(60), **_NETWORK),
    _area_and_speed(_FOUR, "mesh_4x4_vcs4_depth4", 1700, 130, **_throughput(35), **_NETWORK),
    _area_and_speed("Moebius cube, spr", "moebius_n4_spr_depth8", 1100, 150, **_NETWORK),
    _area_and_speed("CCC", "ccc_n4_depth8", 800, 150, **_NETWORK),
    _area_and_speed("torus", "torus_4x4", 800, 160, **_NETWORK),
    _area_and_speed("WK, no broadcast", "wk_w4_levels2_no_depth8", 1100, 150, **_NETWORK),
    _area_and_speed("WK, label", "wk_w4_levels2_label_depth8", 1500, 120, **_NETWORK),
    _area_and_speed("TCPG, no broadcast", "tcpg_k1_m1_no_depth8", 1500, 130),
    _area_and_speed("TCPG, ttl", "tcpg_k1_m1_ttl_depth8", 2400, 100),
    Bound(
        "general deflection",
        ("hypercube_n4_deflection",),
        {"lut4": 900},
        {"fmax_mhz": 150, **_NETWORK},
    ),
    _area_and_speed(f"{_ONE}, depth 2", "mesh_4x4_depth2", 640, 120, **_NETWORK),
    Bound(
        f"{_ONE}, depth up to 4",
        (*piped("mesh_4x4_depth2"), *piped("mesh_4x4_depth4")),
        {},
        _throughput(95),
    ),
)
"""Bounds of routers on ECP5."""
