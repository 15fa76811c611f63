"""`make bench-saturation`: saturation of networks of 64 nodes, as a share of the ideal throughput.

Uniform traffic, on the golden model. A port's buffers have 16 flits in all, however many virtual
channels share them.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

from knotwork.cli import output
from knotwork.files import write_file

from ..names import command_of_names, tracked
from .bounds import Bound, piped, print_verdicts, verdicts
from .cases import pipelines
from .saturation import LENGTHS, saturation

FILE = Path("build", "bench", "saturation.json")
FLITS = 16
"""Flits that the buffers of a port hold."""


class Load(NamedTuple):
    """Network whose saturation is measured, with each pipeline."""

    # Name of its rows, and the network in one word.
    name: str
    net: str
    channels: int  # virtual channels
    least: float  # share of the ideal throughput that it must reach

    def word(self, pipeline: int) -> str:
        """Network in one word."""
        keys = f"virtual_channels={self.channels},buffer_depth={FLITS // self.channels}"
        return f"{self.net},{keys},pipeline={pipeline}"


LOADS = (
    Load("mesh_8x8_vcs1", "mesh:x=8,y=8", 1, 0.82),
    Load("mesh_8x8_vcs4", "mesh:x=8,y=8", 4, 0.92),
    Load("hypercube_n6_vcs1", "hypercube:n=6", 1, 0.90),
    Load("hypercube_n6_vcs4", "hypercube:n=6", 4, 0.94),
    Load("moebius_n6_vcs1", "moebius:n=6", 1, 0.90),
    Load("moebius_n6_vcs4", "moebius:n=6", 4, 0.94),
    Load("torus_8x8_vcs2", "torus:x=8,y=8", 2, 0.72),
)
BOUNDS = tuple(
    Bound(
        f"{load.net}, {load.channels} x {FLITS // load.channels} flits",
        piped(load.name, load.channels),
        least={f"share_{length}": load.least for length in LENGTHS},
    )
    for load in LOADS
)


def row(load: Load, pipeline: int) -> dict[str, Any]:
    """Row of a network with a pipeline: saturation and share of the ideal for each length."""
    word = load.word(pipeline)
    fields: dict[str, Any] = {"name": f"{load.name}_p{pipeline}", "network": word}
    for length in LENGTHS:
        found = saturation(word, length)
        fields["ideal_throughput"] = found.ideal
        fields[f"saturation_{length}"] = found.offered
        fields[f"share_{length}"] = round(found.share, 3)
    return fields


NAMES = [load.name for load in LOADS]


@command_of_names(NAMES)
def main(names: tuple[str, ...]) -> None:
    """Measure the networks, or those named; write `saturation.json`."""
    jobs = [
        (load, pipeline)
        for load in LOADS
        if not names or load.name in names
        for pipeline in pipelines(load.channels)
    ]
    rows = []
    for load, pipeline in tracked(jobs, "networks"):
        rows.append(row(load, pipeline))
        write_file(FILE, json.dumps(rows, indent=2) + "\n")
    columns = [key for key in rows[0] if key != "network"]
    output.table(
        "Saturation, flits per node per cycle",
        [column.replace("_", " ") for column in columns],
        [[line[column] for column in columns] for line in rows],
    )
    print_verdicts(verdicts(BOUNDS, rows))


if __name__ == "__main__":
    main()
