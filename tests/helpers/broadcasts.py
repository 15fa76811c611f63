"""Broadcasts one at a time, and the cycles in which their copies must come."""

import numpy as np
from knotwork_sim.traffic.packet_table import packet_table
from knotwork_sim.traffic.packets import EVERYONE


def one_by_one(network, *, length=1):
    """A broadcast from every source, each alone in an idle network."""
    nodes = network.topology.nodes
    gap = network.hardware.pipeline * (network.topology.diameter + 2) + 2 * length
    return packet_table(
        network,
        source=np.arange(nodes),
        destination=np.full(nodes, EVERYONE),
        length=np.full(nodes, length),
        time=np.arange(nodes) * gap,
        seed=1,
    )


def assert_arrivals(network, packets, record, steps, *, length=1):
    """Each node has the first flit in the cycle of its step, and the others right behind.

    A packet begins to move when the network has it as a whole. `steps` has a row a source.
    """
    topology, nodes = network.topology, network.topology.nodes
    codes = np.array([topology.address(node) for node in range(nodes)])
    source = np.argsort(codes)[np.searchsorted(np.sort(codes), record.source)]
    order = np.lexsort((record.clock, record.node, source))
    clocks = record.clock[order].reshape(-1, length)
    pairs = np.stack([source, record.node], axis=1)[order].reshape(-1, length, 2)
    assert (pairs == pairs[:, :1]).all()
    expected = [(a, b) for a in range(nodes) for b in range(nodes) if a != b]
    assert pairs[:, 0].tolist() == [list(pair) for pair in expected]
    hops = steps[pairs[:, 0, 0], pairs[:, 0, 1]]
    first = packets.time[pairs[:, 0, 0]] + length - 1 + network.hardware.pipeline * (hops + 1)
    assert (clocks == first[:, None] + np.arange(length)).all()
