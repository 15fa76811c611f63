"""Permutations of a network's nodes: by their names, and as users write them down."""

import re
import reprlib

import numpy as np

from ...errors import ConfigurationError
from ...files import AnyPath, read_json, read_lines
from ...topology import LeastCommonAncestor
from ...wording import not_one_of, parse_integer
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


def named_permutation(nodes: int, name: str, rng: np.random.Generator, *, owner: str) -> np.ndarray:
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


def worst_permutation(topology: LeastCommonAncestor, rng: np.random.Generator) -> np.ndarray:
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
