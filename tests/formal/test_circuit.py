"""Proofs of circuit switches, interfaces, controllers and small networks."""

import pytest
from helpers.cases import slow
from helpers.proven import outcomes, sees
from knotwork import Network
from knotwork.formal import FAILED, PROVEN, parts

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


@pytest.mark.fault
@pytest.mark.slow
def test_data_that_change_on_their_way_are_found():
    fault = ("c0_data <= (a0_data &", "c0_data <= (~a0_data &", "transfer")
    assert sees(SMALL, "router_level0", *fault)


@pytest.mark.fault
@pytest.mark.slow
def test_a_property_that_rests_on_a_broken_circuit_fails_with_it():
    before = "{crosspoints_c1[2], crosspoints_c0[2]} & {c1_back, c0_back}"
    after = "{c1_back, c0_back}"
    found = outcomes(SMALL, "router_level0", only={"acknowledge"}, before=before, after=after)
    assert found["acknowledge"][0] == found["circuits"][0] == FAILED


def test_an_order_of_inputs_that_is_never_another_is_found():
    fault = ("{1'b0, choice_state[7:0]}", "{2'b00, choice_state[6:0]}", "grants")
    assert sees(SMALL, "router_level0", *fault)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "lcan d=2 u=2 levels=2",
        "lcan d=4 u=2 levels=2 interconnect=tree data_width=8 max_packet=4",
        "lcan d=2 u=3 levels=3 routing=scheduled max_packet=4",
        "fattree r=2,3 u=2,1 data_width=8 max_packet=1",
        "banyan d=3 u=2 levels=2 data_width=8 max_packet=2",
    ],
)
def test_an_interface_is_proven(words):
    found = outcomes(words, "interface")
    names = ["injection", "offers", "ejection", "assertions"]
    assert found == dict.fromkeys(names, (PROVEN, ""))


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "lcan d=2 u=1 levels=1 data_width=8 max_packet=2",
        "lcan d=2 u=2 levels=3 max_packet=4 data_width=8 routing=scheduled",
        "fattree r=2,3 u=2,1 data_width=8 max_packet=1",
        "banyan d=2 u=2 levels=2 data_width=8 max_packet=2",
    ],
)
def test_an_interface_of_adaptive_network_cycles_is_proven(words):
    found = outcomes(f"{words} cycle=adaptive", "interface")
    names = ["injection", "offers", "ejection", "reports", "assertions"]
    assert found == dict.fromkeys(names, (PROVEN, ""))


@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        ("assign ends = ", "assign ends = (offering & control_sample) | ", "injection"),
        ("offered ? header_1", "offering ? header_1", "offers"),
    ],
)
def test_a_fault_of_an_interface_is_found(before, after, breaks):
    assert sees(SMALL, "interface", before, after, breaks)


def test_an_acknowledge_without_room_is_found():
    assert sees(SMALL, "interface", "level <= 3'b010", "level <= 3'b011", "ejection")


ADAPTIVE = "lcan d=2 u=1 levels=2 data_width=8 max_packet=2 cycle=adaptive"


@pytest.mark.fault
@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        # It forgets the packet that comes; it stays active for ever after a refusal.
        ("offering | receiving,", "offering,", "reports"),
        ("awaited <= level <= 3'b010", "awaited <= 1'b1", "reports"),
        # A sample of another level may come while the next network cycle begins.
        ("assign sample = offering & |", "assign sample = |", "injection"),
    ],
)
def test_a_fault_of_the_reports_is_found(before, after, breaks):
    assert sees(ADAPTIVE, "interface", before, after, breaks)


COPIES = "kyklos k=2 levels=2 data_width=8 max_packet=2"


@pytest.mark.slow
@pytest.mark.parametrize("words", [COPIES, "kyklos k=3 levels=3 copies=3 cycle=adaptive"])
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
    assert sees(COPIES, "chooser", before, after, breaks)


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


ONE_LEVEL = "lcan d=2 u=1 levels=1 data_width=8 max_packet=2 cycle=adaptive"
LARGER = "lcan d=2 u=2 levels=2 data_width=8 max_packet=2 cycle=adaptive"


@pytest.mark.parametrize(
    "words",
    [
        ONE_LEVEL,
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
@pytest.mark.fault
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("offering | receiving,", "offering,"),
        slow("offering | receiving,", "receiving,"),
        slow("active <= reports[1] | reports[3];", "active <= reports[1];"),
    ],
)
def test_an_early_release_is_found(before, after):
    assert sees(ONE_LEVEL, "", before, after, "kept_circuits")


@pytest.mark.fault
@pytest.mark.slow
def test_an_early_release_of_a_circuit_over_the_top_is_found():
    assert sees(LARGER, "", "offering | receiving,", "offering,", "kept_circuits")


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        (ONE_LEVEL, True),
        (ONE_LEVEL.replace("adaptive", "fixed"), False),  # no network cycle ends early
        (LARGER.replace("max_packet=2", "max_packet=3"), False),
        ("lcan d=2 u=2 levels=3 max_packet=1 cycle=adaptive", False),
    ],
)
def test_small_networks_whose_cycles_end_early_are_proven_whole(words, whole):
    network = Network.from_words(words.split())
    assert (network.name in [part.name for part in parts(network)]) == whole
