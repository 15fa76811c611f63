"""`make coverage-verilog`: lines and toggles of the generated Verilog that traffic reaches.

One random network of every family (`random_networks`) runs the traffics of a soak in Verilog. For
each module, Verilator counts over all instances the lines executed and the bits that rose and fell.
The testbench and the assertions are left out.
"""

import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
from knotwork.cli import output
from knotwork.files import write_file
from knotwork_sim.model.run import run_log
from knotwork_sim.rtl.driver import run_driver

from ..names import tracked
from ..soak.__main__ import chosen_families
from ..soak.random_networks import Family, draw_network, draw_traffic
from ..soak.runs import ENGINES, MARGIN

FILE = Path("build", "coverage", "verilog.json")
PORTS = 8
"""Ports of a router at most: nine deflection routers of nine ports take 12 GB."""
KINDS = {"line": "v_line/", "branch": "v_branch/", "toggle": "v_toggle/"}
"""Kinds of coverage, and how the page of their points begins."""


class Point(NamedTuple):
    """Point that Verilator counts, in all instances of its module."""

    page: str  # kind and module
    file: str
    line: str
    column: str
    what: str


def read_points(text: str) -> dict[Point, int]:
    r"""Counts in a coverage file of Verilator, summed over the instances of each module.

    A point is a line ``C '<key>' <count>``; the key consists of pairs: \x01 name \x02 value.
    """
    counts: dict[Point, int] = defaultdict(int)
    for key, count in re.findall(r"^C '(.*)' (\d+)$", text, re.MULTILINE):
        named = dict(pair.split("\x02", 1) for pair in key.split("\x01") if "\x02" in pair)
        point = Point(*(named.get(name, "") for name in ("page", "f", "l", "n", "o")))
        counts[point] += int(count)
    return counts


def shares(counts: dict[Point, int], leave_out: Iterable[str] = ()) -> dict[str, Any]:
    """Number of points and of those reached, by kind, without the modules `leave_out`."""
    counted: dict[str, Any] = {}
    for kind, page in KINDS.items():
        skipped = {f"{page}{module}" for module in leave_out}
        reached = [
            count > 0
            for point, count in counts.items()
            if point.page.startswith(page) and point.page not in skipped
        ]
        counted[kind] = {"points": len(reached), "reached": sum(reached)}
    return counted


def measure(family: Family, *, seed: int, flits: int) -> dict[str, Any]:
    """Measure one network of a family under the traffics of a soak."""
    rng, engine = np.random.default_rng([seed, *str(family).encode()]), ENGINES["rtl"]
    most, spread = engine.most, engine.spread
    word, network = draw_network(family, rng, most=most, spread=spread, ports=PORTS)
    counts: dict[Point, int] = defaultdict(int)
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        file = Path(folder) / "coverage.dat"
        for _ in range(engine.traffics):
            traffic, packets = draw_traffic(network, rng, flits=flits)
            clocks = run_log(network, traffic, packets).clocks
            run_driver(
                network, traffic, packets, clocks=clocks + MARGIN, level="-O0", coverage=file
            )
            for point, count in read_points(file.read_text(errors="replace")).items():
                counts[point] += count
    missed = sorted(
        f"{point.page} {Path(point.file).name}:{point.line} {point.what}"
        for point, count in counts.items()
        if count == 0 and "testbench" not in point.page
    )
    counted = shares(counts, ["testbench"])
    return {"family": str(family), "net": word, **counted, "missed": missed}


def percent(share: dict[str, int]) -> str:
    """Share in per cent, and the number of points."""
    if not share["points"]:
        return "-"
    return f"{100 * share['reached'] / share['points']:.1f} % of {share['points']}"


@click.command()
@click.option("--seed", type=click.IntRange(0, 2**31), default=1, show_default=True)
@click.option("--only", metavar="TEXT", help="Measure the families whose names have this text.")
@click.option(
    "--flits",
    type=click.IntRange(1),
    default=1500,
    show_default=True,
    help="Flits of each of the eight traffics.",
)
@click.option("-o", "file", type=click.Path(path_type=Path), default=FILE, show_default=True)
def main(*, seed: int, only: str | None, flits: int, file: Path) -> None:
    """Measure how much of every network's Verilog traffic reaches."""
    rows = []
    for family in tracked(chosen_families(only), "networks"):
        rows.append(measure(family, seed=seed, flits=flits))
        write_file(file, json.dumps(rows, indent=2) + "\n")
    cells = [[row["family"], *(percent(row[kind]) for kind in KINDS), row["net"]] for row in rows]
    output.table("Verilog reached", ("family", *KINDS, "network"), cells)


if __name__ == "__main__":
    main()
