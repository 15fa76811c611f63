"""Routers that `make bench-hw` measures: those that others compare, and those that pages print."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ..names import read_rows

SEEDS = 10
"""Seeds of place and route of a router."""
NETWORK = "network"
"""Role of a network as a whole."""


class Case(NamedTuple):
    """Router that is measured."""

    # Name of its row, and its network in one word.
    name: str
    net: str
    # Kind of router, or what the network has beside them, or `NETWORK`; None for the router with
    # the most ports and turns.
    role: str | None
    families: tuple[str, ...]  # families on which it is measured
    places_network: bool  # whether the whole network is placed too, which takes minutes per seed
    placed: bool  # whether it is placed for its frequency; only its cells are counted otherwise
    seeds: int  # most seeds of place and route


def _case(row: Mapping[str, str]) -> Case:
    return Case(
        row["name"],
        row["net"],
        row["role"] or None,
        tuple(row["families"].split()),
        row["places_network"] == "yes",
        row["placed"] == "yes",
        int(row["seeds"]),
    )


def pipelines(channels: int) -> tuple[int, ...]:
    """Pipelines with which a router of so many virtual channels is measured, whose best counts.

    With buffers of eight flits, which hold a round of credits, it is measured with 3 too.
    """
    return (1, 2) if channels == 1 else (2,)


CASES = tuple(map(_case, read_rows(Path(__file__).with_suffix(".csv"), ";")))
"""Routers of ``cases.csv``; many that a page compares, large ones among them, have fewer seeds."""
