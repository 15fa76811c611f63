"""Batches, one after the other, each with a jump table of its own."""

import numpy as np
from helpers.gf2 import nonsingular
from knotwork import CubeConnectedCycles, Hypercube, Network
from knotwork.routing.scheduling.linear_complement import (
    JumpTable,
    LinearComplement,
    buddy_jump,
    random_matrix,
)
from knotwork_sim.traffic.jump_tables import Loading
from knotwork_sim.traffic.packets import packet_table

all_matrices = nonsingular
"""Every nonsingular matrix over GF(2)."""


def random_permutations(n, count, seed=1):
    rng = np.random.default_rng(seed)
    return [
        LinearComplement(random_matrix(n, rng), int(rng.integers(1 << n))) for _ in range(count)
    ]


def with_tables(permutations):
    """Destinations and the table that Buddy-Jump gives, of each."""
    return [(lc.destinations, buddy_jump(lc.matrix)[0]) for lc in permutations]


def period(network):
    """Cycles from a batch to the next: its table, a start, its steps, and its beats to and fro."""
    words = network.hardware.words
    return network.topology.address_width + network.routing.steps * words + 2 * words + 8


def batch_packets(network, batches, *, seed=1):
    """Packets of batches (destinations, table); table and packets come anew for each.

    A table is offered from the first cycle of a batch's period; the packets follow once it is
    loaded.
    """
    nodes, words, every = network.topology.nodes, network.hardware.words, period(network)
    source = np.repeat(np.arange(nodes), len(batches))
    number = np.tile(np.arange(len(batches)), nodes)
    destinations = np.array([destinations for destinations, _ in batches])
    return packet_table(
        network,
        source=source,
        destination=destinations[number, source],
        length=np.full(len(source), words),
        time=number * every + offset(network),
        seed=seed,
        loadings=[Loading.of(table, time=k * every) for k, (_, table) in enumerate(batches)],
    )


def offset(network):
    """Cycle of a batch's period in which its packets' first beats are taken."""
    return network.topology.address_width + 2


def naive(network):
    return JumpTable.naive(network.topology.address_width)


def ccc(n, **hardware):
    return Network(CubeConnectedCycles(n=n), routing="lc2", **hardware)


def cube(n, **hardware):
    return Network(Hypercube(n=n), routing="lc1", **hardware)


def steps(network):
    """5 * 2^y on the cycles (y the least with y + 2^y >= n), 2 n - 1 on the cube."""
    n = network.topology.n
    if network.routing.name == "lc1":
        return 2 * n - 1
    return 5 * 2 ** next(y for y in range(n) if y + 2**y >= n)
