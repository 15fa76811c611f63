"""Routers that serve several nodes decide by the gates of a node per router."""

import numpy as np
import pytest
from helpers.wide import run_fabric
from knotwork import Network
from knotwork.gateware.parts.factors import FactorRoute
from knotwork.gateware.parts.network_routes import route_computation
from knotwork.gateware.parts.served_route import ServedRoute
from knotwork.gateware.parts.table_route import TableRoute
from knotwork_sim.check.score import mismatches, score
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

SLOW = (
    "hypercube:n=2,nodes_per_router=3,virtual_channels=2,buffer_depth=2",
    "moebius:n=3,routing=spr,nodes_per_router=2,buffer_depth=2",
    "ccc:n=3,nodes_per_router=2,buffer_depth=4,pipeline=2",
    "wk:w=3,levels=1,nodes_per_router=2,broadcast=no,buffer_depth=2",
    "petersen:nodes_per_router=2,buffer_depth=2",
    "torus:x=3,y=2,directions=one,nodes_per_router=2,buffer_depth=2",
    "mesh:x=2,y=2,nodes_per_router=2,dead=3,buffer_depth=2",
)


@pytest.mark.parametrize(
    "word",
    [
        "mesh:x=2,y=2,nodes_per_router=2,buffer_depth=2",
        "mesh:x=3,y=1,nodes_per_router=3,buffer_depth=4,pipeline=2",
        *(pytest.param(word, marks=pytest.mark.slow) for word in SLOW),
    ],
)
def test_does_what_the_golden_model_does_in_the_same_clock(word):
    network = Network.from_word(f"{word},data_width=8")
    count = 6 * network.topology.nodes
    traffic = Traffic(rate=0.6, packets=count, length=(1, 6), bubble=0.2, stall=0.3, seed=3)
    packets = make_packets(network, traffic)
    hardware, model = run_fabric(network, traffic, packets), run_model(network, traffic, packets)
    assert mismatches(hardware, model) == 0
    assert np.array_equal(hardware.rows(), model.rows())
    assert score(network, packets, hardware).delivered == count


def test_whose_gates_they_are():
    gates = route_computation(Network.from_word("mesh:x=3,y=3,nodes_per_router=2"))
    assert issubclass(gates, ServedRoute)
    assert gates.gates is FactorRoute
    for word in ("mesh:x=3,y=3,nodes_per_router=2,routing=updown", "mesh:x=3,y=3,routing=updown"):
        assert route_computation(Network.from_word(word)) is TableRoute
