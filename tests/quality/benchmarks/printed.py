"""Tables of cost on the project's pages, written from what `make bench-hw` measured.

`make bench-hw-pages` keeps the answers of `build/bench/hardware.json`, or of the files that ARGS
name, in ``hardware.csv`` beside this module, and writes the pages' tables from there. A test
compares the pages with the kept answers.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
from knotwork.files import write_whole
from knotwork.network import Network

from .hardware import FILE

ROOT = Path(__file__).parents[3]
ANSWERS = Path(__file__).with_name("hardware.csv")
"""Answers that the pages print, a row per router."""
FIELDS = ("name", "network", "family", "lut4", "dpr", "ff", "luteq", "fmax_mhz", "seeds")

Answer = Mapping[str, Any]


def _field(name: str) -> Callable[[Answer], str]:
    return lambda answer: str(answer[name])


def _of_network(fact: Callable[[Network], int]) -> Callable[[Answer], str]:
    return lambda answer: str(fact(Network.from_word(answer["network"])))


COLUMNS: dict[str, Callable[[Answer], str]] = {
    "LUT4": _field("lut4"),
    "distributed RAM cells": _field("dpr"),
    "flip-flops": _field("ff"),
    "Fmax": lambda answer: f"{float(answer['fmax_mhz']):.0f} MHz",
    "virtual channels": _of_network(lambda network: network.virtual_channels),
    "cycles per hop": _of_network(lambda network: network.cycles_per_hop),
}
"""Columns of figures: how an answer is printed."""


class Table(NamedTuple):
    """Table of a page.

    Members
    -------
    page : str
        Path of the page.
    heading : str
        First cell of its first line.
    columns : tuple of str
        The others, keys of `COLUMNS`.
    rows : dict of str to str
        First cell of each row, and the name of its router.
    """

    page: str
    heading: str
    columns: tuple[str, ...]
    rows: dict[str, str]

    @property
    def head(self) -> str:
        """First two lines."""
        cells = (self.heading, *self.columns)
        return f"{_line(cells)}{'|---' * len(cells)}|\n"

    def text(self, answers: Mapping[str, Answer]) -> str:
        """Table as the page has it."""
        rows = [
            [label, *(COLUMNS[column](answers[name]) for column in self.columns)]
            for label, name in self.rows.items()
        ]
        return self.head + "".join(map(_line, rows))

    def written(self, page: str, answers: Mapping[str, Answer]) -> str:
        """Text of the page with its table as it must be."""
        begin = page.index(self.head)
        end = re.compile(r"^(?!\|)|\Z", re.MULTILINE).search(page, begin)
        assert end is not None
        return page[:begin] + self.text(answers) + page[end.start() :]


class Sentence(NamedTuple):
    """Sentence of a page with a figure of a router; `pattern` has one group, the figure."""

    page: str
    pattern: str
    field: str
    name: str

    def written(self, page: str, answers: Mapping[str, Answer]) -> str:
        """Text of the page with the figure as it must be."""
        found = re.search(self.pattern, page)
        assert found is not None, f"{self.page} must have {self.pattern}"
        return page[: found.start(1)] + str(answers[self.name][self.field]) + page[found.end(1) :]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n".replace("|  |", "| |")


_RAM = ("LUT4", "distributed RAM cells", "flip-flops", "Fmax")
_PLAIN = ("LUT4", "flip-flops", "Fmax")

PRINTED: tuple[Table | Sentence, ...] = (
    Table(
        "hdl/docs/packet-router.md",
        "",
        (*_RAM, "cycles per hop"),
        {"`pipeline=1`": "hypercube_n4_p1", "`pipeline=2`": "hypercube_n4_p2"},
    ),
    Table(
        "hdl/docs/parity.md",
        "`pipeline=1`",
        _RAM,
        {
            "`hypercube n=4`": "hypercube_n4_p1",
            "`hypercube n=4 parity=yes`": "hypercube_n4_parity",
            "`mesh x=4 y=4`": "mesh_4x4_p1",
            "`mesh x=4 y=4 parity=yes`": "mesh_4x4_parity",
        },
    ),
    Table(
        "hdl/docs/circuits.md",
        "downers, uppers",
        _PLAIN,
        {"2, 2": "lcan_d2_u2", "4, 2": "lcan_d4_u2", "4, 4": "lcan_d4_u4"},
    ),
    Table(
        "hdl/docs/circuits.md",
        "beside the switches",
        _RAM,
        {
            "interface": "lcan_interface_fixed",
            "interface, `cycle=adaptive`": "lcan_interface_adaptive",
            "controller": "lcan_controller_fixed",
            "controller, `cycle=adaptive`": "lcan_controller_adaptive",
            "chooser of two copies": "kyklos_chooser",
        },
    ),
    Table(
        "hdl/docs/broadcast.md",
        "`broadcast`",
        ("virtual channels", *_RAM),
        {f"`{rule}`": f"wk_w4_levels3_{rule}" for rule in ("no", "address", "mask", "label")},
    ),
    Sentence(
        "hdl/docs/deflection.md", r"takes (\d+) LUT4s\s+on\s+ECP5", "lut4", "torus_deflection"
    ),
)
"""Figures of a router's cost that pages print."""

BY_HAND = {
    "batches.md": "on two families, and the median of five seeds; its rows are cases of `CASES`",
}
"""Pages with a table that is not written from the kept answers, and why."""


def kept_answers() -> dict[str, Answer]:
    """Kept answers by the router's name."""
    with ANSWERS.open(encoding="utf-8", newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def keep(rows: Sequence[Answer]) -> None:
    """Keep the answers of routers that pages print, over those of the same names; ECP5 alone."""
    printed = {name for each in PRINTED for name in _names(each)}
    kept = kept_answers() if ANSWERS.exists() else {}
    kept |= {
        row["name"]: {field: row[field] for field in FIELDS}
        for row in rows
        if row["name"] in printed and row["family"] == "ecp5"
    }
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(FIELDS)
    lines.writerows(
        [kept[name][field] for field in FIELDS] for name in sorted(kept) if name in printed
    )
    write_whole(ANSWERS, text.getvalue())


def _names(each: Table | Sentence) -> list[str]:
    """Routers of a table or a sentence."""
    return [*each.rows.values()] if isinstance(each, Table) else [each.name]


def pages(answers: Mapping[str, Answer]) -> dict[Path, str]:
    """Text of each page with its figures as they must be."""
    texts: dict[Path, str] = {}
    for each in PRINTED:
        path = ROOT / each.page
        text = texts.get(path) or path.read_text(encoding="utf-8")
        texts[path] = each.written(text, answers)
    return texts


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path, exists=True, dir_okay=False))
def main(files: tuple[Path, ...]) -> None:
    """Keep the answers in FILES, or the last of `make bench-hw`, and write the pages' tables."""
    for file in files or [FILE]:
        keep(json.loads(file.read_text(encoding="utf-8")))
    for path, text in pages(kept_answers()).items():
        write_whole(path, text)
        click.echo(path.relative_to(ROOT).as_posix())


if __name__ == "__main__":
    main()
