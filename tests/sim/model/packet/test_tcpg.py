"""Torus-connected Petersen graphs and comparable networks, in the model and in the Verilog."""

import pytest
from helpers.broadcasts import assert_arrivals, cycles_of, one_by_one
from knotwork import Mesh, Network, Petersen, Rp, Tcpg, Torus
from knotwork.topology import metrics
from knotwork_sim.check.score import score
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

SMALL = {"buffer_depth": 4, "data_width": 16}
TCPG11 = Network(Tcpg(k=1, m=1), **SMALL)
CREDITS = Network(Tcpg(k=1, m=1), pipeline=2, **SMALL)


@pytest.mark.parametrize(("k", "m"), [(k, m) for k in (1, 2, 3) for m in (1, 2, 3)])
def test_every_source_reaches_each_node_at_its_distance_on_the_model(k, m):
    network = Network(Tcpg(k=k, m=m), buffer_depth=2)
    packets = one_by_one(network)
    steps = metrics.distances(network.topology.neighbours)
    assert steps.max() == k + m + 2
    record = run_model(network, Traffic(), packets)
    assert_arrivals(network, packets, record, cycles_of(network, steps))


@pytest.mark.slow
@pytest.mark.timeout(2400)  # 160 routers: eight minutes of CPU, most of it Verilator and C++
@pytest.mark.parametrize(
    "network",
    [
        TCPG11,
        Network(Tcpg(k=2, m=2)),
        Network(Tcpg(k=2, m=3), broadcast="address", **SMALL),
        CREDITS,
    ],
    ids=lambda network: network.name,
)
def test_every_source_in_the_verilog(equal, network):
    packets = one_by_one(network)
    _, record = equal(network, packets)
    distances = metrics.distances(network.topology.neighbours)
    assert_arrivals(network, packets, record, cycles_of(network, distances))
    equal(network, rate=0.4, packets=2000, broadcast_share=0.05, length=(1, 4), stall=0.1)


def test_broadcasts_amid_unicasts_on_the_model(judged):
    for seed in range(10):
        keys = {"rate": 0.6, "packets": 400, "length": (1, 4), "stall": 0.2}
        judged(TCPG11, broadcast_share=0.1, seed=seed, **keys)
        judged(CREDITS, broadcast_share=0.1, seed=seed, **keys)


RIVALS = [
    Network(Torus(x=8, y=8)),
    Network(Mesh(x=8, y=8)),
    Network(Rp(k=8)),
    Network(Petersen()),
]


@pytest.mark.parametrize("network", RIVALS, ids=lambda network: network.name)
def test_rivals_lose_nothing_on_the_model(network):
    traffic = Traffic(rate=0.4, packets=20_000)
    packets = make_packets(network, traffic)
    result = score(network, packets, run_model(network, traffic, packets))
    assert (result.delivered, result.lost, result.duplicated, result.misrouted) == (20_000, 0, 0, 0)


@pytest.mark.parametrize(
    "topology",
    [Torus(x=2, y=2), Torus(x=2, y=5), Torus(x=5, y=3), Rp(k=1), Rp(k=2), Rp(k=5)],
    ids=lambda topology: topology.instance_name,
)
def test_rings_of_two_and_odd_rings_on_the_model(judged, topology):
    judged(Network(topology, **SMALL), rate=0.8, packets=1000, length=(1, 6), stall=0.2)


@pytest.mark.parametrize(
    "network",
    [
        Network(Petersen(), **SMALL),
        pytest.param(Network(Torus(x=2, y=3), **SMALL), marks=pytest.mark.slow),
        pytest.param(Network(Mesh(x=3, y=2), pipeline=2, **SMALL), marks=pytest.mark.slow),
        pytest.param(Network(Torus(x=4, y=3), **SMALL), marks=pytest.mark.slow),
        pytest.param(Network(Rp(k=3), **SMALL), marks=pytest.mark.slow),
    ],
    ids=lambda network: network.name,
)
def test_rivals_in_the_verilog(equal, network):
    equal(network, rate=0.5, packets=2000, length=(1, 6), bubble=0.1, stall=0.2)
