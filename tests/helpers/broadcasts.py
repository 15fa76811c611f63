"""Broadcasts one at a time, and the cycles in which their copies must come."""

import numpy as np
from knotwork_sim.traffic.packets import EVERYONE, packet_table


def one_by_one(network, *, length=1):
    """A broadcast from every source, each alone in an idle network."""
    nodes = network.topology.nodes
    gap = network.hardware.pipeline * (network.topology.diameter + 2) + 2 * length
    if length > 1:  # copies may leave one after another
        gap += length * len(network.topology.ports) * (network.topology.diameter + 1)
    return packet_table(
        network,
        source=np.arange(nodes),
        destination=np.full(nodes, EVERYONE),
        length=np.full(nodes, length),
        time=np.arange(nodes) * gap,
        seed=1,
    )


def cycles_of(network, steps):
    """Cycles to the first flit of a copy from when its whole packet is in, all copies at once."""
    return network.hardware.pipeline * (steps + 1)


def cycles_one_after_another(network, length):
    """The same where a router sends its copies in turn, to the highest port first, the node last.

    A copy leaves in as many cycles as it has flits; its head is at the next router's front two
    cycles after it left, and at the node in the cycle after.
    """
    topology, routing = network.topology, network.routing
    found = np.zeros((topology.nodes, topology.nodes), np.int64)
    for source in range(topology.nodes):
        waiting = [(source, 0, 0, 0, 1)]
        while waiting:
            router, port, vc_class, label, front = waiting.pop()
            for output in reversed(topology.connected_ports(router)):
                if output == 0:
                    if port != 0:
                        found[source, router] = front + 1
                    continue
                sent, out_class = routing.broadcast.rule(
                    routing.parameters, router, port, vc_class, label, source, output
                )
                if sent < 0:
                    continue
                far = int(topology.neighbours[router, output])
                peer = int(topology.peer_ports[router, output])
                waiting.append((far, peer, int(out_class), int(sent), front + 2))
                front += length
    return found


def assert_arrivals(network, packets, record, cycles, *, length=1):
    """Each node has the first flit as many cycles after the packet is in, the others right behind.

    `cycles` has a row a source.
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
    after = cycles[pairs[:, 0, 0], pairs[:, 0, 1]]
    first = packets.time[pairs[:, 0, 0]] + length - 1 + after
    assert (clocks == first[:, None] + np.arange(length)).all()
