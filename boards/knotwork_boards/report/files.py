"""Files of a report: page, data and pictures."""

import json
import os
from errno import EACCES, ENOTDIR
from pathlib import Path

from knotwork import __version__
from knotwork.files import unwritable
from knotwork.network import Network

from ..place_and_route import Resources
from ..table import Board
from ..untyped import JsonObject
from .cells import Cells, read_cells
from .critical_path import CriticalPath, clock_words, critical_paths
from .floorplan import draw_floorplan, draw_routers
from .owners import INTERFACE, NODE_TEST, PART_TITLES, ROUTER, Owner, Owners
from .page import page, path_data, paths_section, picture, table
from .usage import TITLES, by_part, by_router, draw_usage

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
