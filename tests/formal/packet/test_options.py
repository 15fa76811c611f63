"""Options of routers with credits: what is proven of them, and faults that the proofs find."""

import pytest
from amaranth.hdl import Module
from helpers.cases import slow
from helpers.faults import changing, changing_module
from helpers.proven import finds, largest_router, require_proven, router_outcomes
from helpers.ring import EscapingRingRouting, Ring
from knotwork import Network
from knotwork.emit.modules import router_verilog
from knotwork.formal import FAILED, PROVEN, prove_router
from knotwork.gateware.networks.moebius import ESCAPE_COMPUTATIONS
from knotwork.gateware.parts.route import RouteComputation

NET = "hypercube n=2 data_width=8 buffer_depth=4 pipeline=2 parity=yes"


def test_a_bit_that_is_read_of_one_copy_is_found():
    one, two, three = (f"turns_read_data[{copy}]" for copy in range(3))
    before = f"({one} & {two}) | ({one} & {three}) | ({two} & {three})"
    assert finds(NET, before, one, "votes", module="router.input_dim0.buffer")


ESCAPES_NET = "moebius n=2 routing=spr vc_scheme=escape data_width=8 buffer_depth=4 pipeline=2"


@pytest.mark.slow
def test_what_the_front_shows_where_packets_escape_is_proven():
    found = router_outcomes(ESCAPES_NET, only=["rotation"])
    assert found == dict.fromkeys(["queues", "rotation"], (PROVEN, ""))


@pytest.mark.fault
@pytest.mark.parametrize(
    ("module", "before", "after", "breaks"),
    [
        # A packet whose head took its way goes on by its escape.
        (
            "router.input_dim0",
            "next_way = requested_way_vc0 & ~last & front_vc[0];",
            "next_way = ~last;",
            "queues",
        ),
        # A head that gives its place to another asks for its way again.
        slow(
            "router.input_dim0",
            "(~eligible & ~held) begin requested_way_vc0 <= requested_way_vc0 + 1'b1;",
            "(~eligible & ~held & ~other) begin requested_way_vc0 <= ~requested_way_vc0;",
            "escapes",
        ),
        # A head behind a tail asks for its escape first.
        slow(
            "router.input_dim1",
            "if (granted) begin requested_way_vc0 <= requested_way_vc0 & ~last; end",
            "if (granted) begin requested_way_vc0 <= last ? other : requested_way_vc0; end",
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
            "router.credits_dim1_vc0",
            "all_free <= after_all & ~taken;",
            "all_free <= after_all;",
            "credits",
        ),
    ],
)
def test_a_fault_of_escapes_is_found(module, before, after, breaks):
    assert finds(ESCAPES_NET, before, after, breaks, module=module)


def test_gates_that_escape_otherwise_than_the_rule_are_found(monkeypatch):
    class Nowhere(RouteComputation):
        def elaborate(self, platform):
            return Module()

    monkeypatch.setitem(ESCAPE_COMPUTATIONS, "spr", Nowhere)
    assert router_outcomes(ESCAPES_NET, only=["route"])["route"][0] == FAILED


@pytest.mark.slow
def test_a_ring_whose_tables_say_where_packets_escape_is_proven():
    network = Network(
        Ring(nodes=6), routing=EscapingRingRouting, data_width=8, buffer_depth=4, pipeline=2
    )
    (kind,) = network.router_kinds
    require_proven(network, kind, router_verilog(network, kind))


WAYS_NET = "mesh x=2 y=2 routing=adaptive data_width=8 buffer_depth=2"
"""Packets have two ways, which may be the same, and an escape."""


@pytest.mark.slow
def test_a_router_whose_packets_choose_is_proven():
    require_proven(*largest_router(WAYS_NET))


AFTER = "requested_way_vc0 != 2'b10 ? requested_way_vc0 + 2'b01 : 2'b00"


