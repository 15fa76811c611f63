"""Grants of circuit switches: a fault that the proofs find."""

from helpers.proven import sees

SMALL = "lcan d=2 u=1 levels=2 data_width=8 max_packet=2"


def test_an_order_of_inputs_that_is_never_another_is_found():
    fault = ("{1'b0, choice_state[7:0]}", "{2'b00, choice_state[6:0]}", "grants")
    assert sees(SMALL, "router_level0", *fault)
