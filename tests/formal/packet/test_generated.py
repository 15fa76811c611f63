"""Routers into which no table has been loaded: what is proven of them beside swaps."""

import pytest
from helpers.cases import slow
from knotwork import Network
from knotwork.formal import FAILED, PROVEN, prove_part
from knotwork.formal.packet.generated import generated_parts

SMALL = "mesh x=2 y=2 data_width=8 buffer_depth=4 tables=loaded"


@pytest.mark.parametrize(
    "words",
    [
        slow(SMALL),
        slow(f"{SMALL} pipeline=3"),
        slow(f"{SMALL} parity=yes"),
        slow(f"{SMALL} classes=2"),
    ],
)
def test_a_router_has_the_properties_of_one_with_fixed_tables(words):
    network = Network.from_words(words.split())
    found = generated_parts(network)
    assert len(found) == network.traffic_classes
    for part in found:
        results = list(prove_part(network, part, part.verilog(network, part.name)))
        assert {one.result for one in results} == {PROVEN}
        names = {one.name.rpartition(".")[2] for one in results}
        assert {"route", "crossing", "credits", "progress"} < names


def ejected(words, before="", after=""):
    """Outcome of `ejection`, where the Verilog of the router was changed."""
    network = Network.from_words(f"mesh x=2 y=1 {words}".split())
    (part,) = generated_parts(network)
    (chosen,) = [one for one in part.properties(network) if one.name == "ejection"]
    verilog = part.verilog(network, part.name)
    if before:
        assert verilog.count(before) == 1
        verilog = verilog.replace(before, after)
    (found,) = prove_part(network, part, verilog, [chosen])
    return found.result


LOST = "data_width=8 buffer_depth=4 tables=loaded"
TUSER = "assign m_axis_tuser = node_interface_eject_payload_flags;"


@pytest.mark.parametrize("words", [LOST, slow(f"{LOST} parity=yes")])
def test_a_node_gets_the_mark_of_a_lost_packet(words):
    assert ejected(words) == PROVEN


def test_a_lost_packet_that_is_not_marked_is_found():
    assert ejected(LOST, TUSER, "assign m_axis_tuser = 1'd0;") == FAILED


def test_others_have_no_such_part():
    assert generated_parts(Network.from_word("mesh:x=2,y=2")) == []
