"""Permutations and other sets of messages: by name, drawn at random, and from files.

References
----------
"Least Common Ancestor Networks", section 3.3, for random routing.
"""

import re
import reprlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ...files import AnyPath, as_path, read_json, read_lines, read_rows
from ...topology import LeastCommonAncestor, Topology
from ...wording import not_one_of, parse_index, parse_integer
from .linear_complement import is_nonsingular

NAMES = (
    *("identity", "complement", "random"),
    *("reversal", "transpose", "shuffle", "bit_rotation"),
)
"""Permutations that have names."""
WORST = "worst"
"""Name of a random one of the worst-case set, where a network has one: `worst_permutation`."""

_EXCHANGES = 64  # rounds; after 32, with three subtrees of 81, nothing of the start can be seen


def address_bits(nodes: int, what: str) -> int:
    """Bits of an index in a network of 2^b nodes; `what` begins the line of an error.

    Raises
    ------
    ConfigurationError
        Another number of nodes.
    """
    bits = nodes.bit_length() - 1
    if nodes != 1 << bits:
        raise ConfigurationError(f"{what} must have a power of two nodes, not {nodes}")
    return bits


def named_permutation(
    nodes: int, name: str, rng: "np.random.Generator", *, owner: str
) -> np.ndarray:
    """Destination of each node under a permutation: a name, or destinations ``a,b,...``.

    Parameters
    ----------
    nodes : int
        Nodes of the network.
    name : str
        One of `NAMES`, or the destinations of all nodes.
    rng : Generator
        Draws the permutation ``random``.
    owner : str
        Head of the lines of errors.

    Raises
    ------
    ConfigurationError
        An unknown name, one not defined for this number of nodes, or a list that is no
        permutation of them.
    """
    index = np.arange(nodes)
    if name == "identity":
        return index
    if name == "complement":
        return nodes - 1 - index
    if name == "random":
        return rng.permutation(nodes)
    if name not in NAMES:
        return _listed_permutation(nodes, name, owner)
    bits = address_bits(nodes, f"{owner}: {name}")
    if name == "reversal":
        return sum((index >> i & 1) << (bits - 1 - i) for i in range(bits)) + 0 * index
    turn = {"transpose": bits // 2, "shuffle": min(1, bits), "bit_rotation": max(bits - 1, 0)}[name]
    return (index << turn | index >> (bits - turn)) & (nodes - 1)


def is_listed(name: str) -> bool:
    """Whether a permutation is written as the destinations of all nodes."""
    return re.fullmatch(r"[0-9]+(,[0-9]+)*", name) is not None


def _listed_permutation(nodes: int, text: str, owner: str) -> np.ndarray:
    try:
        listed = [parse_integer(word.strip()) for word in text.split(",")]
    except ValueError:
        rule = f"one of {', '.join(NAMES)}, or destinations a,b,..."
        raise ConfigurationError(
            not_one_of(f"{owner}: permutation", NAMES, text, rule=rule)
        ) from None
    if sorted(listed) != list(range(nodes)):
        raise ConfigurationError(
            f"{owner}: permutation must name each node 0..{nodes - 1} once, not {text!r}"
        )
    return np.array(listed)


def tornado(topology: Topology) -> np.ndarray:
    """Destination of each node under ``tornado``, int64.

    In every dimension of k positions a packet goes ceil(k / 2) - 1 positions further, around the
    end of the dimension: nearly half way around a ring.

    Raises
    ------
    ConfigurationError
        A network whose nodes do not stand in dimensions, or in none of more than two.

    References
    ----------
    W. J. Dally and B. Towles, "Principles and Practices of Interconnection Networks", 2004,
    table 3.1.
    """
    if max(topology.dimensions, default=0) < 3:
        raise ConfigurationError(
            "traffic: tornado must be used with a network that has a dimension of at least 3 nodes "
            f"in a row, such as torus, not {topology.instance_name}"
        )
    rest, weight = np.arange(topology.nodes), 1
    destination = np.zeros(topology.nodes, np.int64)
    for size in topology.dimensions:
        rest, position = np.divmod(rest, size)
        destination += (position + (size + 1) // 2 - 1) % size * weight
        weight *= size
    return destination


def worst_permutation(topology: LeastCommonAncestor, rng: "np.random.Generator") -> np.ndarray:
    """Random permutation of the worst-case set: all pairs have the highest LCA level.

    The start sends the i-th PE of every top subtree the same random number of subtrees further, in
    random order within each. Then, round by round, random pairs and triples of PEs exchange their
    destinations cyclically, where all of the group still reach the highest LCA level. An exchange
    and its reverse are equally likely, so in the limit all members of the set are. Where the
    top switches have two children, the start already has that property.

    Parameters
    ----------
    topology : LeastCommonAncestor
        The network.
    rng : Generator
        Draws it.
    """
    nodes, trees = topology.nodes, topology.radices[-1]
    if topology.levels == 1:
        return rng.permutation(nodes)  # all pairs meet on level 0, a PE and itself too
    block = nodes // trees
    tree = np.arange(nodes) // block
    shift = rng.integers(1, trees, block)
    shuffled = [rng.permuted(np.tile(np.arange(block), (trees, 1)), axis=1) for _ in range(2)]
    sources = np.arange(trees)[:, None] * block + shuffled[0]
    aims = (np.arange(trees)[:, None] + shift) % trees
    destinations = np.empty(nodes, np.int64)
    destinations[sources] = aims * block + shuffled[1][aims, np.arange(block)]
    for turn in range(_EXCHANGES if trees > 2 else 0):
        size = 2 + turn % 2
        groups = rng.permutation(nodes)[: nodes // size * size].reshape(-1, size)
        taken = destinations[np.roll(groups, 1, axis=1)]
        cross = (taken // block != tree[groups]).all(axis=1)
        destinations[groups[cross]] = taken[cross]
    return destinations


def read_permutation(path: AnyPath, nodes: int) -> np.ndarray:
    """Destination of each node, from a JSON list of them.

    Raises
    ------
    ConfigurationError
        A file that cannot be read, is not JSON, or holds no permutation of the nodes.
    """
    listed = read_json(path)
    if not isinstance(listed, list):
        raise ConfigurationError(
            f"{path}: a permutation must be a list of destinations, not {reprlib.repr(listed)}"
        )
    if len(listed) != nodes:
        raise ConfigurationError(
            f"{path}: a permutation must have {nodes} destinations, not {len(listed)}"
        )
    sources: dict[int, int] = {}
    for source, destination in enumerate(listed):
        if type(destination) is not int or not 0 <= destination < nodes:
            raise ConfigurationError(
                f"{path}: the destination of node {source} must be an index in 0..{nodes - 1}, "
                f"not {reprlib.repr(destination)}"
            )
        if destination in sources:
            raise ConfigurationError(
                f"{path}: a permutation must name each node once, not {destination} for nodes "
                f"{sources[destination]} and {source}"
            )
        sources[destination] = source
    return np.array(listed, np.int64)


def read_matrix(path: AnyPath, n: int) -> np.ndarray:
    """Matrix over GF(2), from n lines of n characters; bool, and index 0 is bit 0.

    The first line gives destination bit n - 1, its first character is source bit n - 1. Blank
    lines at the end are ignored.

    Raises
    ------
    ConfigurationError
        A file that cannot be read, another character than 0 and 1, a matrix that is not square,
        not n x n, or singular.
    """
    rows = [re.sub(r"[,;\s]", "", line) for line in read_lines(path, "matrix")]
    while rows and not rows[-1]:
        rows.pop()
    for number, row in enumerate(rows, start=1):
        if set(row) - {"0", "1"}:
            raise ConfigurationError(
                f"{path}: line {number} of a matrix must be characters 0 and 1, "
                f"not {reprlib.repr(row)}"
            )
        if len(row) != len(rows):
            raise ConfigurationError(
                f"{path}: a matrix must be square, not {len(rows)} lines with {len(row)} "
                f"characters in line {number}"
            )
    if len(rows) != n:
        raise ConfigurationError(
            f"{path}: a matrix must be {n} x {n} for {1 << n} nodes, not {len(rows)} x {len(rows)}"
        )
    matrix = np.array([list(row) for row in rows])[::-1, ::-1] == "1"
    if not is_nonsingular(matrix):
        raise ConfigurationError(f"{path}: a matrix must be nonsingular, not {' '.join(rows)}")
    return matrix


def read_complement(bits: str, n: int, *, what: str) -> int:
    """Number that n characters 0 and 1 spell, bit n - 1 first.

    Raises
    ------
    ConfigurationError
        Another number of characters, or other ones; the line begins with `what`.
    """
    if len(bits) != n or set(bits) - {"0", "1"}:
        raise ConfigurationError(f"{what} must be {n} characters 0 and 1, not {bits!r}")
    return int(bits, 2)


RANDOM_ROUTING = "random_routing"
"""Name of the set in which every node draws the destination of one message by itself."""

_COLUMNS = ("source", "destination")


class Messages(NamedTuple):
    """Messages of a network, in the order in which they were given.

    Members
    -------
    sources, destinations : ndarray
        Nodes, int64.
    """

    sources: np.ndarray
    destinations: np.ndarray


def random_routing(nodes: int, rng: "np.random.Generator") -> Messages:
    """Message of every node, each to a node drawn by itself: several may go to one node."""
    return Messages(np.arange(nodes), rng.integers(nodes, size=nodes))


def read_messages(path: AnyPath, nodes: int) -> Messages:
    """Messages of a file.

    A ``.csv`` file has a line per message: its source and its destination. A first line may name
    the columns, in any order and among others, as in a list of packets. Any other file is a JSON
    list of pairs [source, destination].

    Raises
    ------
    ConfigurationError
        A file that cannot be read or has no messages, or a message that is none of the network's
        nodes: with its place.
    """
    path = as_path(path, "a file of messages")
    is_table = path.suffix.lower() == ".csv"
    pairs = _rows(path) if is_table else _pairs(path)
    if not pairs:
        raise ConfigurationError(f"{path}: there must be a message, not none at all")
    for where, pair in pairs:
        for what, node in zip(_COLUMNS, pair, strict=True):
            if type(node) is not int or not 0 <= node < nodes:
                raise ConfigurationError(
                    f"{path}: {where}: the {what} must be an index in 0..{nodes - 1}, "
                    f"not {reprlib.repr(node)}"
                )
    sources, destinations = np.array([pair for _, pair in pairs], np.int64).T
    return Messages(sources, destinations)


def _pairs(path: Path) -> list[tuple[str, Sequence[Any]]]:
    """Pairs of a JSON file, each with its place as an error names it."""
    listed = read_json(path)
    if not isinstance(listed, list):
        raise ConfigurationError(
            f"{path}: messages must be a list of [source, destination], not {reprlib.repr(listed)}"
        )
    for number, pair in enumerate(listed):
        if not isinstance(pair, list) or len(pair) != 2:
            raise ConfigurationError(
                f"{path}: message {number} must be [source, destination], not {reprlib.repr(pair)}"
            )
    return [(f"message {number}", pair) for number, pair in enumerate(listed)]


def _rows(path: Path) -> list[tuple[str, Sequence[Any]]]:
    """Pairs of a CSV file, each with its line."""
    rows = [(number, [cell.strip() for cell in row]) for number, row in read_rows(path)]
    columns = [0, 1]
    if rows and not all(type(_cell_number(cell)) is int for cell in rows[0][1][:2]):
        names = rows[0][1]
        missing = [name for name in _COLUMNS if name not in names]
        if missing:
            raise ConfigurationError(
                f"{path}: the columns must be {' and '.join(_COLUMNS)}, not {','.join(names)}"
            )
        columns, rows = [names.index(name) for name in _COLUMNS], rows[1:]
    for number, row in rows:
        if len(row) <= max(columns):
            raise ConfigurationError(
                f"{path}: line {number} must have a source and a destination, not {','.join(row)}"
            )
    return [
        (f"line {number}", [_cell_number(row[column]) for column in columns])
        for number, row in rows
    ]


def _cell_number(cell: str) -> int | str:
    """Number that a cell spells; other text as it is."""
    found = parse_index(cell, 1 << 63)
    return cell if found is None else found
