"""Tables of cost and sentences of the project's pages: where they stand, and what they print."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from knotwork.gateware.layouts import label_width
from knotwork.network import Network
from knotwork.parameters import BatchParameters
from knotwork.routing.batch import BatchRouting

Answer = Mapping[str, Any]
Answers = Mapping[str, Mapping[str, Answer]]
"""Answers by the name of their router and by the family."""


def _field(name: str, family: str = "ecp5") -> Callable[[Mapping[str, Answer]], str]:
    return lambda answers: f"{int(answers[family][name]):,}"


def _fmax(family: str = "ecp5") -> Callable[[Mapping[str, Answer]], str]:
    return lambda answers: f"{float(answers[family]['fmax_mhz']):.0f} MHz"


def _of_network(fact: Callable[[Network], int]) -> Callable[[Mapping[str, Answer]], str]:
    return lambda answers: str(fact(Network.from_word(answers["ecp5"]["network"])))


def _cycles_per_batch(network: Network) -> int:
    words = BatchParameters.of(network.hardware).words
    return BatchRouting.of(network.routing).steps * words


COLUMNS: dict[str, Callable[[Mapping[str, Answer]], str]] = {
    "LUT4": _field("lut4"),
    "distributed RAM cells": _field("dpr"),
    "LUTeq": _field("luteq"),
    "flip-flops": _field("ff"),
    "Fmax": _fmax(),
    "LUT4 (iCE40)": _field("lut4", "ice40"),
    "flip-flops (iCE40)": _field("ff", "ice40"),
    "Fmax (iCE40)": _fmax("ice40"),
    "virtual channels": _of_network(lambda network: network.virtual_channels),
    "cycles per hop": _of_network(lambda network: network.cycles_per_hop),
    "cycles per batch": _of_network(_cycles_per_batch),
    "bits of the label": _of_network(label_width),
}
"""Columns of figures, on ECP5 unless they name another family: how answers are printed."""


class Table(NamedTuple):
    """Table of a page."""

    page: str  # path of the page
    heading: str  # first cells of its first line
    columns: tuple[str, ...]  # the others, keys of `COLUMNS`
    rows: dict[str, str]  # first cells of each row, and the name of its router

    @property
    def head(self) -> str:
        """First two lines."""
        line = _line((self.heading, *self.columns))
        return f"{line}{'|---' * (line.count('|') - 1)}|\n"

    def text(self, answers: Answers) -> str:
        """Table as the page has it."""
        rows = [
            [label, *(COLUMNS[column](answers[name]) for column in self.columns)]
            for label, name in self.rows.items()
        ]
        return self.head + "".join(map(_line, rows))

    def written(self, page: str, answers: Answers) -> str:
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

    def written(self, page: str, answers: Answers) -> str:
        """Text of the page with the figure as it must be."""
        found = re.search(self.pattern, page)
        assert found is not None, f"{self.page} must have {self.pattern}"
        figure = _field(self.field)(answers[self.name])
        return page[: found.start(1)] + figure + page[found.end(1) :]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n".replace("|  |", "| |")


PAGE_ROWS = tomllib.loads(Path(__file__).with_name("printed.toml").read_text(encoding="utf-8"))
"""Tables and sentences of ``printed.toml``."""
PRINTED: tuple[Table | Sentence, ...] = (
    *(Table(**one | {"columns": tuple(one["columns"])}) for one in PAGE_ROWS["table"]),
    *(Sentence(**one) for one in PAGE_ROWS["sentence"]),
)
"""Figures of a router's cost that pages print."""
