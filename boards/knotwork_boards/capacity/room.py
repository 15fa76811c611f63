"""Room on a board: which networks do not fit, and what would help them."""

from collections.abc import Iterator

from knotwork.errors import ConfigurationError
from knotwork.network import Network

from ..cells import MARGIN, estimated_cells
from ..selftest import self_test_of
from ..table import BOARDS, Board

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
    # A node alone takes more than one cell, and the turns of so many routers need not be found.
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
