"""The ways of the copies of broadcasts, against plain breadth-first steps."""

import numpy as np
import pytest
from knotwork import Network, Tcpg, WkRecursive
from knotwork.routing.walks.broadcasts import broadcast_tree, walk_broadcasts
from knotwork.topology import LOCAL

NETWORKS = [Network(Tcpg(k=1, m=2)), Network(WkRecursive(w=3, levels=2))]
every = pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)


def copies_of(network, source):
    """Copies (router, port, class, label) by the step in which they arrive, by the rule alone."""
    topology, routing = network.topology, network.routing
    rule, numbers = routing.broadcast.rule, routing.parameters
    steps = [[(source, LOCAL, 0, 0)]]
    while steps[-1]:
        reached = []
        for router, port, vc_class, label in steps[-1]:
            for output in topology.connected_ports(router)[1:]:
                sent, out = rule(numbers, router, port, vc_class, label, source, output)
                if sent >= 0:
                    far, into = topology.neighbours, topology.peer_ports
                    reached.append((far[router, output], into[router, output], out, sent))
        steps.append(reached)
    return steps[:-1]


@every
def test_a_tree_has_every_copy_in_its_step(network):
    for source in range(0, network.topology.nodes, 3):
        tree = broadcast_tree(
            network.topology, network.routing.broadcast.rule, network.routing.parameters, source
        )
        assert tree.duplicates == 0
        for step, copies in enumerate(copies_of(network, source)):
            assert (
                sorted(copy[0] for copy in copies) == np.nonzero(tree.arrival == step)[0].tolist()
            )
            assert all(tree.label[router] == label for router, _, _, label in copies)


@every
def test_a_walk_marks_the_turns_of_all_copies(network):
    routing, groups = network.routing, network.routing.router_groups
    routers, ports = network.topology.neighbours.shape
    shape = ports, routing.classes
    marks = np.zeros((routers * ports * routing.classes, *shape), bool)
    turns = np.zeros((groups.max() + 1, *shape, *shape), bool)
    walk_broadcasts(routing, groups, marks, turns, np.arange(routers))
    ejections = {
        (groups[router], port, vc_class)
        for source in range(routers)
        for copies in copies_of(network, source)[1:]
        for router, port, vc_class, _ in copies
    }
    assert {tuple(found) for found in np.argwhere(turns[..., LOCAL, 0])} == ejections
    assert marks.any()
