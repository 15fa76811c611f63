"""Permutations that a user loads into the self-test of a batch network."""

from pathlib import Path

from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.batch import BatchRouting
from knotwork.routing.scheduling.permutations import read_permutation


def permutation_commands(network: Network, file: Path) -> bytes:
    """Commands that load a permutation and its jump table.

    Parameters
    ----------
    network : Network
        Network on the board.
    file : Path
        JSON list of the nodes' destinations.

    Raises
    ------
    ConfigurationError
        A network without batches, a file that holds no permutation of the nodes, or one that has
        no jump table.
    """
    if not isinstance(network.routing, BatchRouting):
        raise ConfigurationError(
            f"{network.name}: a table must be one of routing=lc1 or lc2, not {network.routing.name}"
        )
    destinations = read_permutation(file, network.topology.nodes).tolist()
    from ..selftest.batch.table_words import permutation_words, table_commands

    return "".join(table_commands(permutation_words(network, destinations))).encode("ascii")
