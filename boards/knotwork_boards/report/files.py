"""Files of a report: the page in HTML, its data in JSON, and the pictures."""

import json
import os
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from errno import EACCES, ENOTDIR
from html import escape
from pathlib import Path

from knotwork import __version__
from knotwork.files import unwritable
from knotwork.network import Network

from ..place_and_route import Resources
from ..table import Board
from ..untyped import JsonObject
from .critical_path import CriticalPath, clock_words, critical_paths
from .owners import INTERFACE, NODE_TEST, PART_TITLES, ROUTER, Cells, Owner, Owners, read_cells
from .pictures import TITLES, by_part, by_router, draw_floorplan, draw_routers, draw_usage

_STYLE = """
body { font: 15px/1.5 "DejaVu Sans", "Segoe UI", Helvetica, Arial, sans-serif; color: #1b1f24;
  max-width: 72em; margin: 2em auto; padding: 0 1.5em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; font-size: 0.88em; margin: 0.8em 0; }
th, td { padding: 0.2em 0.8em; border-bottom: 1px solid #d8dee4; text-align: right; }
th:first-child, td:first-child { text-align: left; }
th { color: #57606a; font-weight: 600; } img { max-width: 100%; height: auto; }
p.path { border-left: 4px solid #0072B2; padding-left: 0.8em; }
figure { margin: 1em 0; } figcaption { color: #57606a; font-size: 0.88em; max-width: 60em; }
"""


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Table in HTML; numbers with a fraction have one digit of it."""

    def line(tag: str, values: Iterable[object]) -> str:
        return "<tr>" + "".join(f"<{tag}>{_text(value)}</{tag}>" for value in values) + "</tr>"

    body = "\n".join(line("td", row) for row in rows)
    return f"<table>\n<thead>{line('th', heads)}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}"
    return escape(f"{value:,}" if isinstance(value, int) else str(value))


def picture(svg: bytes, words: str, caption: str = "") -> str:
    """Picture within the page."""
    data = b64encode(svg).decode()
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return (
        f'<figure><img alt="{escape(words)}" src="data:image/svg+xml;base64,{data}">'
        f"{below}</figure>"
    )


def paths_section(paths: Sequence[CriticalPath]) -> str:
    """Critical paths in words, and what each passes."""
    parts = []
    for path in paths:
        parts.append(
            f'<p class="path">Clock {escape(clock_words(path.clock))}: {escape(path.words)}.</p>'
        )
        rows = [
            (one.place, one.levels, one.cells, one.wires, one.cells + one.wires)
            for one in path.stretches
        ]
        rows.append(("total", sum(row[1] for row in rows), path.cells, path.wires,
                     path.cells + path.wires))  # fmt: skip
        parts.append(table(("passes", "cells", "in cells, ns", "in wires, ns", "sum, ns"), rows))
    return "\n".join(parts)


def page(title: str, sections: Mapping[str, Iterable[str]]) -> str:
    """Page of sections by heading."""
    body = "\n".join(
        "\n".join([f"<h2>{escape(heading)}</h2>", *parts]) for heading, parts in sections.items()
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def path_data(path: CriticalPath) -> JsonObject:
    """Critical path for the report's data."""
    return {
        "clock": path.clock,
        "words": path.words,
        "from": path.start,
        "to": path.end,
        "ns": round(path.cells + path.wires, 3),
        "wires_ns": round(path.wires, 3),
        "passes": [
            {
                "place": one.place,
                "cells": one.levels,
                "cells_ns": round(one.cells, 3),
                "wires_ns": round(one.wires, 3),
            }
            for one in path.stretches
        ],
    }


PAGE, DATA = "report.html", "report.json"
"""Page and data of a report."""


def require_folder(folder: Path | None) -> None:
    """Refuse a folder that cannot be one, before the work for what it is to hold; take None.

    Raises
    ------
    ConfigurationError
        The folder, or what there is of its path, is a file or cannot be written.
    """
    if folder is None:
        return
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    for wrong, code in ((not there.is_dir(), ENOTDIR), (not os.access(there, os.W_OK), EACCES)):
        if wrong:
            raise unwritable(folder / PAGE, OSError(code, os.strerror(code)))


