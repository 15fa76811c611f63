"""Small networks of circuits as a whole: that they are proven, and faults that the proof finds."""

import pytest
from helpers.cases import slow
from helpers.proven import outcomes, sees
from knotwork import Network
from knotwork.formal import PROVEN, parts

SMALL = "lcan d=2 u=1 levels=1 data_width=8 max_packet=2 cycle=adaptive"
LARGER = "lcan d=2 u=2 levels=2 data_width=8 max_packet=2 cycle=adaptive"


@pytest.mark.parametrize(
    "words",
    [
        SMALL,
        *map(
            slow,
            [
                LARGER,
                "lcan d=2 u=1 levels=2 data_width=8 max_packet=1 cycle=adaptive",
                "lcan d=2 u=2 levels=2 data_width=8 max_packet=1 routing=scheduled cycle=adaptive",
                "lcan d=4 u=1 levels=1 max_packet=4 cycle=adaptive",
                "banyan d=2 u=2 levels=1 data_width=8 max_packet=2 cycle=adaptive",
                "banyan d=3 u=1 levels=1 data_width=8 max_packet=2 cycle=adaptive",
            ],
        ),
    ],
)
def test_no_circuit_is_released_while_it_is_in_use(words):
    assert outcomes(words, "") == {"kept_circuits": (PROVEN, "")}


# An interface does not report the packet that comes; nor that it waits for its acknowledge; the
# controller does not hear the last node.
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("offering | receiving,", "offering,"),
        slow("offering | receiving,", "receiving,"),
        slow("active <= reports[1] | reports[3];", "active <= reports[1];"),
    ],
)
def test_an_early_release_is_found(before, after):
    assert sees(SMALL, "", before, after, "kept_circuits")


@pytest.mark.slow
def test_an_early_release_of_a_circuit_over_the_top_is_found():
    assert sees(LARGER, "", "offering | receiving,", "offering,", "kept_circuits")


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        (SMALL, True),
        (SMALL.replace("adaptive", "fixed"), False),  # no network cycle ends early
        (LARGER.replace("max_packet=2", "max_packet=3"), False),
        ("lcan d=2 u=2 levels=3 max_packet=1 cycle=adaptive", False),
    ],
)
def test_small_networks_whose_cycles_end_early_are_proven_whole(words, whole):
    network = Network.from_words(words.split())
    assert (network.name in [part.name for part in parts(network)]) == whole
