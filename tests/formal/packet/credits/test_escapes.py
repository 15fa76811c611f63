"""Packets that escape: their proofs, and faults that these find."""

import pytest
from amaranth.hdl import Module
from helpers.cases import slow
from helpers.proven import finds, router_outcomes
from helpers.ring import EscapingRingRouting, Ring
from knotwork import Network
from knotwork.emit.modules import router_verilog
from knotwork.formal import FAILED, PROVEN, prove_router, router_properties
from knotwork.gateware.networks.moebius import ESCAPE_COMPUTATIONS
from knotwork.gateware.parts.route import RouteComputation

NET = "moebius n=2 routing=spr vc_scheme=escape data_width=8 buffer_depth=4 pipeline=2"


@pytest.mark.slow
def test_what_the_front_shows_where_packets_escape_is_proven():
    found = router_outcomes(NET, only=["rotation"])
    assert found == dict.fromkeys(["queues", "rotation"], (PROVEN, ""))


@pytest.mark.parametrize(
    ("module", "before", "after", "breaks"),
    [
        # A packet whose head took its way goes on by its escape.
        ("router_input_dim0", "took = |(shown & {1'b0, escaping});", "took = 1'b1;", "queues"),
        # A head that gives its place to another asks for its way again.
        slow(
            "router_input_dim0",
            "(~eligible & ~held) begin escaping <= ~escaping;",
            "(~eligible & ~held & ~other) begin escaping <= ~escaping;",
            "escapes",
        ),
        # A head behind a tail asks for its escape first.
        slow(
            "router_input_dim1",
            "if (granted) begin escaping <= escaping & ~last; end",
            "if (granted) begin escaping <= last ? other : escaping; end",
            "escapes",
        ),
        # A head enters a virtual channel that is not empty.
        slow(
            "router",
            "opens({credits_dim1_vc1_room, credits_dim1_vc0_all_free})",
            "opens({credits_dim1_vc1_room, credits_dim1_vc0_room})",
            "grants",
        ),
        slow(
            "router_credits_dim1_vc0",
            "all_free_2 <= after_all & ~taken;",
            "all_free_2 <= after_all;",
            "credits",
        ),
    ],
)
def test_a_fault_of_escapes_is_found(module, before, after, breaks):
    assert finds(NET, before, after, breaks, module=module)


def test_gates_that_escape_otherwise_than_the_rule_are_found(monkeypatch):
    class Nowhere(RouteComputation):
        def elaborate(self, platform):
            return Module()

    monkeypatch.setitem(ESCAPE_COMPUTATIONS, "spr", Nowhere)
    assert router_outcomes(NET, only=["route"])["route"][0] == FAILED


@pytest.mark.slow
def test_a_ring_whose_tables_say_where_packets_escape_is_proven():
    network = Network(
        Ring(nodes=6), routing=EscapingRingRouting, data_width=8, buffer_depth=4, pipeline=2
    )
    (kind,) = network.router_kinds
    found = list(prove_router(network, kind, router_verilog(network, kind)))
    named = [one.name for one in router_properties(network, kind)]
    assert [one.name for one in found] == ["reset", *named]
    assert {(one.result, one.reason) for one in found} == {(PROVEN, "")}
