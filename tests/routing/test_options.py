"""What is general about broadcasts, on rings."""

from dataclasses import dataclass

import numpy as np
import pytest
from helpers.ring import NEXT, PREVIOUS, Ring, RingRouting
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork.parameters import Choice, parameter
from knotwork.routing import Turn, check_deadlock
from knotwork.routing.compiled.compilable import compilable
from knotwork.routing.options import Broadcast, BroadcastOptions
from knotwork.routing.walks.broadcasts import broadcast_tree
from knotwork.topology import LOCAL

NONE = np.zeros(1, np.int64)


@compilable
def flood(parameters, router, port, channel_class, label, source, output):
    """By every link but the one it came by; the label counts the steps."""
    return (-1, 0) if output == port else (label + 1, 0)


@compilable
def both_ways(parameters, router, port, channel_class, label, source, output):
    """Half the way round each way, by the steps that are left; the class is the way."""
    nodes = parameters[0]
    left = (nodes // 2 if output == 1 else (nodes - 1) // 2) if port == 0 else label
    if left == 0 or output == port:
        return -1, 0
    return left - 1, min(output - 1, parameters[1])


@compilable
def once_round(parameters, router, port, channel_class, label, source, output):
    """To the next router, until the one before the source."""
    last = (router + 1) % parameters[0] == source
    return (-1, 0) if output != 1 or last else (0, 0)


@dataclass(frozen=True, kw_only=True)
class RingOptions(BroadcastOptions):
    broadcast: str = parameter(Choice(("both", "round", "no")), help="rule", default="both")


class BroadcastingRing(RingRouting):
    options_class = RingOptions

    @property
    def broadcasts(self):
        return {
            "both": Broadcast("both", both_ways, 3, 3),
            "round": Broadcast("round", once_round, 0, 0),
        }


def test_a_tree_has_steps_parents_and_labels():
    tree = broadcast_tree(Ring(nodes=6), both_ways, np.array([6, 1]), 1)
    assert tree.arrival.tolist() == [1, 0, 1, 2, 3, 2]
    assert tree.parent.tolist() == [1, -1, 1, 2, 3, 0]
    assert tree.label.tolist() == [1, 0, 2, 1, 0, 0]
    assert tree.duplicates == 0


@pytest.mark.parametrize("nodes", [5, 6, 7])
def test_copies_that_come_late_are_counted_and_go_no_further(nodes):
    tree = broadcast_tree(Ring(nodes=nodes), flood, NONE, 0)
    assert tree.arrival.tolist() == [min(node, nodes - node) for node in range(nodes)]
    # The source sends two copies and every other node one: N + 1, of which N - 1 are wanted.
    assert tree.duplicates == 2


def test_turns_of_copies_stand_apart_from_those_of_packets():
    routing = Network(Ring(nodes=6), routing=BroadcastingRing).routing
    assert routing.broadcast.rule is both_ways
    ends = {Turn(LOCAL, 0, NEXT, 0), Turn(PREVIOUS, 0, LOCAL, 0)}
    back = {Turn(LOCAL, 0, PREVIOUS, 1), Turn(NEXT, 1, LOCAL, 0)}
    along = {Turn(PREVIOUS, 0, NEXT, 0), Turn(NEXT, 1, PREVIOUS, 1)}
    assert routing.broadcast_class_turns(0) == ends | back | along


def test_the_check_knows_the_copies():
    def report(word):
        network = Network(Ring(nodes=6), routing=BroadcastingRing, broadcast=word)
        return check_deadlock(network.routing)

    assert report("no").deadlock_free
    assert "all broadcasts" not in report("no").reason
    assert not report("round").deadlock_free  # each copy waits for the link after its own
    assert {vc for *_, vc in report("round").cycle} == {0}
    assert "all 6^2 pairs and all broadcasts walked" in report("round").reason


@pytest.mark.parametrize("word", ["both", "round"])
def test_the_longest_broadcast_is_a_buffer(refused, word):
    network = Network(Ring(), routing=BroadcastingRing, broadcast=word, buffer_depth=8)
    assert network.parameters["max_packet"] == 8
    assert refused(
        lambda: Network(
            Ring(), routing=BroadcastingRing, broadcast=word, buffer_depth=8, max_packet=9
        )
    ) == (f"loop: buffer_depth must be at least max_packet with broadcast={word}, 9, not 8")


def test_without_broadcasts_there_is_no_longest():
    assert RingRouting(Ring()).broadcast is None
    assert RingRouting(Ring()).broadcasts == {}
    network = Network(Ring(), routing=BroadcastingRing, broadcast="no")
    assert network.routing.broadcast is None
    assert network.routing.broadcast_class_turns(0) == set()
    with pytest.raises(ConfigurationError, match="max_packet must be used with a broadcast"):
        Network(Ring(), routing=BroadcastingRing, broadcast="no", max_packet=4)


def test_a_rule_that_brings_a_router_two_copies_is_refused():
    class Flooding(BroadcastingRing):
        @property
        def broadcasts(self):
            return {"both": Broadcast("both", flood, 3, 3)}

    with pytest.raises(ValueError, match="a router must get one copy, not two of that of node 0"):
        _ = Network(Ring(nodes=5), routing=Flooding).routing.walks
