"""Controller of batches: that it is proven, and a fault that the proof finds."""

import pytest
from helpers.proven import outcomes, sees
from knotwork.formal import PROVEN


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "ccc n=3 routing=lc2 data_width=8",
        "ccc n=4 routing=lc2 data_width=8 words=3",
        "ccc n=4 routing=lc2 control=entry data_width=8",
        "ccc n=4 routing=lc2 sequencer=distributed data_width=8 words=3",
        "hypercube n=1 routing=lc1 data_width=8",
        "hypercube n=3 routing=lc1",
        "hypercube n=3 routing=lc1 sequencer=distributed",
        "hypercube n=4 routing=lc1 data_width=8 words=2",
    ],
)
def test_a_controller_is_proven(words):
    assert outcomes(words, "controller") == {"batches": (PROVEN, "")}


def test_a_controller_that_starts_without_a_table_is_found():
    words = "ccc n=2 routing=lc2 data_width=8"
    assert sees(words, "controller", "configured & ~comes", "~comes", "batches")


def test_a_table_that_is_taken_in_a_batch_is_found():
    words = "ccc n=2 routing=lc2 sequencer=distributed data_width=8"
    before, after = "s_axis_config_tready = ~running", "s_axis_config_tready = 1'b1"
    assert sees(words, "controller", before, after, "batches")
