"""Small networks of batches as a whole: that they are proven, and a fault that the proof finds."""

import pytest
from helpers.proven import outcomes, sees
from knotwork.formal import PROVEN

SMALL = "ccc n=2 routing=lc2 data_width=8"


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        SMALL,
        f"{SMALL} control=entry",
        f"{SMALL} sequencer=distributed",
        "ccc n=3 routing=lc2 data_width=8",
        "hypercube n=3 routing=lc1 data_width=8",
        "hypercube n=3 routing=lc1 sequencer=distributed data_width=8",
    ],
)
def test_a_packet_is_at_one_node_after_every_step(words):
    assert outcomes(words, "") == {"one_packet": (PROVEN, "")}


def test_an_exchange_that_only_one_end_makes_is_found():
    # Every router of place 0 takes the packet, whether its neighbour requests the exchange or not.
    assert sees(SMALL, "", "= request & i_L_request ? ", "= request ? ", "one_packet")
