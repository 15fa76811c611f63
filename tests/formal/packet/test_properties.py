"""Packet routers: that all their properties are proven."""

import pytest
from helpers.cases import slow
from helpers.faults import changing
from helpers.networks import Served
from helpers.proven import largest_router, require_proven, router_outcomes
from knotwork import Network
from knotwork.emit.modules import router_verilog
from knotwork.formal import FAILED, PROVEN, prove_router, router_properties


@pytest.mark.parametrize(
    "words",
    [
        slow("mesh x=2 y=2 data_width=8 buffer_depth=2"),
        "hypercube n=1 data_width=8 buffer_depth=2 pipeline=2",
    ],
)
def test_a_router_is_proven(words):
    require_proven(*largest_router(words))


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
        "mesh x=2 y=2 nodes_per_router=2 data_width=8 buffer_depth=2",
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


def served(nodes, pipeline):
    """Network, router that serves so many nodes, its Verilog."""
    network = Network(Served(), data_width=8, buffer_depth=4, pipeline=pipeline)
    (kind,) = [kind for kind in network.router_kinds if len(kind.node_ports) == nodes]
    return network, kind, router_verilog(network, kind)


@pytest.mark.slow
@pytest.mark.parametrize("nodes", [0, 1, 2])
@pytest.mark.parametrize("pipeline", [1, 2])
def test_routers_with_several_nodes_or_none_are_proven(nodes, pipeline):
    require_proven(*served(nodes, pipeline))


@pytest.mark.parametrize("is_broken", [False, True])
def test_the_second_node_of_a_router_sends_under_its_own_address(is_broken):
    network, kind, verilog = served(2, 1)
    chosen = [one for one in router_properties(network, kind) if one.name == "injection"]
    if is_broken:
        verilog = changing(".address(address_local1)", ".address(address_local0)")(verilog)
    (found,) = prove_router(network, kind, verilog, chosen)
    assert found.result == (FAILED if is_broken else PROVEN)
