"""Gates of O1TURN against its rule, at every router and for every label."""

import pytest
from helpers.routes import disagreements
from knotwork import Network

WORDS = ("mesh:x=4,y=3", "mesh:x=2,y=3,z=2", "torus:x=4,y=3", "mesh:x=3,y=2,virtual_channels=4")


@pytest.mark.parametrize("word", WORDS)
def test_gates_decide_as_the_rule_does(word):
    network = Network.from_word(f"{word},routing=o1turn")
    compared, different = disagreements({word: network})[word]
    assert compared > 100
    assert different == 0
