import rustworkx as rx
from knotwork.topology import Cm5, Lcan


def components(topology, levels):
    """Connected parts of some levels, as sorted numbers of switches a level."""
    graph = rx.PyGraph()
    graph.add_nodes_from(range(topology.routers))
    for router, row in enumerate(topology.neighbours):
        for far in row[row >= 0].tolist():
            if topology.level_of(router) in levels and topology.level_of(far) in levels:
                graph.add_edge(router, far, None)
    parts = [
        part for part in rx.connected_components(graph) if topology.level_of(min(part)) in levels
    ]
    return [
        tuple(sum(topology.level_of(router) == level for router in part) for level in levels)
        for part in parts
    ]


def test_cm5_of_a_thousand_and_twenty_four():  # section 4
    cm5 = Cm5(levels=5)
    assert cm5.nodes == 1024
    assert cm5.u == (2, 2, 4, 4, 4)
    assert cm5.level_sizes == (256, 128, 64, 64, 64)
    assert cm5.capacities == (2, 4, 16, 64, 256)
    block, upper = Lcan(d=4, u=2, levels=2), Lcan(d=4, u=4, levels=3)
    assert components(cm5, (0, 1)) == [block.level_sizes] * 64
    assert sum(block.level_sizes) == 6
    assert components(cm5, (2, 3, 4)) == [upper.level_sizes] * 4
    assert sum(upper.level_sizes) == 48


def test_uppers_of_ones_own(answer):
    facts = answer("describe cm5 levels=3 u=2,4,4")
    assert facts["parameters"]["u"] == [2, 4, 4]
    assert facts["level_sizes"] == [16, 8, 8]
    assert answer("describe cm5 levels=3")["parameters"]["u"] == [2, 2, 4]
    assert Cm5(levels=2).instance_name == "cm5_levels2_u2_2"
