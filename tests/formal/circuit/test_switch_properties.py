"""Circuit switches: that they are proven, and faults that the proofs find."""

import pytest
from helpers.proven import outcomes, sees
from knotwork.formal import FAILED, PROVEN

SMALL = "lcan d=2 u=1 levels=2 data_width=8 max_packet=2"
PROPERTIES = ["crosspoints", "grants", "circuits", "transfer", "acknowledge", "links", "assertions"]


def test_a_small_switch_is_proven():
    assert outcomes(SMALL, "router_level1") == dict.fromkeys(PROPERTIES, (PROVEN, ""))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "levels"),
    [
        ("lcan d=2 u=2 levels=2", 2),
        ("lcan d=4 u=2 levels=2 interconnect=tree data_width=8 max_packet=4", 2),
        ("lcan d=2 u=3 levels=3 routing=scheduled max_packet=4", 3),
        ("fattree r=2,3 u=2,1 data_width=8 max_packet=1", 2),
        ("banyan d=3 u=2 levels=2 data_width=8 max_packet=2", 2),
        ("banyan d=2 u=1 levels=3 data_width=8 max_packet=2 cycle=adaptive", 3),
    ],
)
def test_the_switches_of_all_levels_are_proven(words, levels):
    for level in range(levels):
        found = outcomes(words, f"router_level{level}")
        assert found == dict.fromkeys(PROPERTIES, (PROVEN, ""))


# A crosspoint outlasts its network cycle; of two headers of the same cycle, the later one gets the
# wire of the other; an acknowledge comes by crosspoints that are open.
@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        ("control_release ? 3'b000 : closed_c0;", "closed_c0;", "crosspoints"),
        ("{1'b0, {1'b0, used_0} + {1'b0, earlier_0_1}}", "{2'b00, used_0}", "crosspoints"),
        (
            "{crosspoints_c1[2], crosspoints_c0[2]} & {c1_back, c0_back}",
            "{c1_back, c0_back}",
            "circuits",
        ),
    ],
)
def test_a_fault_of_a_switch_is_found(before, after, breaks):
    assert sees(SMALL, "router_level0", before, after, breaks)


@pytest.mark.slow
def test_data_that_change_on_their_way_are_found():
    fault = ("c0_data <= (a0_data &", "c0_data <= (~a0_data &", "transfer")
    assert sees(SMALL, "router_level0", *fault)


@pytest.mark.slow
def test_a_property_that_rests_on_a_broken_circuit_fails_with_it():
    before = "{crosspoints_c1[2], crosspoints_c0[2]} & {c1_back, c0_back}"
    after = "{c1_back, c0_back}"
    found = outcomes(SMALL, "router_level0", only={"acknowledge"}, before=before, after=after)
    assert found["acknowledge"][0] == found["circuits"][0] == FAILED
