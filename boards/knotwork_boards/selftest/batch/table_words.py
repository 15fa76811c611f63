"""Words that load a permutation of one's own into the self-test of a batch network."""

from collections.abc import Sequence

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.gateware.batch.layouts import entry_layout
from knotwork.network import Network
from knotwork.routing.batch import BatchRouting
from knotwork.routing.scheduling.linear_complement import (
    JumpTable,
    LinearComplement,
    buddy_jump,
)


def word_count(n: int) -> int:
    """Words of a table for addresses of so many bits: see `table_words`."""
    return 3 * n + 2


def word_width(network: Network) -> int:
    """Bits of the widest word of a network's table."""
    return max(network.topology.address_width, entry_layout(network).size)


def permutation_words(network: Network, destinations: Sequence[int]) -> list[int]:
    """Words that make the self-test send by a linear-complement permutation, with its own table.

    Raises
    ------
    ConfigurationError
        The network has no batches, or its table cannot carry out the permutation.
    """
    if not isinstance(network.routing, BatchRouting):
        raise ConfigurationError(
            f"{network.name}: a table needs routing=lc1 or lc2, not {network.routing.name}"
        )
    nodes = network.topology.nodes
    wanted = np.array(destinations, np.int64)
    if not np.array_equal(np.sort(wanted), np.arange(nodes)):
        raise ConfigurationError(
            f"{network.name}: permutation must name each of the nodes 0..{nodes - 1} once, not "
            f"{','.join(map(str, destinations))}"
        )
    linear = LinearComplement.of(wanted)
    if linear is None:
        raise ConfigurationError(
            f"{network.name}: permutation must be linear-complement to have a table, not "
            f"{','.join(map(str, destinations))}"
        )
    return table_words(network, linear, buddy_jump(linear.matrix)[0])


def table_words(network: Network, linear: LinearComplement, table: JumpTable) -> list[int]:
    """Words of a permutation and of the table that is to route it.

    The entries of the table come first, that of dimension n - 1 before all others. Then come the
    images of the source bits 0..n - 1 and the complement; at last the same of the inverse
    permutation, by which checkers know their source.
    """
    n = linear.n
    layout = entry_layout(network)
    entries = [
        layout.const({"jump": table.jump[dimension], "buddy": table.buddy[dimension]}).as_bits()
        for dimension in reversed(range(n))
    ]
    there = linear.destinations
    return [*entries, *_images(there, n), *_images(np.argsort(there), n)]


def _images(destinations: np.ndarray, n: int) -> list[int]:
    constant = int(destinations[0])
    return [*(int(destinations[1 << bit]) ^ constant for bit in range(n)), constant]


def table_commands(words: Sequence[int]) -> list[str]:
    """Commands of the UART that load a table; without words, those that end its use."""
    return [*(f"t{word:x}\n" for word in words), "t\n"]
