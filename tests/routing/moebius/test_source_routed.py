import pytest
from helpers.ring import NEXT, PREVIOUS, Ring, RingRouting
from knotwork import Network
from knotwork.routing import Hop, Turn, check_deadlock
from knotwork.routing.moebius.source_routed import SourceRouted
from knotwork.topology import LOCAL

NODES = 6


class RoundTheRing(SourceRouted):
    """By next links to the destination, whichever way is shorter."""

    name = "round"

    def routers(self, source, destination):
        nodes = self.topology.nodes
        return [(source + step) % nodes for step in range((destination - source) % nodes + 1)]


@pytest.fixture
def routing():
    return RoundTheRing(Ring(nodes=NODES))


def test_hops_are_the_path_with_its_ports(routing):
    assert routing.hops(4, 0) == [Hop(4, NEXT, 0), Hop(5, NEXT, 0), Hop(0, LOCAL, 0)]
    assert routing.hops(3, 3) == [Hop(3, LOCAL, 0)]
    assert routing.path(4, 0) == [4, 5, 0]


def test_a_flow_keeps_its_lane():
    routing = RoundTheRing(Ring(nodes=NODES), virtual_channels=2)
    unaltered_topology = RingRouting(Ring(nodes=NODES), virtual_channels=4)
    for source in range(NODES):
        destination = (source + 2) % NODES
        (lane,) = {hop.virtual_channel for hop in routing.hops(source, destination)[:-1]}
        assert lane == unaltered_topology.hops(source, destination)[0].virtual_channel // 2


def test_a_path_that_follows_no_link_is_refused():
    class Jump(RoundTheRing):
        def routers(self, source, destination):
            return [source, destination]

    with pytest.raises(ValueError) as refusal:
        Jump(Ring(nodes=NODES)).hops(1, 4)
    assert str(refusal.value) == "routing=round: a path must follow links, not go from 1 to 4"


def test_turns_are_those_of_the_paths(routing):
    ways = [(LOCAL, LOCAL), (LOCAL, NEXT), (PREVIOUS, LOCAL), (PREVIOUS, NEXT)]
    assert routing.class_turns(3) == {Turn(i, 0, o, 0) for i, o in ways}


def test_check_finds_the_ring(routing):
    report = check_deadlock(routing)
    assert not report.deadlock_free
    assert sorted(report.cycle) == [(i, (i + 1) % NODES, 0) for i in range(NODES)]
    assert (report.channels, report.dependencies) == (2 * NODES, NODES)
    assert report.reason == (
        "all 6^2 pairs walked: the channel dependence graph has a cycle of 6 channels"
    )


@pytest.mark.parametrize(
    "ask",
    [
        lambda routing: routing.first_hops(),
        lambda routing: routing.walk_lengths(),
        lambda routing: routing.class_turns(0),
        lambda routing: check_deadlock(routing, enumerate_pairs=True),
        lambda routing: check_deadlock(routing, enumerate_pairs=False),
    ],
)
def test_above_the_limit_all_pairs_are_refused(refused, ask, monkeypatch):
    monkeypatch.setattr(RoundTheRing, "walk_limit", 4)
    assert refused(lambda: ask(RoundTheRing(Ring(nodes=NODES)))) == (
        "loop: nodes must be at most 4 to walk all pairs with routing=round, not 6"
    )


def test_there_is_no_rule_and_it_is_not_built_whatever_the_user_says(refused, routing):
    assert refused(lambda: routing.rule) == (
        "loop: routing=round must be used for paths, not for a rule: its path is found at the "
        "source"
    )
    network = Network(Ring(nodes=NODES), routing=RoundTheRing, allow_deadlock="yes")
    assert refused(network.require_deadlock_free) == (
        "loop: routing=round must not be built: its path is found at the source"
    )
