"""Packet routers that count credits: that all their properties are proven."""

import pytest
from helpers.cases import slow
from helpers.faults import changing
from helpers.proven import largest_router, require_proven, router_outcomes
from knotwork import Network
from knotwork.formal import FAILED, PROVEN, prove_part
from knotwork.formal.packet.credits import generated_parts

NET = "hypercube n=1 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"
STAGED = "hypercube n=1 data_width=8 buffer_depth=8 pipeline=3 virtual_channels=2"


def test_credits_are_proven():
    found = router_outcomes(NET, only=["credits"])
    assert found == dict.fromkeys(found, (PROVEN, ""))


@pytest.mark.slow
@pytest.mark.parametrize("net", [NET, STAGED])
def test_what_leaves_a_router_is_proven(net):
    found = router_outcomes(net, only=["credits", "wormhole"])
    assert found == dict.fromkeys(found, (PROVEN, ""))
    assert {"queues", "grants", "packets_dim0", "crossing"} <= found.keys()


@pytest.mark.slow
def test_a_router_is_proven():
    require_proven(*largest_router(NET))


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "mesh x=2 y=2 data_width=8 buffer_depth=4 virtual_channels=2",
        "mesh x=3 y=3 data_width=8 buffer_depth=4",
        "mesh x=2 y=2 data_width=8 buffer_depth=5 virtual_channels=3",
        "mesh x=2 y=2 data_width=8 buffer_depth=16",
        "torus x=3 y=3 data_width=8 buffer_depth=4",
        "hypercube n=3 data_width=8 buffer_depth=8",
        "moebius n=3 routing=spr data_width=8 buffer_depth=4",
        "moebius n=3 routing=spr vc_scheme=escape data_width=8 buffer_depth=4",
        "moebius n=2 routing=spr vc_scheme=escape data_width=8 buffer_depth=5 virtual_channels=4",
        "mesh x=2 y=2 data_width=8 buffer_depth=5 virtual_channels=2 parity=yes",
        "moebius n=3 routing=spr data_width=8 buffer_depth=4 parity=yes",
        "hypercube n=3 multicast=yes max_packet=8 data_width=8 buffer_depth=4",
        "ccc n=3 routing=unicast data_width=8 buffer_depth=4",
        "wk w=3 levels=2 data_width=8 buffer_depth=4 broadcast=no",
        "wk w=3 levels=2 data_width=8 buffer_depth=4",
        "wk w=2 levels=3 data_width=8 buffer_depth=5 broadcast=stack",
        "mesh x=2 y=2 data_width=8 buffer_depth=8 virtual_channels=2 pipeline=3",
        "moebius n=2 routing=spr vc_scheme=escape data_width=8 buffer_depth=8 pipeline=3",
        "hypercube n=2 parity=yes data_width=8 buffer_depth=8 pipeline=3",
        "hypercube n=3 multicast=yes max_packet=8 data_width=8 buffer_depth=8 pipeline=3",
        "wk w=2 levels=2 broadcast=label data_width=8 buffer_depth=8 pipeline=3",
        "mesh x=2 y=2 nodes_per_router=2 data_width=8 buffer_depth=4",
        "wk w=2 levels=1 nodes_per_router=2 data_width=8 buffer_depth=2",
        "hypercube n=1 nodes_per_router=2 multicast=yes max_packet=4 data_width=8 buffer_depth=4",
    ],
)
def test_larger_routers_are_proven(words):
    found = router_outcomes(words if "pipeline" in words else f"{words} pipeline=2")
    assert found == dict.fromkeys(found, (PROVEN, ""))


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
        verilog = changing(before, after)(verilog)
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
