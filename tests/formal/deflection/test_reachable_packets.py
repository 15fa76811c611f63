"""Packets that deflection can bring, against a network whose routers decide at random."""

import numpy as np
import pytest
from knotwork import Network
from knotwork.formal import PROVEN, Property, prove_router
from knotwork.formal.deflection.reachable_packets import arriving, assume_reachable
from knotwork.topology import LOCAL
from quality.mutation.mutants import module_verilog


def seen_at_random(network, clocks, rng):
    """Router, input port and destination of all that came where who wins is drawn."""
    topology, routing = network.topology, network.routing
    waiting = {router: [] for router in range(topology.routers)}
    seen = set()
    for _ in range(clocks):
        after = {router: [] for router in waiting}
        for router, packets in waiting.items():
            free = list(topology.connected_ports(router)[1:])
            stays = []
            for node in rng.permutation(packets).astype(int).tolist():
                want = int(routing.rule(routing.parameters, router, LOCAL, 0, node)[0])
                if want == LOCAL and rng.random() < 0.5:
                    continue
                if want in free:
                    free.remove(want)
                    after[router].append((want, node))
                else:
                    stays.append(node)
            for node, port in zip(stays, rng.permutation(free).tolist(), strict=False):
                free.remove(port)
                after[router].append((port, node))
            node = int(rng.integers(topology.nodes))
            want = int(routing.rule(routing.parameters, router, LOCAL, 0, node)[0])
            if want in free:
                after[router].append((want, node))
        waiting = {router: [] for router in waiting}
        for router, packets in after.items():
            for port, node in packets:
                there = int(topology.neighbours[router, port])
                seen.add((there, int(topology.peer_ports[router, port]), node))
                waiting[there].append(node)
    return seen


@pytest.mark.parametrize("word", ["hypercube:n=3", "mesh:x=3,y=3", "moebius:n=3,routing=spr"])
def test_what_comes_is_known_to_be_able_to_come(word):
    network = Network.from_word(f"{word},router=deflection")
    known = arriving(network)
    seen = seen_at_random(network, 2000, np.random.default_rng(1))
    assert seen <= known
    assert len(seen) > 0.7 * len(known)


def test_in_a_hypercube_the_first_dimension_is_wrong_only_where_it_was_taken():
    """The way goes by the highest dimension first: nobody else wants that port."""
    known = arriving(Network.from_word("hypercube:n=3,router=deflection"))
    highest = {port for router, port, node in known if (router ^ node) & 4}
    lower = {port for router, port, node in known if (router ^ node) & 2}
    assert highest == {3}
    assert lower == {1, 2, 3}


def test_only_what_can_come_is_considered():
    network = Network.from_word("hypercube:n=2,router=deflection,data_width=8")
    (kind,) = network.router_kinds

    def claim(harness):
        assume_reachable(harness)
        for port, (valid, packet) in zip(kind.ports[1:], harness.came, strict=True):
            wrong = packet.destination ^ harness.address
            if port == 1:
                harness.claim(~valid | ~wrong[1])
            else:
                harness.cover(valid & wrong[1])

    one = Property(name="comes", text="of what comes", claim=claim, cover=3)
    (found,) = prove_router(network, kind, module_verilog(network, kind.name), [one])
    assert (found.result, found.reason) == (PROVEN, "")
