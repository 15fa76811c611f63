"""Cells that a network's self-test will take, and whether they fit a board: before synthesis.

The estimate is a sum of parts of the hardware, each with a cost per piece. The costs are those that
come nearest to measured networks (``cells.csv``), by least relative squares. `python -m
quality.benchmarks.cells` measures the rows. Trees of collectives are a part by their own
estimate, which is of ECP5.
"""

import csv
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from knotwork.collective_groups import NodeGroup
from knotwork.costs.estimate import tree_area
from knotwork.errors import ConfigurationError
from knotwork.estimates.networks import choosers
from knotwork.estimates.work import Work
from knotwork.network import Network

from .families import FAMILIES
from .selftest import self_test_of
from .table import BOARDS, Board

ROWS = Path(__file__).with_name("cells.csv")
"""Measured networks: family of FPGA, network in one word, cells."""

MARGIN = 1.3
"""Factor within which the estimates are."""

CHOICES = 5
"""Place of the choices among the `parts`."""

_SMALLEST_RAM = 3  # entries of a memory that goes into look-up tables rather than registers
_RAM_WIDTH, _RAM_DEPTH = 4, 16  # of a memory in look-up tables
_TESTED_MEMBER, _TESTED_BIT = 132.0, 1.05  # LUTs on ECP5 per member, and per bit of its beats
_SYNTHESIS, _SYNTHESIS_PER_CELL = 3.0, 0.003  # seconds
_PLACEMENT, _PLACEMENT_PER_CELL = 5.0, 0.006  # seconds, to place and route
_MEMORY, _MEMORY_PER_CELL = 400e6, 40e3


def estimated_cells(network: Network, family: str) -> int:
    """Look-up tables, or logic cells of iCE40, that a network's self-test takes, about.

    Parameters
    ----------
    network : Network
        One that can test itself.
    family : str
        One of `FAMILIES`.
    """
    sizes = parts(network, family)
    return round(max(float(np.dot(sizes, costs(family))), sizes[CHOICES]))


def collective_cells(group: NodeGroup) -> float:
    """LUTs on ECP5 of a group's tree, and of the source and the sink of each member."""
    tested = _TESTED_MEMBER + _TESTED_BIT * group.form.width
    return tree_area(group).lut4 + len(group.tree.members) * tested


def parts(network: Network, family: str) -> list[float]:
    """Sizes of the parts of a network's self-test that take cells."""
    hints = self_test_of(network).build_hints(network)
    nodes, width = network.topology.nodes, network.hardware.data_width
    turns = [len(kind.turns) for kind in network.router_kinds]
    stored = [
        copies * _stored(bits, depth, ram_size=FAMILIES[family].ram_size)
        for copies, bits, depth in hints.stores(network)
    ]
    return [
        1,  # the line to the UART
        nodes,  # a generator and a checker each
        nodes * width,
        nodes * network.topology.address_width,
        hints.counters(network),
        hints.chosen_bits(network),  # a cell each at least
        sum(map(collective_cells, network.collective_groups)),
        # A link selector joins its node to each link, in both directions.
        float(np.bincount(network.router_number) @ turns)
        + 2 * choosers(network) * network.topology.links_per_node,
        sum(stored),
    ]


