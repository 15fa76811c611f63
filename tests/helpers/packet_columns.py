"""Packets of columns that a test writes down."""

import numpy as np
from knotwork_sim.traffic.packets import packet_table


def packets_of(network, source, destination, length=1, time=0, *, seed=1, **more):
    """Packets of columns, in the order of source and time; a number stands for a constant column.

    With rows (source, destination, length, time): ``packets_of(network, *np.array(rows).T)``.
    """
    columns = np.broadcast_arrays(source, destination, length, time)
    names = ("source", "destination", "length", "time")
    table = {name: column.astype(np.int64) for name, column in zip(names, columns, strict=True)}
    return packet_table(network, seed=seed, **table, **more)
