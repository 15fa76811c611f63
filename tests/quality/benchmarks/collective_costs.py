"""`python -m quality.benchmarks.collective_costs`: trees of collectives, and their estimate's fit.

The rows of ``collective_costs.csv`` are measured as `make bench-hw` does, on ECP5: the area of the
tree of a network's first group, by itself. Rows that are held out do not take part in the fit: they
give its error, which stands in the model's file beside the costs.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from knotwork.collective_groups import NodeGroup
from knotwork.costs import estimate
from knotwork.costs.collectives import collective_pieces
from knotwork.costs.estimate import MODEL, Area, tree_area
from knotwork.files import write_file
from knotwork.network import Network

from ..names import read_rows, tracked, write_rows
from .costs import LEAST, PAGE, least_squares
from .hardware import count, measured_module

ROWS = Path(__file__).with_name("collective_costs.csv")
FIELDS = ("network", "held_out", *Area._fields)
HEAD = "| tree of | members | LUT4 | error | FF | error |"
"""First line of the page's table."""

Row = dict[str, Any]


def rows() -> list[Row]:
    """Measured rows; cells are integers, None where there are none yet."""
    return [
        {
            "network": row["network"],
            "held_out": row["held_out"] == "yes",
            **{figure: int(row[figure]) if row[figure] else None for figure in Area._fields},
        }
        for row in read_rows(ROWS, ";")
    ]


def keep(found: Sequence[Row]) -> None:
    """Write all rows."""
    write_rows(
        ROWS,
        FIELDS,
        (
            [row["network"], "yes" if row["held_out"] else "no"]
            + ["" if row[figure] is None else row[figure] for figure in Area._fields]
            for row in found
        ),
        ";",
    )


def group_of(row: Row) -> NodeGroup:
    """Group whose tree a row is of."""
    return Network.from_word(row["network"]).collective_groups[0]


def measured(row: Row) -> Mapping[str, int]:
    """Area of a row's tree, synthesised anew."""
    network = Network.from_word(row["network"])
    name, text, _ = measured_module(network, group_of(row).name)
    cells = count(text, name, "ecp5")
    return {figure: cells[figure] for figure in Area._fields}


def fitted(found: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Costs per piece by figure, from the rows that are not held out."""
    costs: dict[str, dict[str, float]] = {}
    used = [row for row in found if not row["held_out"]]
    pieces = [collective_pieces(group_of(row)) for row in used]
    for figure in Area._fields:
        sizes = [one[figure] for one in pieces]
        names = [piece for piece in sizes[0] if any(size[piece] for size in sizes)]
        table = np.array([[size[piece] for piece in names] for size in sizes], float)
        values = np.array([row[figure] for row in used], float)
        solved = least_squares(table, values, LEAST[figure])
        costs[figure] = {
            piece: round(float(cost), 4) for piece, cost in zip(names, solved, strict=True) if cost
        }
    return costs


def errors(found: Sequence[Row]) -> dict[str, Any]:
    """Mean and greatest error of each figure over the held-out trees, and their number."""
    held_out = [row for row in found if row["held_out"]]
    summary: dict[str, Any] = {"trees": len(held_out)}
    for figure in ("lut4", "ff", "luteq"):  # trees have no cells of RAM
        wrong = [abs(error(row, figure)) for row in held_out]
        summary[figure] = {"mean": round(float(np.mean(wrong)), 4), "most": round(max(wrong), 4)}
    return summary


def error(row: Row, figure: str) -> float:
    """Relative error of a figure."""
    true = Area(*(row[each] for each in Area._fields))
    return getattr(tree_area(group_of(row)), figure) / getattr(true, figure) - 1


def page(text: str, found: Sequence[Row]) -> str:
    """Text of the page with the table as it must be."""
    before, _, rest = text.partition(HEAD)
    lines = [HEAD, "|---" * (HEAD.count("|") - 1) + "|"]
    for row in found:
        if row["held_out"]:
            true = Area(*(row[figure] for figure in Area._fields))
            cells = [f"`{row['network']}`", str(len(group_of(row).tree.members))]
            for figure in ("lut4", "ff"):
                cells += [f"{getattr(true, figure):,}", f"{error(row, figure):+.1%}"]
            lines.append(f"| {' | '.join(cells)} |")
    return before + "\n".join(lines) + "\n\n" + rest.partition("\n\n")[2]


def write_model(found: Sequence[Row]) -> None:
    """Fit, and write the costs with their errors beside those of routers."""
    model = json.loads(MODEL.read_text(encoding="utf-8"))
    model["collectives"] = {"costs": fitted(found), "errors": {}}
    for _ in range(2):  # the errors are those of the costs just written
        write_file(MODEL, json.dumps(model, indent=1) + "\n")
        estimate.model.cache_clear()
        model["collectives"]["errors"] = errors(found)


@click.command()
@click.argument("nets", nargs=-1)
@click.option("--all", "every", is_flag=True, help="Measure all rows anew, an hour.")
def main(nets: tuple[str, ...], every: bool) -> None:
    """Fit the estimate, with the rows of NETS, and those without cells yet, measured anew."""
    found = rows()
    chosen = [
        row for row in found if every or row["network"] in nets or row[Area._fields[0]] is None
    ]
    for row in tracked(chosen, "trees"):
        row.update(measured(row))
        keep(found)
    write_model(found)
    write_file(PAGE, page(PAGE.read_text(encoding="utf-8"), found))
    click.echo(json.dumps(json.loads(MODEL.read_text(encoding="utf-8"))["collectives"], indent=1))


if __name__ == "__main__":
    main()