@pytest.mark.fault
@pytest.mark.parametrize(
    ("module", "before", "after", "places", "breaks"),
    [
        # The second way is requested first.
        (
            "input_local.buffer",
            "|way1_way_vc0 ? way1_way_vc0 : way_vc0, way_vc0}",
            "way_vc0, |way1_way_vc0 ? way1_way_vc0 : way_vc0}",
            1,
            "queues",
        ),
        # The second way is the first again.
        slow(
            "",
            ".way1_vc0(way1_local_vc0_select)",
            ".way1_vc0(route_local_vc0_select)",
            1,
            "order_local_vc0",
        ),
        # The escape comes before the second way.
        slow(
            "input_local",
            AFTER,
            "{requested_way_vc0 == 2'b00, requested_way_vc0[1]}",
            2,
            "escapes",
        ),
        # A head that was blocked requests the same way again.
        slow("input_R", AFTER, "requested_way_vc0", 2, "escapes"),
        # A packet's way is kept after its tail: the next head begins with it.
        slow("input_local", "requested_way_vc0 & {2{~last}}", "requested_way_vc0", 2, "escapes"),
        # A head enters a virtual channel of class 0 that is not empty.
        slow(
            "",
            "opens({credits_R_vc1_room, credits_R_vc0_all_free})",
            "opens({credits_R_vc1_room, credits_R_vc0_room})",
            1,
            "grants",
        ),
    ],
)
def test_a_fault_of_a_choice_is_found(module, before, after, places, breaks):
    place = f"router_R_D.{module}".rstrip(".")
    broken = changing(before, after, place, places)
    found = router_outcomes(WAYS_NET, only={breaks}, break_it=broken)
    result, reason = found[breaks]
    assert (result, reason[:14]) == (FAILED, "counterexample")


SHARING_NET = "mesh x=2 y=1 classes=2 data_width=8 buffer_depth=4"
WEIGHTED = f"{SHARING_NET} arbitration=weighted class_weights=2,1"


@pytest.mark.slow
def test_a_link_is_one_class_s():
    found = router_outcomes(SHARING_NET, only=["sharing"])
    assert found == dict.fromkeys(found, (PROVEN, ""))
    assert {f"class{number}.sharing" for number in range(2)} <= found.keys()


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        SHARING_NET,
        f"{SHARING_NET} pipeline=3 nodes_per_router=2",
        f"{WEIGHTED} class_limits=1/2,1/4",
        "mesh x=2 y=2 classes=3 data_width=8 buffer_depth=4",
        "wk w=2 levels=1 classes=2 data_width=8 buffer_depth=2",
        "hypercube n=1 classes=2 multicast=yes data_width=8 buffer_depth=4",
        "mesh x=2 y=2 classes=2 routing=shortest data_width=8 buffer_depth=4",
    ],
)
def test_routers_with_classes_are_proven(words):
    network, kind, verilog = largest_router(words)
    found = {one.name: (one.result, one.reason) for one in prove_router(network, kind, verilog)}
    assert found == dict.fromkeys(found, (PROVEN, ""))
    for number in range(network.traffic_classes):
        names = {name.partition(".")[2] for name in found if name.startswith(f"class{number}.")}
        assert {"sharing", "crossing", "wormhole", "progress", "assertions"} <= names


@pytest.mark.fault
@pytest.mark.slow
@pytest.mark.parametrize(
    ("instead", "failing"),
    [
        ("assign classes_R_open = 2'd3;", "class0.sharing"),
        ("assign classes_R_open = {~classes_R_requests[0], 1'b1};", "class1.sharing"),
    ],
)
def test_a_link_that_opens_to_the_wrong_class_is_found(instead, failing):
    place = r"assign classes_R_open = \{1'b1, ~classes_R_requests\[1\]\};"
    broken = changing_module("router_R", place, instead)
    found = router_outcomes(SHARING_NET, only=["sharing"], break_it=broken)
    assert found[failing][0] == FAILED


PROBES_NET = "hypercube n=1 data_width=8 buffer_depth=2 virtual_channels=2 pipeline=2 watchdog=16"
ESCAPES = "routing=spr vc_scheme=escape data_width=8 buffer_depth=2 pipeline=2 watchdog=9"


@pytest.mark.parametrize(
    "words",
    [
        PROBES_NET,
        slow("mesh x=2 y=2 data_width=8 buffer_depth=2 pipeline=3 counters=yes"),
        slow("mesh x=2 y=1 data_width=40 buffer_depth=2 pipeline=2 parity=yes counters=yes"),
        slow(f"moebius n=2 {ESCAPES}"),
        slow("wk w=2 levels=2 data_width=8 buffer_depth=2 pipeline=2 counters=yes"),
    ],
)
def test_what_a_router_shows_is_proven(words):
    found = router_outcomes(words, only={"probes"})
    assert {*found.values()} == {(PROVEN, "")}


@pytest.mark.fault
@pytest.mark.parametrize("probe", ["flits", slow("waits"), slow("wants")])
def test_a_router_that_shows_nothing_is_found(probe):
    assert finds(PROBES_NET, f"assign probe_{probe} =", f"assign probe_{probe} = 4'd0 &", "probes")
