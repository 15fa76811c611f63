"""Routings whose packets choose: what they have of the one over which they are made."""

import numpy as np
import pytest
from knotwork import Network
from knotwork.routing.choosing import ChoosingRouting

WORDS = (
    *("mesh:x=4,y=3,routing=o1turn", "mesh:x=4,y=3,routing=valiant", "ccc:n=3,routing=adaptive"),
    *("mesh:x=3,y=3,dead=0-1,routing=adaptive", "wk:w=3,levels=2,routing=valiant"),
)


@pytest.mark.parametrize("word", WORDS)
def test_routers_are_alike_where_those_of_the_base_are(word):
    network = Network.from_word(word)
    routing = ChoosingRouting.of(network.routing)
    base = routing.base
    assert base.has_one_path
    assert not routing.has_one_path
    assert base.name == ("updown" if "dead" in word else type(base)(network.topology).name)
    assert np.array_equal(routing.router_groups, base.router_groups)
    assert np.array_equal(routing.module_groups, base.module_groups)
    assert routing.distinct_groups == base.distinct_groups
    assert [routing.group_name(r) for r in range(3)] == [base.group_name(r) for r in range(3)]
    assert routing.needed_virtual_channels() > base.needed_virtual_channels()
