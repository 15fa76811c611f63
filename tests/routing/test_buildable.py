import re

import pytest
from knotwork import Network
from knotwork.errors import DeadlockError
from knotwork.routing import Turn
from knotwork.routing.buildable import error_turns
from knotwork.topology import LOCAL


def test_ejection_is_added_where_an_input_has_none():
    turns = [Turn(LOCAL, 0, 1, 0), Turn(1, 0, LOCAL, 0), Turn(1, 1, 2, 1), Turn(2, 1, 1, 0)]
    routing = Network.from_word("torus:x=4,y=3").routing
    assert error_turns(routing, [LOCAL], turns) == (
        Turn(LOCAL, 0, LOCAL, 0),
        Turn(1, 1, LOCAL, 0),
        Turn(2, 1, LOCAL, 0),
    )
    assert error_turns(routing, [LOCAL], [Turn(1, 0, LOCAL, 0), Turn(1, 0, 2, 0)]) == ()
    assert error_turns(routing, [], turns) == ()


def test_a_broken_packet_goes_to_the_first_node_or_to_that_of_its_class():
    turns = [Turn(3, 0, 2, 0), Turn(3, 1, 2, 1)]
    several = Network.from_word("mesh:x=2,y=2,nodes_per_router=2,virtual_channels=2").routing
    assert error_turns(several, [0, 1], turns) == (Turn(3, 0, 0, 0), Turn(3, 1, 0, 0))
    classes = Network.from_word("mesh:x=2,y=2,classes=2").routing
    assert error_turns(classes, [0, 1], turns) == (Turn(3, 0, 0, 0), Turn(3, 1, 1, 0))
    both = Network.from_word("mesh:x=2,y=2,nodes_per_router=2,classes=2").routing
    turns = [Turn(5, 0, 4, 0), Turn(5, 1, 4, 1)]
    assert error_turns(both, [0, 1, 2, 3], turns) == (Turn(5, 0, 0, 0), Turn(5, 1, 2, 0))


def test_a_broken_packet_goes_to_its_node_and_not_into_a_multicast_unit():
    routing = Network.from_word("hypercube:n=3,multicast=yes").routing
    assert error_turns(routing, [LOCAL], [Turn(1, 1, LOCAL, 1)]) == (Turn(1, 1, LOCAL, 0),)


def test_ways_to_the_node_leave_the_deadlock_check_as_it_was():
    for word in ("torus:x=4,y=3", "tcpg:k=1,m=1,broadcast=no"):
        plain, guarded = (Network.from_word(f"{word},parity={way}") for way in ("no", "yes"))
        assert guarded.deadlock_report == plain.deadlock_report
        assert guarded.deadlock_report.deadlock_free


@pytest.mark.parametrize(
    ("word", "line"),
    [
        (
            "mesh:x=2,y=2,pipeline=1",
            "mesh: tables must be fixed with pipeline=1, whose routers have no options, not "
            "loaded; pipeline=2 has them all",
        ),
        (
            "moebius:n=3,routing=spr,vc_scheme=escape",
            "moebius: vc_scheme must be ascents with tables=loaded, because a table has one path "
            "to a node and no escape channel, not escape",
        ),
        (
            "wk:w=3,levels=2,broadcast=label",
            "wk: broadcast must be no with tables=loaded, because a copy has no destination that a "
            "table could look up, not label",
        ),
        (
            "moebius:n=11,routing=spr",  # which has no other scheme
            "moebius: routing must be one without escapes with tables=loaded, because a table has "
            "one path to a node and no escape channel, not spr",
        ),
        ("mesh:x=64,y=128", "mesh: addresses must have at most 12 bits with tables=loaded, not 13"),
    ],
)
def test_tables_are_loaded_where_packets_only_follow_them(refused, word, line):
    Network.from_word(word)
    assert refused(lambda: Network.from_word(f"{word},tables=loaded")) == line


def test_any_table_can_turn_to_any_other_link_of_its_lane():
    network = Network.from_word("ring:n=5,tables=loaded,virtual_channels=4")
    # Two lanes of two classes; ports local, and both ways round.
    lanes = [(0, 1), (2, 3)]
    expected = {(0, lane[0], 0, 0) for lane in lanes}
    for lane in lanes:
        expected |= {(0, lane[0], way, vc) for way in (1, 2) for vc in lane}
        expected |= {(way, vc, 0, 0) for way in (1, 2) for vc in lane}
        expected |= {(way, a, 3 - way, b) for way in (1, 2) for a in lane for b in lane}
    for kind in network.router_kinds:
        assert {tuple(turn) for turn in kind.turns} == expected


def test_a_deadlock_is_told_by_the_routers_names():
    network = Network.from_word("ring:n=5,virtual_channels=1,nodes_per_router=3")
    with pytest.raises(DeadlockError) as refused:
        network.require_deadlock_free()
    told = set(re.findall(r"(\w+)->(\w+) vc0", str(refused.value)))
    label = network.topology.router_label
    ways = [{(label(a), label((a + step) % 5)) for a in range(5)} for step in (1, -1)]
    assert told in ways
