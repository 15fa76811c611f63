import time
from functools import partial

import pytest
from knotwork import Hypercube, Mesh, Network, Torus
from knotwork.estimates.networks import (
    check_work,
    compare_work,
    cost_work,
    dependence_graph_work,
    describe_work,
    draw_work,
    export_work,
    generate_work,
    schedule_work,
    table_work,
    verify_work,
)
from knotwork.estimates.work import DEFAULT_SECONDS, Work

ESTIMATES = {
    "check": check_work,
    "check --graphml": dependence_graph_work,
    "generate": generate_work,
    "verify": partial(verify_work, every=False),
    "describe": partial(describe_work, with_walks=True),
    "describe --cost": cost_work,
    "compare": compare_work,
    "table": table_work,
    "export": partial(export_work, files=2),
    "draw": draw_work,
    "schedule": schedule_work,
}


@pytest.mark.parametrize("verb", ESTIMATES)
def test_larger_networks_take_more_and_are_estimated_at_once(verb):
    began = time.process_time()
    network = Network(Hypercube(n=20))
    large, small = ESTIMATES[verb](network), ESTIMATES[verb](Network(Hypercube(n=4)))
    assert time.process_time() - began < 2
    assert large.memory >= small.memory > 0
    assert large.seconds > 0
    assert small.seconds > 0
    assert "neighbours" not in vars(network.topology)


def test_a_million_routers_are_beyond_the_default_limit():
    work = generate_work(Network(Hypercube(n=20)))
    assert work.seconds > DEFAULT_SECONDS
    assert work.memory > 8e9  # what it had taken when it was stopped


@pytest.mark.parametrize(
    "network", [Network(Hypercube(n=4)), Network(Torus(x=8, y=8)), Network(Hypercube(n=14))]
)
def test_ordinary_networks_are_within_the_default_limit(network):
    assert generate_work(network).seconds < DEFAULT_SECONDS
    assert generate_work(network).memory < 1e9


@pytest.mark.parametrize(
    ("estimate", "network", "seconds"),  # of a core, measured: the whole command
    [
        (check_work, Network(Hypercube(n=12)), 2.7),
        (check_work, Network(Hypercube(n=20)), 0.9),
        (check_work, Network(Torus(x=64, y=64)), 3.1),
        (dependence_graph_work, Network(Hypercube(n=12)), 7.0),
        (dependence_graph_work, Network(Torus(x=64, y=64)), 3.9),
        (generate_work, Network(Hypercube(n=6)), 2.4),
        (generate_work, Network(Hypercube(n=12)), 7.5),
        (generate_work, Network(Torus(x=8, y=8)), 6.7),
        (generate_work, Network.from_word("ccc:n=6"), 3.5),
        (generate_work, Network.from_word("lcan:d=2,u=2,levels=6"), 0.9),
        (generate_work, Network.from_word("tcpg:k=2,m=2"), 20.5),
        (partial(verify_work, every=False), Network(Hypercube(n=2)), 37.7),
        (partial(verify_work, every=False), Network(Mesh(x=3, y=3)), 93.0),
        (
            partial(verify_work, every=False),
            Network.from_word("hypercube:n=1,virtual_channels=2,buffer_depth=4,pipeline=2"),
            17.5,
        ),
        (table_work, Network(Hypercube(n=12)), 8.1),
        (partial(export_work, files=2), Network(Hypercube(n=14)), 1.6),
        (draw_work, Network(Hypercube(n=10)), 6.1),
    ],
)
def test_estimates_are_within_a_factor_of_three_of_what_was_measured(estimate, network, seconds):
    assert 1 / 3 < estimate(network).seconds / seconds < 3


def test_all_kinds_take_longer_to_prove_than_one():
    mesh = Network(Mesh(x=3, y=3))
    one, every = (verify_work(mesh, every=every).seconds for every in (False, True))
    assert every > 2 * one


def test_settled_networks_need_no_walk():
    assert check_work(Network.from_word("lcan:d=2,u=2,levels=8")) == Work(0.3, 60e6)
