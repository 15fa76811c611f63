"""`make bench-hw-parts`: area and frequency of parts beside networks, on ECP5.

Each stands beside the floor of what its job needs: flip-flops for what it must know from cycle to
cycle, and cells of distributed RAM for its queues. The answers of all parts are kept in
``components.csv`` beside this module, and in the pages' tables; a test compares the two.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import click
from knotwork.files import write_file
from knotwork_soc import BusParameters
from knotwork_soc.emit.shells import bridge_verilog
from knotwork_soc.gateware.buses.bursts import PAGE_BITS, PENDING
from knotwork_soc.gateware.buses.initiator_bridges import INITIATOR_BRIDGES
from knotwork_soc.gateware.buses.target_bridges import TARGET_BRIDGES

from ..names import command_of_names, read_rows, write_rows
from . import adapters, ports
from .hardware import area_and_speeds, middle
from .page_tables import PAGE_ROWS, Table
from .printed import ROOT

ANSWERS = Path(__file__).with_name("components.csv")
FIELDS = ("name", "lut4", "dpr", "ff", "luteq", "fmax_mhz", "seeds", "floor_ff", "floor_dpr")
FAMILY = "ecp5"
SEEDS = 3
"""Seeds of place and route; the median counts."""
RAM_BITS, RAM_WORDS = 4, 16
"""Bits of a word, and words, of a cell of distributed RAM."""


class Component(NamedTuple):
    """Part that is measured."""

    verilog: Callable[[str], str]  # text of its modules, its own last, by the name of that
    # The floor: flip-flops and cells of distributed RAM that its job needs.
    flip_flops: int
    ram: int = 0


def queue(depth: int, width: int) -> tuple[int, int]:
    """Flip-flops of a queue's two places and of whether it is full, and its cells of RAM."""
    cells = -(-width // RAM_BITS) * -(-depth // RAM_WORDS)
    return 2 * (depth - 1).bit_length() + 1, cells


BUS = BusParameters()
"""Widths of the buses that are measured: 32 bits of address and data, 4 of identifier."""
_NUMBER = (BUS.burst - 1).bit_length()
_WRITES = PAGE_BITS + _NUMBER
"""Of a write's burst: where it is, and its beat. The rest is on the bus until its last beat."""
_LANES, _DATA, _ADDRESS, _ID = BUS.data_bytes, BUS.data_width, BUS.address_width, BUS.id_width
_READS = 1 + BUS.id_width + BUS.address_width + 8 + 3 + 2 + _NUMBER
"""Of a read's burst, all: its address must be taken first, and is where it is from then on."""
_PROT, _RESPONSE = 3, 2


def _bridge(bridges: Mapping, kind: str, flip_flops: int, *queues: tuple[int, int]) -> Component:
    needs, cells = (sum(each) for each in zip((flip_flops, 0), *queues, strict=True))
    made = bridges[kind]
    return Component(lambda name: bridge_verilog(made(bus=BUS), BUS, name), needs, cells)


BRIDGES = {
    "axi_lite_to_axi4": _bridge(INITIATOR_BRIDGES, "axi_lite", 0),
    # A request, its state, those under way and of which kind, and whether they are stale.
    "wishbone_to_axi4": _bridge(
        INITIATOR_BRIDGES,
        "wishbone",
        1 + (_ADDRESS - 2) + _LANES + _DATA + 3 + BUS.outstanding.bit_length() + 2,
    ),
    # Whether the address, and the data, were taken.
    "apb_to_axi4": _bridge(INITIATOR_BRIDGES, "apb", 2),
    "axi4_to_axi_lite": _bridge(
        TARGET_BRIDGES,
        "axi_lite",
        _WRITES + _READS + _PROT + _RESPONSE,
        *2 * [queue(PENDING, _ID + 1)],
    ),
    # Bursts, whose turn it is, and a burst's outcome; order, data read, outcomes.
    "axi4_to_wishbone": _bridge(
        TARGET_BRIDGES,
        "wishbone",
        _WRITES + _READS + 2 + 1,
        queue(PENDING, _ID + 2),
        queue(PENDING, _ID + 2 + _DATA),
        queue(PENDING, _ID + 1),
    ),
    # Bursts, whose turn it is, the phase, a burst's outcome; one answer on B, one on R.
    "axi4_to_apb": _bridge(
        TARGET_BRIDGES,
        "apb",
        _WRITES + _READS + _PROT + 2 + 1 + 1 + (2 + _ID) + (3 + _ID + _DATA),
    ),
}
"""Bridges between buses by name."""

ADAPTERS = {
    name: Component(adapters.verilog(name), *needs)
    for name, (_, needs) in adapters.BUILDERS.items()
}
"""Adapters of streams by name."""


def _port(name: str) -> Component:
    made = ports.BUILDERS[name]
    needs, cells = (
        sum(each)
        for each in zip((made.flip_flops, 0), *(queue(*one) for one in made.queues), strict=True)
    )
    return Component(ports.verilog(name), needs, cells)


PORTS = {name: _port(name) for name in ports.BUILDERS}
"""Ports of initiators and targets by name."""

COMPONENTS = BRIDGES | ADAPTERS | PORTS
"""Parts by name."""

_FIGURES: dict[str, Callable[[Mapping[str, str]], str]] = {
    "LUT4": lambda answer: answer["lut4"],
    "RAM cells": lambda answer: answer["dpr"],
    "needed": lambda answer: answer["floor_dpr"],
    "flip-flops": lambda answer: answer["ff"],
    "at least": lambda answer: answer["floor_ff"],
    "Fmax": lambda answer: f"{float(answer['fmax_mhz']):.0f} MHz" if answer["fmax_mhz"] else "",
}


class ComponentTable(Table):
    """Table of a page with parts' figures and floors."""

    def text(self, answers: Mapping[str, Mapping[str, str]]) -> str:  # pyright: ignore
        """Table as the page has it."""
        rows = [
            [label, *(figure(answers[name]) for figure in _FIGURES.values())]
            for label, name in self.rows.items()
        ]
        return self.head + "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


TABLES = tuple(ComponentTable(**one, columns=tuple(_FIGURES)) for one in PAGE_ROWS["parts"])
"""Tables of the pages."""


def row(name: str, component: Component, seeds: int) -> dict[str, object]:
    """Answer of a part."""
    area, speeds = area_and_speeds(name, component.verilog(name), {}, FAMILY, seeds)
    return {
        "name": name,
        **area,
        "fmax_mhz": middle(speeds),
        "seeds": seeds,
        "floor_ff": component.flip_flops,
        "floor_dpr": component.ram,
    }


def kept_answers() -> dict[str, dict[str, str]]:
    """Kept answers by the part's name."""
    return {line["name"]: line for line in read_rows(ANSWERS)}


def pages(answers: Mapping[str, Mapping[str, str]]) -> dict[Path, str]:
    """Text of each page with its figures as they must be."""
    texts: dict[Path, str] = {}
    for each in TABLES:
        path = ROOT / each.page
        text = texts.get(path) or path.read_text(encoding="utf-8")
        texts[path] = each.written(text, answers)  # pyright: ignore[reportArgumentType]
    return texts


NAMES = list(COMPONENTS)


@command_of_names(NAMES)
@click.option("--seeds", default=SEEDS, show_default=True, type=click.IntRange(1, 1000))
def main(names: tuple[str, ...], seeds: int) -> None:
    """Measure all parts, or those named, keep the answers, and write the pages' tables."""
    kept = kept_answers()
    for name in names or COMPONENTS:
        kept[name] = {key: str(v) for key, v in row(name, COMPONENTS[name], seeds).items()}
        rows = ([kept[each][field] for field in FIELDS] for each in COMPONENTS if each in kept)
        write_rows(ANSWERS, FIELDS, rows)
        click.echo(", ".join(f"{key} {value}" for key, value in kept[name].items()))
    for path, text in pages(kept).items():
        write_file(path, text)


if __name__ == "__main__":
    main()
