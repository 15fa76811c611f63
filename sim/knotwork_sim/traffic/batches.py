"""Packets of a batch network: one of every node at a time, under one permutation."""

import numpy as np
from knotwork.network import Network
from knotwork.parameters import BatchParameters
from knotwork.routing.batch import BatchRouting, table_of
from knotwork.routing.scheduling.messages import named_permutation

from .jump_tables import Loading
from .keys import Traffic
from .packet_table import packet_table
from .packets import Packets
from .requirements import Requirement, require_all


def make_batches(network: Network, traffic: Traffic) -> Packets:
    """Packets of a permutation, batch after batch, and the jump table that they need.

    A permutation that is not linear-complement gets the table that exchanges nothing at first; the
    flags then say, for nearly every such permutation, that it was not routed.

    Raises
    ------
    ConfigurationError
        Traffic that is not a permutation, or is not made of whole batches of whole packets.
    """
    nodes, words = network.topology.nodes, BatchParameters.of(network.hardware).words
    count = traffic.packets or nodes
    lengths = traffic.length or (words, words)
    spelled = "-".join(map(str, dict.fromkeys(lengths)))
    require_all(
        traffic,
        network.routing,
        [
            Requirement("traffic", "permutation", traffic.is_permutation, traffic.traffic),
            Requirement("packets", f"a multiple of its {nodes} nodes", count % nodes == 0, count),
            Requirement("rate", "1 or unnamed", traffic.rate in (None, 1.0), traffic.rate),
            Requirement("length", f"words={words}", lengths == (words, words), spelled),
        ],
    )
    destinations = _destinations(network, traffic)
    source, number = np.divmod(np.arange(count), count // nodes)
    return packet_table(
        network,
        source=source,
        destination=destinations[source],
        length=np.full(count, words),
        time=number * words,
        seed=traffic.seed,
        loadings=[Loading.of(table_of(destinations))],
    )


def _destinations(network: Network, traffic: Traffic) -> np.ndarray:
    """Destination of each node; ``random`` draws one of the permutations that are routed."""
    rng = np.random.default_rng([traffic.seed, 1])
    if traffic.permutation == "random":
        return BatchRouting.of(network.routing).random_permutation(rng)
    name = str(traffic.permutation)
    return named_permutation(network.topology.nodes, name, rng, owner=traffic.name)
