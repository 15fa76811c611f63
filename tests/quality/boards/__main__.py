"""`make boards`: builds a network for every board, and the largest that each die holds.

The rows go to ``placed.csv`` of the package, each as soon as it is measured. A row that was
measured with the same sources and tools is not measured again.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import click
from knotwork.cli import output
from knotwork.errors import KnotworkError
from knotwork.files import write_file
from knotwork_boards.placed import PLACED, ROWS, Trial, read_rows, rows_text
from knotwork_boards.table import BOARDS, board_named

from .builds import EVERY_BOARD, LADDERS, Climb, is_fresh, measure, smallest

LEAST_NODES = 4
COLUMNS = ("board", "network", "outcome", "LUT", "FF", "RAM", "Fmax", "clock", "seconds")


class Survey:
    """Rows that are measured; no build begins after `until`, or takes more than `seconds`."""

    def __init__(self, *, until: float, seconds: float) -> None:
        self._until = until
        self._seconds = seconds
        self._lock = threading.Lock()
        self.rows = {(row.board, row.network): row for row in read_rows(ROWS)}

    def row(self, board: str, net: str) -> Trial | None:
        """Row of a network on a board, measured if need be; None where no time is left."""
        known = self.rows.get((board, net))
        if known is not None and is_fresh(known, self._seconds):
            return known
        if time.monotonic() > self._until:
            return None
        row = measure(board, net, seconds=self._seconds)
        with self._lock:
            self.rows[board, net] = row
            self._write()
        figures = f"{row.lut} LUTs, {row.fmax_mhz} MHz" if row.outcome == PLACED else row.outcome
        print(f"{board} {net}: {figures}, {row.seconds:.0f} s", file=sys.stderr, flush=True)
        return row

    def climb(self, board: str, nets: list[str]) -> None:
        """Measure a ladder of networks up to the largest that is placed."""
        climb = Climb(nets, board_named(board))
        seen = {smallest(EVERY_BOARD)}
        while (net := climb.next()) is not None:
            row = self.row(board, net)
            if row is None:
                return
            seen.add(net)
            climb.record_outcome(row.outcome)
        words = {key for key in self.rows if key[0] == board and _topology(key[1]) in _names(nets)}
        with self._lock:
            for key in words - {(board, net) for net in seen}:
                del self.rows[key]  # of other sources: the search came to other sizes
            self._write()

    def _write(self) -> None:
        write_file(ROWS, rows_text(self.rows.values()))

    def stale(self) -> Iterator[str]:
        """What `make boards` would measure: rows of other sources, boards without one."""
        for row in self.rows.values():
            if not is_fresh(row, 0):
                yield f"{row.board} {row.network}: measured with other sources or tools"
        for board in BOARDS:
            sizes = [row.nodes for row in self.rows.values() if row.board == board]
            if max(sizes, default=0) < LEAST_NODES:
                yield f"{board}: no network of {LEAST_NODES} nodes is measured"


def _topology(net: str) -> str:
    return net.partition(":")[0]


def _names(nets: list[str]) -> set[str]:
    return {_topology(net) for net in nets}


def jobs(survey: Survey, boards: list[str], ladders: list[str]) -> Iterator[Callable[[], object]]:
    """Work, the most wanted first: a bitstream for every board, then the smallest dies."""
    for board in boards:
        yield partial(survey.row, board, smallest(EVERY_BOARD))
    dies: list[str] = []
    for board in sorted(boards, key=lambda name: BOARDS[name].luts):
        if not any(BOARDS[board].has_die_of(BOARDS[other]) for other in dies):
            dies.append(board)
    for board in dies:
        for ladder in ladders:
            yield partial(survey.climb, board, LADDERS[ladder])


@click.command()
@click.argument("boards", nargs=-1)
@click.option("--ladder", "ladders", multiple=True, type=click.Choice([*LADDERS, "none"]))
@click.option("--minutes", default=float("inf"), help="No build begins later than this.")
@click.option("--limit", default=15.0, show_default=True, help="Minutes of a build.")
@click.option("--jobs", "at_once", default=2, show_default=True, type=click.IntRange(1, 64))
@click.option("--check", is_flag=True, help="Build nothing; tell what would be built.")
def main(
    *,
    boards: tuple[str, ...],
    ladders: tuple[str, ...],
    minutes: float,
    limit: float,
    at_once: int,
    check: bool,
) -> None:
    """Measure the networks that BOARDS hold, all if none is named."""
    survey = Survey(until=time.monotonic() + 60 * minutes, seconds=60 * limit)
    if check:
        stale = list(survey.stale())
        print(*stale, sep="\n", end="\n" if stale else "")
        sys.exit(bool(stale))
    chosen = [board_named(name).name for name in boards] or list(BOARDS)
    wanted = [ladder for ladder in ladders or LADDERS if ladder in LADDERS]
    with ThreadPoolExecutor(at_once) as pool:
        running = [pool.submit(job) for job in jobs(survey, chosen, wanted)]
        failures = [error for error in (run.exception() for run in running) if error]
    rows = [
        (row.board, row.network, row.outcome, *row[4:10])
        for row in survey.rows.values()
        if row.board in chosen
    ]
    output.table("Boards", COLUMNS, rows)
    for error in failures:
        print(error, file=sys.stderr)
    sys.exit(bool(failures))


if __name__ == "__main__":
    try:
        main()
    except KnotworkError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
