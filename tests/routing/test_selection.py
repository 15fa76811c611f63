"""By what heads choose between their ways: which networks have which selection."""

import pytest
from helpers.refusals import refuses
from knotwork import Network
from knotwork.routing.selection import FIRST, SELECTIONS


@pytest.mark.parametrize("name", ["first", "credits", "random"])
@pytest.mark.parametrize("word", ["mesh:x=3,y=2", "mesh:x=3,y=2,nodes_per_router=2"])
def test_it_is_that_of_the_key_also_in_an_altered_network(word, name):
    chosen = Network.from_word(f"{word},routing=adaptive,selection={name}").routing.selection
    assert chosen is SELECTIONS[name]
    assert Network.from_word(f"{word},routing=adaptive").routing.selection is FIRST


@pytest.mark.parametrize("word", ["mesh:x=3,y=2", "moebius:n=3,routing=spr,vc_scheme=escape"])
def test_without_the_key_heads_request_their_ways_from_the_first_on(word):
    assert Network.from_word(word).routing.selection is FIRST


def test_another_one_is_refused():
    with refuses("routing: selection must be one of first, credits, random, not 'last'"):
        Network.from_word("mesh:x=3,y=3,routing=adaptive,selection=last")
