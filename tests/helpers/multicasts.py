"""Packets of multicasts alone."""

import numpy as np
from knotwork import Hypercube, Network
from knotwork_sim.traffic.packets import NOWHERE, packet_table

CUBE = Network(Hypercube(n=3), multicast="yes", max_packet=8)


def multicasts(network, chains, *, data=1, source=0):
    """Packets of one source, a multicast for each chain of addresses."""
    count = len(chains)
    return packet_table(
        network,
        source=np.full(count, source),
        destination=np.full(count, NOWHERE),
        length=np.full(count, data),
        time=np.arange(count),
        seed=1,
        chains=dict(enumerate(chains)),
    )
