"""Loops that follow a rule: plain Python gives what compiled code gives, and needs no Numba."""

import sys
from subprocess import run

import numpy as np
import pytest
from knotwork import CubeConnectedCycles, Mesh, Moebius, Network, Tcpg, Torus, WkRecursive
from knotwork.routing.compiled import rule_loop
from knotwork.routing.compiled.rule_loop import is_short_walk
from knotwork.routing.walks.all_pairs import first_hops, walk_all, walk_lengths
from knotwork.routing.walks.broadcasts import broadcast_tree
from knotwork.routing.walks.headers import HeaderKnowledge

NETWORKS = {
    "several dimensions": lambda: Network(Mesh(x=4, y=3)),
    "classes": lambda: Network(Torus(x=4, y=4)),
    "escapes": lambda: Network(Moebius(n=4), routing="spr", vc_scheme="escape"),
    "cycles": lambda: Network(CubeConnectedCycles(n=3)),
    "broadcasts": lambda: Network(WkRecursive(w=3, levels=2)),
    "broadcasts with classes": lambda: Network(Tcpg(k=1, m=1)),
}


def results(network):
    """All that loops find of a network, as arrays and plain values."""
    routing, topology = network.routing, network.topology
    walks = walk_all(routing, routing.router_groups)
    found = [walks.dependencies, walks.turns, walks.broadcast_turns, first_hops(routing)]
    found.append(walk_lengths(routing))
    known = HeaderKnowledge(routing)
    for port in range(topology.neighbours.shape[1]):
        routers = np.arange(topology.routers)
        found += [known.at(routers[:1], port, leaving=leaving) for leaving in (False, True)]
    if routing.broadcast is not None:
        rule, parameters = routing.broadcast.rule, routing.parameters
        for source in range(topology.nodes):
            found += broadcast_tree(topology, rule, parameters, source)
    return found


@pytest.mark.parametrize("name", NETWORKS)
def test_plain_python_gives_what_compiled_code_gives(monkeypatch, name):
    build = NETWORKS[name]
    network = build()
    assert is_short_walk(network.topology, network.routing.classes)
    in_python = results(network)
    monkeypatch.setattr(rule_loop, "PYTHON_STEPS", 0)
    compiled = results(build())
    assert len(in_python) == len(compiled)
    for one, other in zip(in_python, compiled, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_large_network_is_walked_by_compiled_code():
    assert not is_short_walk(Torus(x=16, y=16), 2)


def test_a_small_network_is_checked_and_described_without_numba():
    statement = (
        "import sys; from knotwork import Mesh, Network\n"
        "network = Network(Mesh(x=3, y=3)); network.require_deadlock_free()\n"
        "network.routing.walk_lengths; print('numba' in sys.modules)"
    )
    ran = run([sys.executable, "-c", statement], check=True, capture_output=True, text=True)
    assert ran.stdout == "False\n"
