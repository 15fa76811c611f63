import numpy as np
import pytest
import rustworkx
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.topology import metrics
from knotwork.topology.addressed_graph import joined_ports
from knotwork_sim.search.figures import channel_numbers
from knotwork_sim.search.graphs import circulant, first_steps, links_of
from knotwork_sim.search.improve import EVERYWHERE, Aim, Walker, mixed
from knotwork_sim.search.walks import FAR, hops, spread


def walked(table, sources, limit=np.inf):
    bits = np.zeros((2, len(table), -(-sources // 64)), np.uint64)
    return hops(table, sources, *bits, limit)


def loads_of(table, rates=EVERYWHERE):
    nodes, channels = len(table), channel_numbers(table, joined_ports(table))
    loads = np.zeros(table.size)
    rooms, room = np.zeros((2, nodes), np.int32), np.zeros((2, nodes))
    total = spread(table, channels, nodes, rates, loads, *rooms, *room)
    return total, loads, channels


@st.composite
def graphs(draw):
    nodes, degree = draw(st.integers(4, 70)), draw(st.integers(2, 5))
    if degree >= nodes or nodes * degree % 2:
        degree = 2
    table = circulant(nodes, first_steps(nodes, degree))
    return mixed(table, nodes, np.random.default_rng(draw(st.integers(0, 99))))


@settings(max_examples=15, deadline=None)
@given(graphs())
def test_hops_are_those_of_another_search(table):
    counts = metrics.distance_counts(table)
    total, diameter = walked(table, len(table))
    assert total == counts @ np.arange(len(counts))
    assert diameter == len(counts) - 1
    assert walked(table, len(table), total) == (total, diameter)
    assert walked(table, len(table), total - 1) == (FAR, FAR)


@settings(max_examples=15, deadline=None)
@given(graphs())
def test_loads_are_the_betweenness_of_links(table):
    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(len(table)))
    links = links_of(table).tolist()
    graph.add_edges_from_no_data([tuple(link) for link in links])
    between = rustworkx.graph_edge_betweenness_centrality(graph, normalized=False)
    total, loads, channels = loads_of(table)
    for number, (first, second) in enumerate(links):
        port = table[first].tolist().index(second)
        channel = channels[first, port]
        # Both directions alike, and a pair of routers once each way.
        assert loads[channel] == pytest.approx(between[number])
        assert loads[channel ^ 1] == pytest.approx(between[number])
    assert total == pytest.approx(loads.sum()) == walked(table, len(table))[0]


def test_rates_load_the_path_of_their_pair_alone():
    table = circulant(5, (1,))
    rates = np.zeros((5, 5))
    rates[0, 2], rates[4, 4] = 3.0, 9.0
    total, loads, channels = loads_of(table, rates)
    assert total == 6.0
    forward = [channels[0, 0], channels[1, 0]]
    assert loads[forward].tolist() == [3.0, 3.0]
    assert loads.sum() == 6.0


def test_equal_paths_share_the_flits():
    rates = np.zeros((4, 4))
    rates[0, 2] = 1.0
    assert sorted(loads_of(circulant(4, (1,)), rates)[1]) == [0.0] * 4 + [0.5] * 4


def test_routers_that_are_not_reached_are_told():
    two = np.array([[1], [0], [3], [2]], np.int32)
    assert walked(two, 4) == (FAR, FAR)
    assert loads_of(two)[0] == FAR


@pytest.mark.parametrize("is_load", [False, True])
def test_a_symmetric_graph_is_walked_from_its_base_alone(is_load):
    table = circulant(24, (1, 5))
    costs = [Walker(table, base, Aim(is_load)).cost for base in (1, 4, 12, 24)]
    scale = [1.0] * 4 if is_load else [24.0, 6.0, 2.0, 1.0]
    assert np.array(costs) * scale == pytest.approx(costs[-1])
