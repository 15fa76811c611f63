"""Networks with classes of traffic."""

import pickle

import numpy as np
import pytest
from knotwork import Mesh, Moebius, Network, Torus, with_classes, with_nodes, without
from knotwork.errors import ConfigurationError
from knotwork.own.links import LinkCheck
from knotwork.own.names import NameCheck, SizeCheck


@pytest.mark.parametrize(
    ("whole", "count"),
    [(Mesh(x=3, y=2), 2), (Torus(x=3, y=3, directions="one"), 3), (Moebius(n=3), 8)],
)
def test_is_a_sound_topology_with_a_stream_of_each_class_at_each_router(whole, count):
    topology = with_classes(whole, count)
    for check in (SizeCheck, LinkCheck, NameCheck):
        check(topology).run()
    assert topology.traffic_classes == count
    assert topology.local_nodes.tolist() == [
        [whole.nodes * number + router for number in range(count)]
        for router in range(whole.routers)
    ]
    assert topology.average_distance == whole.average_distance
    assert topology.diameter == whole.diameter
    assert topology.distance_counts.tolist() == (whole.distance_counts * count).tolist()
    assert len(np.unique(topology.node_layout(), axis=0)) == topology.nodes
    places = topology.node_layout().reshape(count, -1, 2).mean(axis=0)
    assert places == pytest.approx(whole.layout())


def test_streams_send_within_their_class():
    topology = with_classes(Mesh(x=2, y=2), 3)
    assert [list(side) for side in topology.sides] == [
        [0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11],
    ]  # fmt: skip
    for source in range(12):
        assert list(topology.receivers(source)) == [
            node for node in range(12) if topology.may_send(source, node)
        ]
        assert source in topology.receivers(source)


def test_is_called_by_the_whole_network_and_the_class():
    topology = with_classes(Mesh(x=4, y=3), 3)
    assert topology.ports == ("local0", "local1", "local2", "L", "R", "U", "D")
    assert (topology.router_of(17), topology.node_port(17)) == (5, 1)
    assert topology.address(17) == 5 << 2 | 1
    assert [topology.node_at(code) for code in (5 << 2 | 1, 5 << 2 | 3, 12 << 2)] == [
        17, None, None,
    ]  # fmt: skip
    assert (topology.label(17), topology.router_label(5)) == ("1.1.1", "1.1")
    assert topology.instance_name == "mesh_x4_y3_classes3"
    assert topology.as_dict() == {"x": 4, "y": 3, "classes": 3}
    assert repr(topology) == "with_classes(Mesh(x=4, y=3, z=1), 3)"
    assert pickle.loads(pickle.dumps(topology)) == topology


def test_with_one_it_is_the_network_itself():
    whole = Mesh(x=3, y=2)
    assert with_classes(whole, "1") is whole
    one, plain = (Network.from_word(f"mesh:x=3,y=2{rest}") for rest in (",classes=1", ""))
    assert (one.name, one.parameters) == (plain.name, plain.parameters)


@pytest.mark.parametrize("count", [0, 9, "two", None, 1.5])
def test_refuses_another_number(count):
    with pytest.raises(ConfigurationError) as refused:
        with_classes(Mesh(x=3, y=2), count)
    assert str(refused.value) == f"mesh: classes must be an integer in 1..8, not {count}"


def test_refuses_routers_of_several_nodes_and_takes_survivors():
    with pytest.raises(ConfigurationError) as refused:
        with_classes(with_nodes(Mesh(x=3, y=2), 2), 2)
    assert str(refused.value) == (
        "mesh: classes must be 1 in a network whose routers serve several nodes, or none, not 2"
    )
    assert with_classes(without(Mesh(x=3, y=2), "0"), 2).nodes == 10
