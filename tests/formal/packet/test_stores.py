"""Stores of multicast units: their proofs, and faults that these find."""

import pytest
from helpers.cases import slow
from helpers.proven import changing, largest_router
from knotwork.formal import FAILED, PROVEN, prove_part
from knotwork.formal.packet.stores import store_parts

NET = "hypercube n=2 multicast=yes data_width=8 buffer_depth=4 pipeline=2"

DEEPER = "moebius n=2 multicast=yes data_width=8 buffer_depth=8 pipeline=2"
"""A packet that fits has room for more addresses than there are nodes."""
LARGER = NET.replace("n=2", "n=3")


def outcomes(words, store, change=lambda text: text):
    """Result and reason of each property of a store: 0 of a node's own packets, 1 of a class."""
    network, _, verilog = largest_router(words)
    found = prove_part(network, store_parts(network)[store], change(verilog))
    return {one.name: (one.result, one.reason) for one in found}


@pytest.mark.parametrize(
    ("words", "store"),
    [
        (NET, 0),
        slow(DEEPER, 0),
        slow(DEEPER, 1),
        slow(NET, 1),
        slow(NET.replace(" pipeline=2", ""), 1),
        slow(f"{NET} max_packet=3", 0),
        slow(f"{LARGER} max_packet=8", 0),
        slow(f"{LARGER} max_packet=8", 1),
    ],
)
def test_a_store_is_proven(words, store):
    assert outcomes(words, store) == dict.fromkeys(["reset", "copies", "words"], (PROVEN, ""))


def test_stores_of_all_classes_are_one_module():
    """Multicasts of three hops arrive in classes 1 and 2."""
    network, kind, verilog = largest_router(f"{LARGER} max_packet=8")
    assert network.routing.classes == 3
    assert [part.name for part in store_parts(network)] == [
        f"{kind.name}_store_source",
        f"{kind.name}_store",
    ]
    assert verilog.count(f"  {kind.name}_store store_") == 2


@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        # A copy goes to the first node of the chain, not to the one in the middle.
        ("2'b01 ? left[2:1] :", "2'b01 ? 2'b00 :", "copies"),
        # The half of the chain that was sent is kept, too.
        slow("left <= {1'b0, left[2:1]};", "left <= left;", "copies"),
        # A copy's packets go in a class too high, where stores can wait for each other.
        slow("vc_class <= rest[0] & ~rest[1];", "vc_class <= 1'b1;", "copies"),
        # The node gets the chain, too.
        slow(
            "place <= total; fsm_state <= 2'b11;", "place <= 3'b000; fsm_state <= 2'b11;", "copies"
        ),
        # A flit is written beside its place.
        slow("memory_write_address = flits[1:0];", "memory_write_address = ~flits[1:0];", "words"),
    ],
)
def test_a_fault_of_a_store_is_found(before, after, breaks):
    change = changing(before, after, "router.node_interface.store_1")
    result, reason = outcomes(NET, 1, change)[breaks]
    assert (result, reason.startswith("counterexample: stores.py:")) == (FAILED, True)
