"""Packet routers: that all their properties are proven."""

import pytest
from helpers.proven import largest_router, router_outcomes
from knotwork.formal import PROVEN, prove_router, router_properties


@pytest.mark.parametrize(
    "words",
    [
        pytest.param("mesh x=2 y=2 data_width=8 buffer_depth=2", marks=pytest.mark.slow),
        "hypercube n=1 data_width=8 buffer_depth=2 pipeline=2",
    ],
)
def test_a_router_is_proven(words):
    network, kind, verilog = largest_router(words)
    found = list(prove_router(network, kind, verilog))
    assert [one.name for one in found] == [one.name for one in router_properties(network, kind)]
    assert {one.name: (one.result, one.reason) for one in found} == {
        one.name: (PROVEN, "") for one in found
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "mesh x=3 y=3",
        "wk w=3 levels=2 data_width=8 buffer_depth=2 broadcast=no",
        "hypercube n=4 buffer_depth=4",
        "torus x=4 y=4 data_width=8 buffer_depth=2",
        "mesh x=2 y=2 data_width=8 buffer_depth=2 virtual_channels=2",
        "hypercube n=3 buffer_depth=3 pipeline=2",
        "mesh x=4 y=4 buffer_depth=2 pipeline=2",
    ],
)
def test_larger_routers_are_proven(words):
    found = router_outcomes(words)
    assert found == dict.fromkeys(found, (PROVEN, ""))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "words",
    [
        "wk w=2 levels=2 data_width=8 buffer_depth=2",
        "wk w=2 levels=2 data_width=8 buffer_depth=2 max_packet=1",
        "wk w=2 levels=2 data_width=8 buffer_depth=3",
        "wk w=3 levels=2 data_width=8 buffer_depth=4 broadcast=mask",
        "wk w=3 levels=2 data_width=8 buffer_depth=4 broadcast=address",
        "wk w=2 levels=3 data_width=8 buffer_depth=2 broadcast=stack",
        "tcpg k=1 m=1 data_width=8 buffer_depth=2",
    ],
)
def test_routers_where_packets_branch_are_proven(words):
    # Buffers of at most 4 flits: of the default, 16 flits, no solver has come to an answer so far.
    found = router_outcomes(words)
    assert found == dict.fromkeys(found, (PROVEN, ""))
