"""Controller of circuits: that it is proven, and a fault that the proof finds."""

import pytest
from helpers.cases import slow
from helpers.proven import outcomes, sees
from knotwork.formal import PROVEN

SMALL = "lcan d=2 u=1 levels=2 data_width=8 max_packet=2"


@pytest.mark.parametrize(
    "words",
    [
        SMALL,
        *map(
            slow,
            [
                "lcan d=2 u=2 levels=2",
                "lcan d=4 u=2 levels=2 interconnect=tree data_width=8 max_packet=4",
                "lcan d=2 u=3 levels=3 routing=scheduled max_packet=4",
                "fattree r=2,3 u=2,1 data_width=8 max_packet=1",
                "banyan d=2 u=3 levels=2 data_width=8 max_packet=2",
            ],
        ),
    ],
)
def test_a_controller_is_proven(words):
    assert outcomes(words, "controller") == {"clocks": (PROVEN, "")}
    assert outcomes(f"{words} cycle=adaptive", "controller") == {"clocks": (PROVEN, "")}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Acknowledges are sampled, and circuits released, a cycle too early.
        ("clock == 4'b0111", "clock == 4'b0110"),
        ("clock == 4'b1101", "clock == 4'b1100"),
    ],
)
def test_a_fault_of_a_controller_is_found(before, after):
    assert sees(SMALL, "controller", before, after, "clocks")
