from math import comb

import pytest
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork_sim.survive.dead_sets import dead_sets, parts_of


def topology(*words):
    return Network.from_words(words).topology


def test_parts_are_links_once_and_routers():
    ring = topology("ring", "n=4")
    assert parts_of(ring, "links") == ["0-1", "0-3", "1-2", "2-3"]
    assert parts_of(ring, "routers") == ["0", "1", "2", "3"]
    assert parts_of(ring, "both") == parts_of(ring, "links") + parts_of(ring, "routers")
    assert len(parts_of(topology("mesh", "x=4", "y=3"), "links")) == 4 * 2 + 3 * 3


def test_parallel_and_one_way_links_are_one_part():
    assert parts_of(topology("torus", "x=2", "y=2"), "links") == ["0-1", "0-2", "1-3", "2-3"]
    one_way = topology("ring", "n=3", "directions=one")
    assert parts_of(one_way, "links") == ["0-1", "0-2", "1-2"]


def test_few_sets_are_all_tried():
    parts = list("abcde")
    assert dead_sets(parts, 2, 10, 1) == dead_sets(parts, 2, None, 7)
    assert len(set(dead_sets(parts, 2, None, 1))) == comb(5, 2)


def test_many_sets_are_drawn_once_each():
    parts = [str(number) for number in range(30)]
    drawn = dead_sets(parts, 3, 500, 1)
    assert len(set(drawn)) == 500
    assert all(len(set(one)) == 3 for one in drawn)
    assert drawn == dead_sets(parts, 3, 500, 1)
    assert drawn != dead_sets(parts, 3, 500, 2)


def test_too_many_are_refused():
    with pytest.raises(ConfigurationError) as refused:
        dead_sets(list("abc"), 4, 10, 1)
    assert str(refused.value) == ("survive: --dead must be at most the 3 parts that can die, not 4")
    with pytest.raises(ConfigurationError) as refused:
        dead_sets([str(number) for number in range(1000)], 3, None, 1)
    assert str(refused.value) == (
        "survive: --all must mean at most 1,000,000 sets, not 166,167,000; --sets draws some"
    )
