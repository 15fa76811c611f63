"""`make bench-hw-costs`: routers synthesised, and the estimate of costs fitted to them.

The rows of ``costs.csv`` are measured as `make bench-hw` does, on ECP5: the area of a router in its
place, of what stands beside the routers, and of small networks; of the largest router of a network
also the frequency, with one seed. Rows that are held out do not take part in the fit: they tell its
error, which stands in the model's file beside the costs.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click
import numpy as np
from knotwork.costs import estimate
from knotwork.costs.estimate import MODEL, PARTS, PIECES, Area, model_name
from knotwork.costs.pieces import Sizes
from knotwork.files import write_file
from knotwork.network import Network
from scipy.optimize import nnls

from ..names import tracked
from .cases import NETWORK
from .cost_errors import GUIDES, errors, page, with_costs
from .cost_rows import Row, keep, measured, of_pages, rows

PAGE = Path(__file__).parents[3] / "hdl" / "docs" / "costs.md"
LEAST = {"lut4": 80, "dpr": 8, "ff": 40, "ns": 1}
"""Sizes below which an error weighs as much as at this size."""


def pieces_of(row: Row) -> tuple[str, Mapping[str, Sizes]]:
    """Name of the model and the pieces by figure of a row's module."""
    network = Network.from_word(row["network"])
    for part in PARTS.get(network.router_class, lambda _: [])(network):
        if part.role == row["role"]:
            return f"{network.router_class} {part.role}", part.pieces
    kind = next(kind for kind in network.router_kinds if kind.role == row["role"])
    return model_name(network), PIECES[network.router_class](network, kind)


def fitted(found: Sequence[Row]) -> dict[str, dict[str, dict[str, float]]]:
    """Costs per piece by model and figure, from the rows that are not held out."""
    gathered: dict[tuple[str, str], list[tuple[Sizes, float]]] = {}
    for row in found:
        if row["held_out"] or row["role"] == NETWORK:
            continue
        name, pieces = pieces_of(row)
        for figure, value in _figures(row):
            if figure in pieces:
                gathered.setdefault((name, figure), []).append((pieces[figure], value))
    costs: dict[str, dict[str, dict[str, float]]] = {}
    for (name, figure), pairs in gathered.items():
        sizes = [size for size, _ in pairs]
        names = [piece for piece in sizes[0] if any(size[piece] for size in sizes)]
        table = np.array([[size[piece] for piece in names] for size in sizes], float)
        values = np.array([value for _, value in pairs], float)
        solved = least_squares(table, values, LEAST[figure])
        costs.setdefault(name, {})[figure] = {
            piece: round(float(cost), 4) for piece, cost in zip(names, solved, strict=True) if cost
        }
    return costs


def _figures(row: Row) -> Iterator[tuple[str, float]]:
    for figure in Area._fields:
        if row[figure] is not None:
            yield figure, row[figure]
    if row["fmax_mhz"]:
        yield "ns", 1000 / row["fmax_mhz"]


def least_squares(sizes: np.ndarray, values: np.ndarray, least: float) -> np.ndarray:
    """Costs, none negative, of the least sum of squares of relative errors.

    `sizes` of the pieces have the shape (rows, pieces); an error of less than `least` counts as at
    it.
    """
    if not sizes.shape[1]:
        return np.zeros(0)
    weights = 1 / np.maximum(values, least)
    relative = sizes * weights[:, np.newaxis]
    scales = np.linalg.norm(relative, axis=0)
    found, _ = nnls(relative / scales, values * weights)
    return found / scales


def write_model(found: Sequence[Row]) -> None:
    """Fit, and write the costs with their errors."""
    model = json.loads(MODEL.read_text(encoding="utf-8"))  # trees of collectives have their own fit
    model |= {"costs": fitted([*found, *of_pages()]), "errors": {}}
    for _ in range(2):  # the errors are those of the costs just written
        write_file(MODEL, json.dumps(model, indent=1) + "\n")
        estimate.model.cache_clear()
        model["errors"] = errors(found)


@click.command()
@click.argument("nets", nargs=-1)
@click.option("--all", "every", is_flag=True, help="Measure all rows anew, two hours.")
def main(nets: tuple[str, ...], every: bool) -> None:
    """Fit the estimate of costs, with the rows of NETS measured anew (each in one word)."""
    found = rows()
    chosen = [row for row in found if every or row["network"] in nets]
    for row in tracked(chosen, "rows"):
        row.update(measured(row["network"], row["role"]))
        keep(found)
    write_model(found)
    write_file(PAGE, page(PAGE.read_text(encoding="utf-8"), found))
    for guide in GUIDES:
        write_file(guide, with_costs(guide.read_text(encoding="utf-8")))
    click.echo(json.dumps(json.loads(MODEL.read_text(encoding="utf-8"))["errors"], indent=1))


if __name__ == "__main__":
    main()
