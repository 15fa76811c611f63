"""Grants of circuit switches: a fault that the proofs find."""

from helpers.proven import sees

SMALL = "lcan d=2 u=1 levels=2 data_width=8 max_packet=2"


def test_headers_of_the_same_cycle_that_get_the_same_wire_are_found():
    assert sees(SMALL, "router_level0", "state[7] }", "state[6] }", "grants")