class Report:
    """Report of a build, from what its tools left.

    Parameters
    ----------
    network, board : Network, Board
        What was built.
    folder : Path
        Folder with nextpnr's ``report.json`` and ``top.pnr.json``, and Yosys's ``top.json``.
    resources : Resources
        Cells in use and available, by kind.
    """

    def __init__(self, network: Network, board: Board, folder: Path, resources: Resources) -> None:
        self._network, self._board, self._resources = network, board, resources
        self.owners = Owners(network)
        timing: JsonObject = json.loads((folder / "report.json").read_text())
        self.clocks: JsonObject = timing["fmax"]
        self.paths: list[CriticalPath] = critical_paths(timing, self.owners)
        self.cells: Cells = read_cells(
            folder / "top.pnr.json", folder / "top.json", owners=self.owners, family=board.family
        )

    @property
    def title(self) -> str:
        """What was built."""
        return f"{self._network.name} on {self._board.name}"

    @property
    def worst(self) -> CriticalPath | None:
        """Critical path of the clock with the least margin."""

        def margin(path: CriticalPath) -> float:
            clock = self.clocks[path.clock]
            return clock["achieved"] / clock["constraint"]

        return min(self.paths, key=margin, default=None)

    def files(self) -> dict[str, str | bytes]:
        """Contents of the report's files by name."""
        title = self.title
        pictures = {
            "floorplan.svg": draw_floorplan(self.cells, self.owners, title=title, path=self.worst),
            "routers.svg": draw_routers(self.cells, self.owners, title=f"{title}: each router"),
            "utilization.svg": draw_usage(self.cells, self._resources, self.owners, title=title),
        }
        return {PAGE: self._page(title, pictures), DATA: self._data(), **pictures}

    def _page(self, title: str, pictures: dict[str, bytes]) -> str:
        words = "a report of Knotwork " + __version__
        where = picture(
            pictures["floorplan.svg"],
            "floorplan coloured by router",
            "Tiles of the FPGA in nextpnr's coordinates. A tile with cells of several owners is "
            "shared out among them; what lies between is not in use.",
        )
        return page(
            title,
            {
                "Critical path": [paths_section(self.paths)],
                "Clocks": [self._clocks()],
                "Floorplan": [where, picture(pictures["routers.svg"], "each router's cells")],
                "Utilization": [
                    self._kinds(),
                    picture(pictures["utilization.svg"], "utilization by part and by router"),
                    self._routers(),
                ],
                "About": [f"<p>{self._board.title}, {self._board.device}; {words}.</p>"],
            },
        )

    def _clocks(self) -> str:
        rows = [
            (clock_words(name), float(clock["achieved"]), float(clock["constraint"]))
            for name, clock in self.clocks.items()
        ]
        return table(("clock", "Fmax, MHz", "aim, MHz"), rows)

    def _kinds(self) -> str:
        kinds = [kind for kind in TITLES if kind in self._resources]
        rows: list[list[object]] = [
            [PART_TITLES[part], *(used[kind] for kind in kinds)]
            for part, used in by_part(self.cells).items()
        ]
        for name in ("used", "available"):
            rows.append([name, *(self._resources[kind][name] for kind in kinds)])
        return table(("part", *(TITLES[kind] for kind in kinds)), rows)

    def _routers(self) -> str:
        kinds = [kind for kind in TITLES if kind in self._resources]
        heads = ["router"]
        for words in ("", ", its nodes' interfaces", ", their test"):
            heads += [TITLES[kind] + words for kind in kinds]
        rows = [
            [
                self.owners.label(Owner(ROUTER, router)),
                *(row[part][kind] for part in (ROUTER, INTERFACE, NODE_TEST) for kind in kinds),
            ]
            for router, row in enumerate(by_router(self.cells, self.owners))
        ]
        return table(heads, rows)

    def _data(self) -> str:
        data = {
            "tool": "knotwork",
            "version": __version__,
            "name": self._network.name,
            "board": self._board.name,
            "clocks": {
                name: {"fmax_mhz": clock["achieved"], "aim_mhz": clock["constraint"]}
                for name, clock in self.clocks.items()
            },
            "critical_paths": [path_data(path) for path in self.paths],
            "utilization": self._resources,
            "parts": by_part(self.cells),
            "routers": [
                {"router": self.owners.label(Owner(ROUTER, router)), "cells": row}
                for router, row in enumerate(by_router(self.cells, self.owners))
            ],
        }
        return json.dumps(data, indent=1) + "\n"


def report_files(
    network: Network, board: Board, folder: Path, resources: Resources
) -> dict[str, str | bytes]:
    """Contents of a report's files by name; parameters as of `Report`."""
    return Report(network, board, folder, resources).files()
