from random import Random

import numpy as np
import pytest
from knotwork import Moebius, Network, Tcpg, WkRecursive
from knotwork.routing.compiled.calls import (
    broadcast_rule_address,
    call_broadcast_rule,
    call_rule,
    rule_address,
)
from numba import njit

NETWORKS = [
    Network(Moebius(n=5), routing="spr"),
    Network(WkRecursive(w=3, levels=3)),
    Network(Tcpg(k=2, m=2)),
]


@njit
def ask(address, parameters, router, port, channel_class, destination):
    return call_rule(address, parameters, router, port, channel_class, destination)


@njit
def ask_for_copy(address, parameters, router, port, channel_class, label, source, output):
    return call_broadcast_rule(
        address, parameters, router, port, channel_class, label, source, output
    )


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_a_rule_called_by_its_address_says_what_it_says(network):
    routing, nodes = network.routing, network.topology.nodes
    address, numbers = rule_address(routing.rule), np.ascontiguousarray(routing.parameters)
    for source in range(nodes):
        for destination in range(0, nodes, 3):
            answer = ask(address, numbers.ctypes.data, source, 0, 0, destination)
            assert answer == tuple(routing.rule(numbers, source, 0, 0, destination))


@pytest.mark.parametrize("network", NETWORKS[1:], ids=lambda network: network.name)
def test_a_rule_of_broadcasts_called_by_its_address_says_what_it_says(network):
    routing, dice = network.routing, Random(1)
    rule, numbers = routing.broadcast.rule, np.ascontiguousarray(routing.parameters)
    address, ports = broadcast_rule_address(rule), len(network.topology.ports)
    for _ in range(500):
        source = dice.randrange(network.topology.nodes)
        output = dice.randrange(1, ports)
        answer = ask_for_copy(address, numbers.ctypes.data, source, 0, 0, 0, source, output)
        assert answer == tuple(rule(numbers, source, 0, 0, 0, source, output))
