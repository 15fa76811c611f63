"""Circuits: what is proven of switches, interfaces and the controller, and what they fail on."""

import pytest
from helpers.proven import outcomes, sees
from knotwork.formal import FAILED, PROVEN

SMALL = "lcan d=2 u=1 levels=2 data_width=8 max_packet=2"
SWITCH = ["crosspoints", "grants", "circuits", "transfer", "acknowledge", "links", "assertions"]
INTERFACE = ["injection", "offers", "ejection", "assertions"]


@pytest.mark.parametrize(
    ("module", "names"), [("lcan_router_level1", SWITCH), ("lcan_controller", ["clocks"])]
)
def test_a_small_network_of_circuits_is_proven(module, names):
    assert outcomes(SMALL, module) == dict.fromkeys(names, (PROVEN, ""))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "levels"),
    [
        ("lcan d=2 u=2 levels=2", 2),
        ("lcan d=4 u=2 levels=2 interconnect=tree data_width=8 max_packet=4", 2),
        ("lcan d=2 u=3 levels=3 routing=scheduled max_packet=4", 3),
        ("fattree r=2,3 u=2,1 data_width=8 max_packet=1", 2),
    ],
)
def test_networks_of_circuits_are_proven(words, levels):
    name = words.split()[0]
    for level in range(levels):
        found = outcomes(words, f"{name}_router_level{level}")
        assert found == dict.fromkeys(SWITCH, (PROVEN, ""))
    found = outcomes(words, f"{name}_interface")
    assert found == dict.fromkeys(INTERFACE, (PROVEN, ""))
    assert outcomes(words, f"{name}_controller") == {"clocks": (PROVEN, "")}


# A crosspoint outlasts its network cycle; headers of the same clock get the same wire; an
# acknowledge comes by crosspoints that are open; flits go on after the release.
@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        ("control[2] ? 3'h0 : closed_0;", "closed_0;", "crosspoints"),
        ("state[7] }", "state[6] }", "grants"),
        (
            "{ crosspoints_1[2], crosspoints_0[2] } & { o__1__back, o__0__back }",
            "{ o__1__back, o__0__back }",
            "circuits",
        ),
    ],
)
def test_a_fault_of_a_switch_is_found(before, after, breaks):
    assert sees(SMALL, "lcan_router_level0", before, after, breaks)


@pytest.mark.slow
def test_data_that_change_on_their_way_are_found():
    fault = ("= i__0__data & ", "= ~ i__0__data & ", "transfer")
    assert sees(SMALL, "lcan_router_level0", *fault)


@pytest.mark.slow
def test_what_rests_on_a_broken_circuit_fails_with_it():
    before = "{ crosspoints_1[2], crosspoints_0[2] } & { o__1__back, o__0__back }"
    after = "{ o__1__back, o__0__back }"
    found = outcomes(SMALL, "lcan_router_level0", only={"acknowledge"}, before=before, after=after)
    assert found["acknowledge"][0] == found["circuits"][0] == FAILED


@pytest.mark.parametrize(
    ("module", "before", "after", "breaks"),
    [
        ("lcan_interface", "level <= 2'h2", "level <= 2'h3", "ejection"),
        ("lcan_interface", "assign ends = ", "assign ends = offering & control[1] | ", "injection"),
        ("lcan_interface", "offered ? header_1", "offering ? header_1", "offers"),
        ("lcan_controller", "clock == 3'h7", "clock == 3'h6", "clocks"),
    ],
)
def test_a_fault_beside_the_switches_is_found(module, before, after, breaks):
    assert sees(SMALL, module, before, after, breaks)
