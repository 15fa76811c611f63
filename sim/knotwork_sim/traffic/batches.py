"""Traffic of the networks of batches: one packet of every node at a time, under one permutation."""

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.batch import BatchRouting, table_of
from knotwork.routing.scheduling.permutations import named_permutation

from .jump_tables import Loading
from .packets import Packets, packet_table
from .traffic import Traffic, shares


def make_batches(network: Network, traffic: Traffic) -> Packets:
    """Packets of a permutation, batch after batch, and the jump table that they need.

    A permutation that is not linear-complement has the table by which nothing is exchanged at
    first; the flags then say that it was not routed, as nearly always.

    Raises
    ------
    ConfigurationError
        Traffic that is no permutation, or has other than whole batches of whole packets.
    """
    nodes, words = network.topology.nodes, network.hardware.words
    named = f"routing={network.routing.name}"
    count = traffic.packets or nodes
    for key, rule, right, value in (
        ("traffic", "permutation", traffic.traffic == "permutation", traffic.traffic),
        ("packets", f"a multiple of its {nodes} nodes", count % nodes == 0, count),
        ("rate", "1 or unnamed", traffic.rate in (None, 1.0), traffic.rate),
        ("length", f"words={words}", traffic.length in (None, (words, words)), _span(traffic)),
        *shares(traffic),
    ):
        if not right:
            raise ConfigurationError(f"traffic: {key} must be {rule} with {named}, not {value}")
    destinations = permutation(network, traffic)
    table = table_of(destinations)
    source, number = np.divmod(np.arange(count), count // nodes)
    return packet_table(
        network,
        source=source,
        destination=destinations[source],
        length=np.full(count, words),
        time=number * words,
        seed=traffic.seed,
        loadings=[Loading.of(table)],
    )


def _span(traffic: Traffic) -> str:
    """Lengths as a user writes them."""
    return "-".join(map(str, dict.fromkeys(traffic.length or ())))


def permutation(network: Network, traffic: Traffic) -> np.ndarray:
    """Destination of each node; ``random`` is one of those that the routing is made for."""
    rng = np.random.default_rng([traffic.seed, 1])
    if traffic.permutation == "random":
        assert isinstance(network.routing, BatchRouting)
        return network.routing.random_permutation(rng)
    name = str(traffic.permutation)
    return named_permutation(network.topology.nodes, name, rng, owner=traffic.name)
