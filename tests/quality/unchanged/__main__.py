"""`make unchanged BASE=REVISION`: compares Verilog and answers with those of that revision.

Both trees are asked about every network of `NETWORKS`: generated files must be equal byte by byte,
the answers of all verbs in JSON value by value, but for measured times and words of help. Where a
command line is refused only the exit status counts, not the words.
"""

import os
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import click
from knotwork.cli import output
from knotwork.errors import CheckFailedError, ConfigurationError

from ..names import run, tracked
from .networks import NETWORKS
from .record import NO_NETWORK
from .trees import PROJECT, Tree, check_out

KINDS = ("files", "answers")


class Comparison(NamedTuple):
    """What two trees give of a network."""

    network: str  # its words
    # How many there are.
    files: int
    answers: int
    different: list[str]  # names of those that differ, or that only one tree gives


def different(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Names of what differs in two records, or is in one only."""
    return [
        name
        for kind in KINDS
        for name in sorted({*old[kind], *new[kind]})
        if name not in old[kind] or name not in new[kind] or old[kind][name] != new[kind][name]
    ]


def compare(network: str, trees: tuple[Tree, Tree], engine: str) -> Comparison:
    """Ask both trees about a network."""
    old, new = (tree.record(network, engine) for tree in trees)
    return Comparison(network, len(new["files"]), len(new["answers"]), different(old, new))


def chosen_networks(only: str) -> list[str]:
    """Networks whose words begin so, and in the end what belongs to none."""
    found = [network for network in NETWORKS if network.startswith(only)]
    if not found:
        raise ConfigurationError(f"unchanged: --only must begin a network, not {only!r}")
    return [*found, NO_NETWORK]


@click.command()
@click.argument("revision")
@click.option("--only", default="", metavar="WORDS", help="Networks whose words begin so.")
@click.option("--engine", type=click.Choice(["model", "both"]), default="model", show_default=True)
@click.option("--jobs", type=click.IntRange(1, 64), default=os.cpu_count(), show_default=True)
def unchanged(revision: str, only: str, engine: str, jobs: int) -> None:
    """Compare what this tree gives with what it gave at REVISION."""
    networks = chosen_networks(only)
    with (
        tempfile.TemporaryDirectory(prefix="knotwork-") as name,
        ThreadPoolExecutor(jobs) as pool,
    ):
        folder = Path(name)
        check_out(revision, folder / "old")
        trees = (
            Tree.at(folder / "old", folder / "old_metadata"),
            Tree.at(PROJECT, folder / "metadata"),
        )
        comparisons = pool.map(lambda network: compare(network, trees, engine), networks)
        found = list(tracked(comparisons, "networks", total=len(networks)))
    print_comparison(revision, found)


def print_comparison(revision: str, found: list[Comparison]) -> None:
    """Print the table; it is an error if something differs."""
    rows = [
        (
            "all networks" if one.network == NO_NETWORK else one.network,
            one.files,
            one.answers,
            ", ".join(one.different) or "equal",
        )
        for one in found
    ]
    output.table(f"Compared with {revision}", ("network", "files", "answers", "result"), rows)
    differing = sum(bool(one.different) for one in found)
    if differing:
        raise CheckFailedError(f"unchanged: {differing} of {len(found)} rows differ")


if __name__ == "__main__":
    run(unchanged, "unchanged")
