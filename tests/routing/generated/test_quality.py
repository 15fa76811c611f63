"""How good routings are: of known networks, and of a hundred irregular graphs."""

import numpy as np
import pytest
from helpers.digraphs import hundred_graphs
from knotwork import Mesh, Moebius, Network, Torus
from knotwork.routing.generated.bounds import least_classes, load_bound
from knotwork.routing.generated.quality import (
    BOUND_LIMIT,
    node_distances,
    routing_quality,
    uniform_bound,
)
from knotwork.routing.generated.tables import all_paths, link_load, uniform_flits


def quality(topology, **keys):
    network = Network(topology, **keys)
    return routing_quality(network.routing, node_distances(topology), uniform_bound(topology))


def test_quality_of_a_mesh_and_a_torus():
    mesh = quality(Mesh(x=4, y=4))
    assert (mesh.mean_stretch, mesh.max_stretch, mesh.table_entries) == (1.0, 1.0, None)
    assert mesh.fullest_link == pytest.approx(16 / 15)
    assert mesh.fullest_link_bound == pytest.approx(16 / 15, abs=1e-5)
    assert (mesh.channels, mesh.least_channels, mesh.is_least) == (1, (1, 1), True)
    torus = quality(Torus(x=5, y=5))
    assert (torus.channels, torus.least_channels, torus.is_least) == (2, (2, 2), True)


def test_quality_of_tables():
    updown = quality(Torus(x=4, y=4), routing="updown")
    assert updown.table_entries >= 16 * 15
    assert updown.is_least
    cut = quality(Torus(x=5, y=5), virtual_channels=1)
    assert (cut.channels, cut.least_channels, cut.is_least) == (1, (2, 1), None)


def test_what_nobody_knows_is_none():
    assert uniform_bound(Mesh(x=BOUND_LIMIT + 1, y=2)) is None
    approximate = quality(Moebius(n=3), routing="approx_spr")
    assert (approximate.fullest_link, approximate.least_channels) == (None, None)
    assert approximate.is_least is None


@pytest.mark.slow
def test_balanced_is_near_the_bound_with_the_fewest_channels():
    shares, proven = [], []
    for name, topology in hundred_graphs():
        network = Network(topology, routing="balanced")
        assert network.deadlock_report.deadlock_free
        routing, bound = network.routing, load_bound(topology, uniform_flits(topology))
        each = np.full((1, 1), 1 / (topology.nodes - 1))
        fullest = link_load(routing, each).max()
        least = least_classes(all_paths(routing), routing.classes)
        shares.append(fullest / bound.load)
        proven.append(least.low == routing.classes)
        print(f"{name:12} ratio {shares[-1]:.4f} proven least {proven[-1]}", flush=True)
    assert max(shares) <= 1.05
    assert sum(proven) >= 80
