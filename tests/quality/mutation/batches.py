"""Batches for mutants: random permutations, wrong and broken jump tables, refused packets."""

import numpy as np
from knotwork.network import Network
from knotwork.parameters import BatchParameters
from knotwork.routing.batch import BatchRouting, table_of
from knotwork_sim.traffic.jump_tables import Loading
from knotwork_sim.traffic.packets import Packets, packet_table

BATCHES = 24
REFUSED = 0.1
"""Packets of a wrong length per packet of the right one."""


def make_changing_batches(network: Network, *, seed: int, batches: int = BATCHES) -> Packets:
    """Draw batches of random permutations, each with its own jump table.

    A quarter of the tables belong to another permutation or to none, so nodes raise their flags.
    Another quarter follow a broken table, which has a wrong length or names a buddy that does not
    exist and therefore starts nothing. Packets of a wrong length are refused.
    """
    routing = network.routing
    assert isinstance(routing, BatchRouting)
    rng = np.random.default_rng([seed, 8])
    nodes, words = network.topology.nodes, BatchParameters.of(network.hardware).words
    width = network.topology.address_width
    every = 2 * width + routing.steps * words + 2 * words + 8
    destinations, loadings = [], []
    for batch in range(batches):
        destinations.append(routing.random_permutation(rng))
        fitting = batch % 4 != 1
        table = table_of(destinations[-1] if fitting else routing.random_permutation(rng))
        whole = Loading.of(table, time=batch * every)
        if batch % 8 == 5:
            whole = _any_table(rng, whole.time, width)
        if batch % 4 == 2:
            loadings.append(_broken(whole, batch // 4 % 3, width))
        loadings.append(whole)
    source = np.repeat(np.arange(nodes), batches)
    number = np.tile(np.arange(batches), nodes)
    time = number * every + rng.integers(0, every // 2, len(source))
    # Some packets follow one of a wrong length, which the network refuses: their batch waits.
    packet = np.sort(
        np.concatenate([np.arange(len(source)), np.nonzero(rng.random(len(source)) < REFUSED)[0]])
    )
    first = np.append(packet[1:] == packet[:-1], False)
    longer = words + rng.integers(1, 5, len(packet))
    wrong = np.where(rng.random(len(packet)) < 0.5, longer, max(words - 1, 1))
    wrong[wrong == words] += 1
    return packet_table(
        network,
        source=source[packet],
        destination=np.array(destinations)[number, source][packet],
        length=np.where(first, wrong, words),
        time=time[packet],
        seed=seed,
        loadings=loadings,
    )


def _any_table(rng: np.random.Generator, time: int, width: int) -> Loading:
    """Table whose entries are legal one by one; some buddies lie above their own dimension."""
    jumps, buddies = rng.integers(0, 2, width), rng.integers(0, width + 1, width)
    return Loading(time, tuple(zip(jumps.tolist(), buddies.tolist(), strict=True)))


def _broken(whole: Loading, kind: int, width: int) -> Loading:
    """Table with one entry too few, one too many, or a buddy that does not exist."""
    entries = whole.entries
    changed = (
        entries[:-1],
        (*entries, entries[-1]),
        ((entries[0][0], (1 << width.bit_length()) - 1), *entries[1:]),
    )[kind]
    return Loading(whole.time, changed)
