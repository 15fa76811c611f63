"""Cells of networks' self-tests, measured by synthesis: the rows of ``cells.csv``.

`python -m quality.benchmarks.cells` measures all rows anew, an hour; with networks, it measures
those alone, and adds the new ones.
"""

import json
import tempfile
from pathlib import Path

import click
from knotwork.network import Network
from knotwork.tools import run_tool
from knotwork_boards.build_plan import make_plan
from knotwork_boards.capacity import ROWS, measured
from knotwork_boards.families import FAMILIES
from knotwork_boards.place_and_route import count_cells, packed, resources
from knotwork_boards.table import board_named

from ..names import tracked, write_rows

BOARDS = {"ecp5": "ulx3s_85f", "ice40": "ice40_hx8k_b_evn", "gowin": "tang_nano_20k"}
"""Board of each family whose flow is run."""
COUNTED = {"ecp5": {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6}}
"""Look-up tables that a cell occupies, by the beginning of its type, where nothing is packed."""


def count(network: Network, family: str) -> int:
    """Cells of a network's self-test: look-up tables, or logic cells of iCE40."""
    plan = make_plan(network, board_named(BOARDS[family]))
    synthesis, placement, *_ = json.loads(plan.files["build_top.json"])["commands"]
    with tempfile.TemporaryDirectory(prefix="knotwork-cells-") as name:
        folder = Path(name)
        plan.extract(str(folder))
        run_tool(synthesis, folder)
        if family in COUNTED:
            netlist = folder / "top.json"
            return sum(size * count_cells(netlist, cell) for cell, size in COUNTED[family].items())
        said = run_tool([*placement, "--pack-only"], folder) + (folder / "top.tim").read_text()
        return resources(packed(said), FAMILIES[family])["lut"]["used"]


@click.command()
@click.argument("nets", nargs=-1)
@click.option("--family", "families", multiple=True, type=click.Choice(list(BOARDS)))
def main(nets: tuple[str, ...], families: tuple[str, ...]) -> None:
    """Measure all rows, or those of NETS (each in one word), and write the table."""
    rows = {(family, net): cells for family in BOARDS for net, cells in measured(family)}
    chosen = families or tuple(BOARDS)
    jobs = [key for key in rows if not nets and key[0] in chosen]
    jobs += [(family, net) for family in chosen for net in nets]
    for family, net in tracked(jobs, "networks"):
        rows[family, net] = count(Network.from_word(net), family)
        lines = ((*key, cells) for key, cells in sorted(rows.items()))
        write_rows(ROWS, ("family", "network", "cells"), lines, ";")


if __name__ == "__main__":
    main()
