"""Tables of cost on the project's pages, written from what `make bench-hw` measured.

`make bench-hw-pages` keeps the answers of `build/bench/hardware.json`, or of the files that ARGS
name, in ``hardware.csv`` beside this module, and writes the pages' tables from there. A test
compares the pages with the kept answers.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import click
from knotwork.files import write_file

from ..names import read_rows, write_rows
from . import saturation
from .hardware import FILE
from .page_tables import PRINTED, Answer, Answers, Sentence, Table

ROOT = Path(__file__).parents[3]
ANSWERS = Path(__file__).with_name("hardware.csv")
"""Answers that the pages print, a row per router and family."""
FIELDS = (
    *("name", "network", "family", "lut4", "dpr", "ff", "luteq", "fmax_mhz", "seeds"),
    *saturation.FIELDS,
)


def kept_answers() -> dict[str, dict[str, Answer]]:
    """Kept answers by the router's name and the family."""
    kept: dict[str, dict[str, Answer]] = {}
    for row in read_rows(ANSWERS):
        kept.setdefault(row["name"], {})[row["family"]] = row
    return kept


def keep(rows: Sequence[Answer]) -> None:
    """Keep the answers that pages print, over those of the same router and family."""
    kept = kept_answers()
    for row in rows:
        kept.setdefault(row["name"], {})[row["family"]] = row
    lines = [
        [kept[name][family].get(field) for field in FIELDS]
        for name, family in sorted(needed())
        if family in kept.get(name, {})
    ]
    write_rows(ANSWERS, FIELDS, lines)


def needed() -> set[tuple[str, str]]:
    """Name and family of every router that a page prints."""
    return {pair for each in PRINTED for pair in _measured(each)}


def _measured(each: Table | Sentence) -> Iterator[tuple[str, str]]:
    """Name and family of the routers of a table or a sentence."""
    if isinstance(each, Sentence):
        yield each.name, "ecp5"
        return
    read = {"ice40" if column.endswith("(iCE40)") else "ecp5" for column in each.columns}
    yield from product(each.rows.values(), read)


def pages(answers: Answers) -> dict[Path, str]:
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
        write_file(path, text)
        click.echo(path.relative_to(ROOT).as_posix())


if __name__ == "__main__":
    main()
