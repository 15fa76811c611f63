"""Grants of packet routers: a fault that the proofs find."""

from helpers.proven import finds


def test_an_output_that_shows_the_flit_of_the_other_input_is_found():
    words = "hypercube n=1 data_width=8 buffer_depth=2 pipeline=1"
    before, after = "i_valid = |output_local_granted;", "i_valid = output_local_granted[0];"
    assert finds(words, before, after, "crossing", module="router")
