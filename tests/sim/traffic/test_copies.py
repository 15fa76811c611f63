import numpy as np
import pytest
from helpers.multicasts import multicasts
from knotwork import Hypercube, Moebius, Network
from knotwork.routing.multicast import multicast_rounds
from knotwork_sim.traffic.copies import make_copies


@pytest.mark.parametrize(
    "topology", [Hypercube(n=4), Moebius(n=4), Moebius(n=4, twist=1)], ids=lambda t: t.name
)
def test_copies_are_the_sends_of_the_rounds(topology):
    network = Network(topology, multicast="yes")
    rng = np.random.default_rng(1)
    for _ in range(50):
        source = int(rng.integers(16))
        nodes = np.delete(np.arange(16), source)
        members = rng.choice(nodes, rng.integers(1, 16), replace=False).tolist()
        chain = sorted(members, key=lambda node, source=source: node ^ source)
        packets = multicasts(network, [chain], data=1, source=source)
        copies = make_copies(packets)
        sent = set()
        for copy in range(len(copies.origin)):
            at = source if copy == 0 else int(copies.destination[copy])
            first = int(copies.first[copy])
            for child in range(first, first + int(copies.count[copy])):
                assert copies.length[child] == copies.chain[child] + 1
                sent.add((at, int(copies.destination[child]), int(copies.chain[child])))
        rounds = multicast_rounds(network.routing, source, members)
        sends = [send for sends in rounds for send in sends]
        assert sent == {(s.source, s.destination, len(s.chain)) for s in sends}
        assert len(copies.origin) == 1 + len(sends) == 1 + len(members)


def test_a_copy_starts_in_the_class_of_the_rounds_that_are_left():
    # Fifteen nodes: 0 sends for 7, 3, 1 and 0 more; with 3 more, two rounds are left, and so on.
    packets = multicasts(Network(Hypercube(n=4), multicast="yes"), [list(range(1, 16))])
    copies = make_copies(packets)
    first, count = int(copies.first[0]), int(copies.count[0])
    assert copies.chain[first : first + count].tolist() == [7, 3, 1, 0]
    assert copies.virtual_channel[first : first + count].tolist() == [3, 2, 1, 0]
