import numpy as np
import pytest
from helpers.networks import Served
from helpers.streams import run
from helpers.wide import run_fabric
from knotwork import Graph, GraphFile, Network
from knotwork.gateware.layouts import local_signature
from knotwork.gateware.packet.node_router import NodeRouter
from knotwork_sim.model.run import run_model
from knotwork_sim.scoreboard.score import count_mismatches, score
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packets import packet_table

YARD = GraphFile.of([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], nodes=[2, 0, 3, 1], directed=False)
WAYS = GraphFile.of([(0, 1), (1, 2), (2, 0), (0, 2)], nodes=[2, 0, 3], directed=True)
TOPOLOGIES = {"served": Served(), "yard": Graph(file=YARD), "ways": Graph(file=WAYS)}
"""Routers with no node, one, two and three, and ports that only send or only receive."""


def test_has_streams_per_node_and_links_by_the_ways_and_leaves_the_rest_to_its_kinds():
    network = Network(TOPOLOGIES["ways"])
    found = []
    for number in network.router_number:
        router = NodeRouter(network, network.router_kinds[number], local_signature(network))
        assert router.kind is network.router_kinds[number]
        streams = [name for name in router.signature.members if name.startswith("inject")]
        found.append((streams, len(router.i), len(router.o)))
        with pytest.raises(NotImplementedError):
            run(router)
    assert found == [
        (["inject_local0", "inject_local1"], 1, 2),
        ([], 1, 1),
        (["inject_local0", "inject_local1", "inject_local2"], 2, 1),
    ]


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("served", {"buffer_depth": 2}),
        ("ways", {"buffer_depth": 5, "pipeline": 2, "virtual_channels": 2}),
        pytest.param("yard", {"buffer_depth": 3, "virtual_channels": 2}, marks=pytest.mark.slow),
        pytest.param("yard", {"buffer_depth": 4, "pipeline": 2}, marks=pytest.mark.slow),
    ],
)
def test_serves_several_nodes_or_none_as_the_golden_model_does(name, keys):
    network = Network(TOPOLOGIES[name], data_width=8, **keys)
    packets = 12 * network.topology.nodes
    traffic = Traffic(rate=0.6, packets=packets, length=(1, 6), bubble=0.2, stall=0.3, seed=3)
    table = make_packets(network, traffic)
    hardware, model = run_fabric(network, traffic, table), run_model(network, traffic, table)
    assert count_mismatches(hardware, model) == 0
    assert hardware.rows().tolist() == model.rows().tolist()
    assert score(network, table, hardware).delivered == packets
    assert network.deadlock_report.deadlock_free


@pytest.mark.parametrize("pipeline", [1, 2])
@pytest.mark.parametrize("name", TOPOLOGIES)
def test_all_pairs_are_delivered_in_as_many_cycles_as_the_way_has_routers(name, pipeline):
    """One packet at a time, neighbours on one router and a node with itself included."""
    network = Network(TOPOLOGIES[name], pipeline=pipeline)
    nodes = network.topology.nodes
    source, destination = np.indices((nodes, nodes)).reshape(2, -1)
    time = 20 * np.arange(nodes**2)
    table = packet_table(
        network, source=source, destination=destination, length=0 * time + 1, time=time, seed=1
    )
    record = run_model(network, Traffic(packets=nodes**2), table)
    assert record.node.tolist() == destination.tolist()
    hops = network.topology.node_distances()[source, destination]
    assert (record.clock - time == pipeline * (hops + 1)).all()
