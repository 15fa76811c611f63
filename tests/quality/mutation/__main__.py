"""`make mutate`: whether the tests would detect a fault in the generated Verilog.

Yosys makes faults all over a router. Short simulations of the network kill a mutant that differs
from the golden model. The others are tried in an equivalence proof. A mutant that is neither killed
nor equivalent survives: it calls for a test, or for a reason (`reasons`).
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from knotwork.cli import output
from knotwork.files import write_file

from ..names import command_of_names, run, tracked
from .target_row import target_row
from .targets import TARGETS

FILE = Path("build", "mutate.json")
MUTANTS = 300
"""Mutants of each router."""
PROOFS = 4
"""Mutants of each router that its proofs get to see: one takes half a minute or more."""
SHARES = ("killed of all", "killed of faults")
"""Columns of shares; the faults are the mutants not proven equivalent."""


def total(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Report of all routers: sums, and the survivors with the names of their routers."""
    sums = {key: sum(line[key] for line in rows) for key in ("made", "killed", "equivalent")}
    survivors = [
        {"router": line["name"], **survivor} for line in rows for survivor in line["survivors"]
    ]
    return {**sums, "survivors": survivors, "routers": list(rows)}


def earlier_rows() -> dict[str, dict[str, Any]]:
    """Rows of the report on disk, by name; none if there is no report."""
    try:
        told = json.loads(FILE.read_text(encoding="utf-8"))
        return {line["name"]: line for line in told["routers"]}
    except (OSError, ValueError, LookupError, TypeError):
        return {}


NAMES = [target.name for target in TARGETS]


@command_of_names(NAMES)
@click.option("--mutants", default=MUTANTS, show_default=True, type=click.IntRange(1, 10_000))
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0, 2**31 - 1))
@click.option("--proofs", default=PROOFS, show_default=True, type=click.IntRange(0, 1000))
def main(names: tuple[str, ...], mutants: int, seed: int, proofs: int) -> None:
    """Make mutants of the routers, or of those named; write `build/mutate.json`.

    The report keeps the earlier rows of the other routers.
    """
    chosen = [target for target in TARGETS if not names or target.name in names]
    kept = {} if chosen == list(TARGETS) else earlier_rows()
    rows, order = [], [target.name for target in TARGETS]
    for target in tracked(chosen, "routers"):
        rows.append(target_row(target, count=mutants, seed=seed, proofs=proofs))
        kept |= {target.name: rows[-1]}
        whole = [kept[name] for name in order if name in kept]
        write_file(FILE, json.dumps(total(whole), indent=2) + "\n")
    columns = ["name", "made", "killed", "equivalent", "survivors", *SHARES, "seconds"]
    output.table("Mutants", columns, [_cells(line) for line in rows])
    for line in rows:
        if line["properties"]:
            told = ", ".join(f"{name} {seen}" for name, seen in line["properties"].items())
            click.echo(f"{line['name']}: of {line['proofs']} mutants, counterexamples to {told}")
    for survivor in total(rows)["survivors"]:
        why = survivor["by_hand"] or f"{survivor['reason']}; no reason is known"
        click.echo(f"{survivor['router']} {survivor['mutant']}: {survivor['fault']}: {why}")


def _cells(line: dict[str, Any]) -> list[Any]:
    made, killed, equivalent = (line[key] for key in ("made", "killed", "equivalent"))
    faults = made - equivalent
    shares = [f"{killed / whole:.1%}" if whole else "-" for whole in (made, faults)]
    return [
        line["name"],
        made,
        killed,
        equivalent,
        len(line["survivors"]),
        *shares,
        round(line["seconds"]),
    ]


if __name__ == "__main__":
    run(main, "mutate")
