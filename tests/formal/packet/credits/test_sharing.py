"""Links that classes of traffic share: what is proven of them, and faults that the proofs find."""

import pytest
from helpers.proven import changing_module, largest_router, router_outcomes
from knotwork.formal import FAILED, PROVEN, prove_router

NET = "mesh x=2 y=1 classes=2 data_width=8 buffer_depth=4"
WEIGHTED = f"{NET} arbitration=weighted class_weights=2,1"


@pytest.mark.slow
def test_a_link_is_one_class_s():
    found = router_outcomes(NET, only=["sharing"])
    assert found == dict.fromkeys(found, (PROVEN, ""))
    assert {f"class{number}.sharing" for number in range(2)} <= found.keys()


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        NET,
        f"{NET} pipeline=3 nodes_per_router=2",
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("instead", "failing"),
    [
        ("assign open = 2'd3;", "class0.sharing"),
        ("assign open = {~asks[0], 1'b1};", "class1.sharing"),
    ],
)
def test_a_link_that_opens_to_the_wrong_class_is_found(instead, failing):
    place = r"assign open = \{1'b1, ~asks\[1\]\};"
    broken = changing_module("router_R_classes_R", place, instead)
    found = router_outcomes(NET, only=["sharing"], break_it=broken)
    assert found[failing][0] == FAILED
