"""Deadlock check of a system: by its networks, and by requests that wait for responses."""

import pytest
from knotwork import Mesh, Network, Torus
from knotwork.errors import DeadlockError
from knotwork.system import System
from knotwork.system.deadlock import response_waits, ring_of

BUS = (
    "node.bus=none node.0.bus=axi4 node.0.side=initiator node.5.bus=axi4 node.5.side=target "
    "node.6.bus=axi4 node.6.side=target map.a.base=0 map.a.size=4K map.a.node=5 map.b.base=4K "
    "map.b.size=4K map.b.node=6"
)
"""Two memories in the middle of a network of 4 x 4."""


@pytest.mark.parametrize("network", ["mesh", "torus"])
def test_planes_of_their_own_are_free_of_it(network):
    system = System.from_words([network, "x=4", "y=4", *BUS.split()])
    report, one = system.deadlock_report, system.network.deadlock_report
    assert report.deadlock_free
    assert report.cycle is None
    assert report.channels == 2 * one.channels
    # 3 nodes x (4 links in, 4 out) x classes, less 4 of the corner, and an edge at each target
    waits = (8 * 2 + (4 if network == "mesh" else 8)) * system.network.virtual_channels + 2
    assert report.dependencies == 2 * one.dependencies + waits
    assert f"with {waits} edges from requests to the responses" in report.reason


def shared(network, *, targets, reserved):
    """Ring of a network that requests and responses share."""
    waits = response_waits(network, network, [0], targets, planes=("one", "one"), reserved=reserved)
    return ring_of({"one": network}, waits)


@pytest.mark.parametrize("network", [Mesh(x=4, y=4), Torus(x=4, y=4)], ids=["mesh", "torus"])
def test_one_plane_for_both_can_deadlock(network):
    """So the check can fail: each target's response waits for a request to the other."""
    ring = shared(Network(network), targets=[5, 6], reserved=True)
    assert {("one", "inject", 5), ("one", "inject", 6)} <= set(ring)
    assert shared(Network(network), targets=[5], reserved=False)


def test_one_target_that_no_response_passes_is_free_of_it_even_so():
    assert shared(Network(Mesh(x=2, y=2)), targets=[3], reserved=True) == []


def test_without_a_reserved_place_planes_do_not_help():
    network = Network(Mesh(x=4, y=4))
    waits = response_waits(network, network, [0], [5], reserved=False)
    ring = ring_of({"requests": network, "responses": network}, waits)
    assert {plane for plane, *_ in ring} == {"requests", "responses"}
    assert (
        ring_of(
            {"requests": network, "responses": network}, response_waits(network, network, [0], [5])
        )
        == []
    )


def test_a_plane_that_can_deadlock_is_refused():
    system = System.from_words(["torus", "x=5", "y=5", "virtual_channels=1", *BUS.split()])
    assert not system.deadlock_report.deadlock_free
    assert system.deadlock_report.reason.startswith("plane requests: all 25^2 pairs walked: ")
    with pytest.raises(DeadlockError):
        system.require_deadlock_free()


def test_streams_alone_are_checked_as_the_network_is():
    system = System.from_words(["mesh", "x=3", "y=3", "node.width=64"])
    assert system.deadlock_report == system.network.deadlock_report


def test_large_systems_need_no_enumeration():
    words = "mesh x=80 y=80 node.bus=none node.0.bus=axi4 node.0.side=initiator node.5.bus=axi4 "
    words += "node.5.side=target map.a.base=0 map.a.size=4K map.a.node=5"
    report = System.from_words(words.split()).deadlock_report
    assert report.deadlock_free
    assert report.reason.endswith("requests wait for responses, not these for them")