def _stored(width: int, depth: int, *, ram_size: int) -> int:
    """Size of a memory: that of its memories of 16 x 4, or its bits where it is of registers."""
    if ram_size and depth >= _SMALLEST_RAM:
        return ram_size * -(-width // _RAM_WIDTH) * -(-depth // _RAM_DEPTH)
    return width * depth if depth > 1 else 0


def measured(family: str) -> list[tuple[str, int]]:
    """Measured networks of a family, each in one word, and their cells."""
    with ROWS.open(encoding="ascii", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    return [(row["network"], int(row["cells"])) for row in rows if row["family"] == family]


@cache
def costs(family: str) -> np.ndarray:
    """Cells per piece of each of the `parts`; none is negative."""
    rows = measured(family)
    return fitted([parts(Network.from_word(net), family) for net, _ in rows], [n for _, n in rows])


def fitted(sizes: Sequence[Sequence[float]], cells: Sequence[float]) -> np.ndarray:
    """Costs, none negative, that give the least sum of squares of relative errors.

    While one comes out negative, the one that lowers the estimates most is set to zero.
    """
    relative = np.array(sizes, float) / np.array(cells, float)[:, np.newaxis]
    used = list(range(relative.shape[1]))
    found = np.zeros(relative.shape[1])
    while used:
        solved, *_ = np.linalg.lstsq(relative[:, used], np.ones(len(cells)), rcond=None)
        if (solved >= 0).all():
            found[used] = solved
            break
        used.pop(int(np.argmin(solved * relative[:, used].mean(axis=0))))
    return found


def synthesis_seconds(cells: int) -> float:
    """Seconds to synthesise so many cells, about."""
    return _SYNTHESIS + _SYNTHESIS_PER_CELL * cells


def placement_seconds(cells: int) -> float:
    """Seconds to place and route so many cells, about."""
    return _PLACEMENT + _PLACEMENT_PER_CELL * cells


def build_work(cells: int, placements: int = 1) -> Work:
    """Synthesis of so many cells, and so many placements."""
    seconds = synthesis_seconds(cells) + placements * placement_seconds(cells)
    return Work(seconds, _MEMORY + _MEMORY_PER_CELL * cells)


MAX_SIZE_RATIO = 8
"""Times the largest FPGA from which on no key and no board is looked for."""


def require_fit(network: Network, board: Board) -> int:
    """Refuse a network that does not fit, before minutes of synthesis show it.

    Returns
    -------
    int
        Estimated cells.

    Raises
    ------
    ConfigurationError
        The estimate is more than `MARGIN` times what the board has.
    """
    nodes = network.topology.nodes
    need = (
        f"{network.name}: the network must fit {board.name}, which has {board.luts} LUTs, but needs"
    )
    # Each node takes more than one cell; the turns of so many routers need not be enumerated.
    if nodes > board.luts:
        raise ConfigurationError(f"{need} more than {nodes}; take a smaller network")
    cells = estimated_cells(network, board.family.name)
    if cells > MARGIN * board.luts:
        raise ConfigurationError(f"{need} about {cells}; {advice(network, board, cells)}")
    return cells


def advice(network: Network, board: Board, cells: int) -> str:
    """What to change about a network that does not fit a board.

    That is the key of the hardware whose least change makes it fit, or else the one that saves
    most; and the smallest board that holds it as it is.

    Parameters
    ----------
    network : Network
        One that can test itself.
    board : Board
        Board that it does not fit.
    cells : int
        What it needs there; estimates of others are taken in proportion.
    """
    if cells > MAX_SIZE_RATIO * max(other.luts for other in BOARDS.values()):
        return "take a smaller network"
    scale = cells / estimated_cells(network, board.family.name)
    larger = _larger_board(network, board, scale)
    other = f"--board {larger.name}, which has {larger.luts}" if larger is not None else None
    saving = _saving(network, board, scale)
    if saving is None:
        return f"take {other or 'a smaller network'}"
    word, least = saving
    if least <= board.luts:
        return f"take {' or '.join(filter(None, (f'{word} (about {least})', other)))}"
    return f"{word} saves most, but leaves about {least}; take {other or 'a smaller network'}"


def _saving(network: Network, board: Board, scale: float) -> tuple[str, int] | None:
    """Change of one key that makes the network fit, or that saves most; and the cells then."""
    found: list[tuple[bool, float, str, int]] = []
    storage = self_test_of(network).build_hints(network).storage_key
    for key in (storage, "data_width"):
        for value, changed in _lower(network, key):
            cells = round(scale * estimated_cells(changed, board.family.name))
            fits = cells <= board.luts
            # Of those that fit, the one that keeps most of the value; of others, the smallest.
            kept = value / int(str(network.parameters[key])) if fits else -cells
            found.append((fits, kept, f"{key}={value}", cells))
            if fits:
                break
    if not found:
        return None
    # What is stored is found first: users of a network would have to change with its data.
    *_, word, cells = max(found, key=lambda change: change[:2])
    return word, cells


def _lower(network: Network, key: str) -> Iterator[tuple[int, Network]]:
    """Networks with a half, a quarter and so on of a key's value, as far as they can be built."""
    value = network.parameters.get(key)
    while isinstance(value, int) and value > 1:
        value //= 2
        try:
            changed = network.changed(**{key: value})
            self_test_of(changed).node_test(changed)
        except ConfigurationError:
            return
        yield value, changed


def _larger_board(network: Network, board: Board, scale: float) -> Board | None:
    """Smallest board on which the network fits; one of the same family, where there is one."""
    by_size = sorted(BOARDS.values(), key=lambda other: (other.family != board.family, other.luts))
    for other in by_size:
        same = other.family == board.family
        if same and other.luts <= board.luts:
            continue
        cells = (scale if same else 1) * estimated_cells(network, other.family.name)
        if cells <= other.luts:
            return other
    return None
