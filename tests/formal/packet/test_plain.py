"""Plain routers: that all their properties are proven, and that faults are found."""

import pytest
from helpers.cases import slow
from helpers.proven import finds, largest_router, require_proven, router_outcomes
from knotwork.formal import router_properties

SMALL = "hypercube n=1 data_width=8 buffer_depth=2 pipeline=1"
INPUT, OUTPUT = "router.input_local", "router.output_local"


@pytest.mark.parametrize(
    "words",
    [
        SMALL,
        slow("mesh x=2 y=2 data_width=8 buffer_depth=2 pipeline=1"),
        slow("mesh x=2 y=2 nodes_per_router=2 data_width=8 buffer_depth=2 pipeline=1"),
        slow("mesh x=3 y=3 routing=updown data_width=8 buffer_depth=4 pipeline=1"),
        slow("mesh x=3 y=3 pipeline=1"),
        slow("hypercube n=4 buffer_depth=4 pipeline=1"),
    ],
)
def test_a_plain_router_is_proven(words):
    require_proven(*largest_router(words))


@pytest.mark.fault
@pytest.mark.parametrize(
    ("before", "after", "name", "module"),
    [
        # An output is given on before the tail of its packet; or taken from it.
        ("held <= ~(ready & last)", "held <= 1'h0", "ownership", OUTPUT),
        ("held ? request & served : request", "request", "wormhole", OUTPUT),
        # A buffer takes a flit without room; or it gives another one than the oldest.
        ("assign i_ready = ~full;", "assign i_ready = 1'h1;", "buffers", f"{INPUT}.buffer"),
        slow(
            "full ? back : i_payload;", "full ? i_payload : back;", "order_local", f"{INPUT}.buffer"
        ),
        # Round robin always begins with the same.
        slow("served <= grant", "served <= served", "progress", OUTPUT),
    ],
)
def test_a_fault_is_found(before, after, name, module):
    assert finds(SMALL, before, after, name, module=module)


def test_the_properties_are_those_of_a_plain_router():
    network, kind, _ = largest_router(SMALL)
    names = [one.name for one in router_properties(network, kind)]
    assert names == [
        *("route", "injection", "buffers", "grants", "order_local", "order_dim0", "ownership"),
        *("crossing", "wormhole", "streams", "assertions", "progress"),
    ]
    assert set(router_outcomes(SMALL, only={"grants"})) == {"grants"}
