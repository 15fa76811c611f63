"""Rounds that `multicast` tells."""

import json
from itertools import pairwise

from knotwork import Moebius, Network
from knotwork.routing import Hop


def test_packets_that_meet_are_told(run, monkeypatch):
    network = Network(Moebius(n=3))
    assert_free(run, True)

    def hops(_, source, destination):
        """Detours by which 1 -> 5 and 4 -> 7, of one round, both cross from 4 to 5."""
        path = {(1, 5): [1, 0, 4, 5], (4, 7): [4, 5, 6, 7]}.get((source, destination), [1, 0, 4])
        ports = [list(network.topology.neighbours[a]).index(b) for a, b in pairwise(path)]
        return [Hop(router, port, 0) for router, port in zip(path, [*ports, 0], strict=True)]

    monkeypatch.setattr(type(network.routing), "hops", hops)
    assert_free(run, False)


def assert_free(run, expected):
    status, out, _ = run("multicast moebius n=3 1 4 5 7 --json")
    assert (status, json.loads(out)["contention_free"]) == (0, expected)
    _, out, _ = run("multicast moebius n=3 1 4 5 7")
    assert ("\nTwo packets of a round share a link." in out) != expected
