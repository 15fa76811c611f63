"""Choosers of a copy: that they are proven, and faults that the proofs find."""

import pytest
from helpers.proven import outcomes, sees
from knotwork.formal import PROVEN

SMALL = "kyklos k=2 levels=2 data_width=8 max_packet=2"


@pytest.mark.slow
@pytest.mark.parametrize("words", [SMALL, "kyklos k=3 levels=3 copies=3 cycle=adaptive"])
def test_a_chooser_is_proven(words):
    assert outcomes(words, "chooser") == dict.fromkeys(["sending", "receiving"], (PROVEN, ""))


@pytest.mark.slow
def test_the_interface_before_it_is_proven():
    words = "kyklos k=2 levels=3 data_width=8 max_packet=2 cycle=adaptive"
    names = ["injection", "offers", "ejection", "reports", "assertions"]
    assert outcomes(words, "interface") == dict.fromkeys(names, (PROVEN, ""))


@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        # What follows a header stays behind; a second header comes in.
        ("sent_comes ? nearest : kept", "sent_comes ? nearest : 2'b00", "sending"),
        ("|joined ? 2'b00 :", "1'b0 ? 2'b00 :", "receiving"),
    ],
)
def test_a_fault_of_a_chooser_is_found(before, after, breaks):
    assert sees(SMALL, "chooser", before, after, breaks)
