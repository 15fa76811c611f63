import re

import pytest
from helpers.served import Served
from knotwork import Network
from knotwork.errors import ConfigurationError, DeadlockError
from knotwork.routing import Turn
from knotwork.routing.buildable import error_turns
from knotwork.topology import LOCAL


def test_ejection_is_added_where_an_input_has_none():
    turns = [Turn(LOCAL, 0, 1, 0), Turn(1, 0, LOCAL, 0), Turn(1, 1, 2, 1), Turn(2, 1, 1, 0)]
    assert error_turns(turns) == (
        Turn(LOCAL, 0, LOCAL, 0),
        Turn(1, 1, LOCAL, 0),
        Turn(2, 1, LOCAL, 0),
    )
    assert error_turns([Turn(1, 0, LOCAL, 0), Turn(1, 0, 2, 0)]) == ()


def test_ways_to_the_node_leave_the_deadlock_check_as_it_was():
    for word in ("torus:x=4,y=3", "tcpg:k=1,m=1,broadcast=no"):
        plain, guarded = (Network.from_word(f"{word},parity={way}") for way in ("no", "yes"))
        assert guarded.deadlock_report == plain.deadlock_report
        assert guarded.deadlock_report.deadlock_free


def test_several_nodes_at_a_router_go_with_packets_to_one_node():
    with pytest.raises(ConfigurationError) as refused:
        Network(Served(), parity="yes")
    assert str(refused.value) == (
        "served: parity must be no where routers serve several nodes or none, or ports lead one "
        "way, not yes"
    )


def test_a_deadlock_is_told_by_the_routers_names():
    network = Network.from_word("ring:n=5,virtual_channels=1,nodes_per_router=3")
    with pytest.raises(DeadlockError) as refused:
        network.require_deadlock_free()
    told = set(re.findall(r"(\w+)->(\w+) vc0", str(refused.value)))
    label = network.topology.router_label
    ways = [{(label(a), label((a + step) % 5)) for a in range(5)} for step in (1, -1)]
    assert told in ways
