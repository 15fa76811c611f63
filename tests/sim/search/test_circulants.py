from itertools import combinations

import numpy as np
import pytest
from knotwork_sim.search import circulants
from knotwork_sim.search.circulants import best_steps
from knotwork_sim.search.figures import figures
from knotwork_sim.search.graphs import circulant
from knotwork_sim.search.improve import EVERYWHERE, Aim

HOPS = Aim(is_load=False)


def found(nodes, degree, aim=HOPS):
    steps = best_steps(nodes, degree, aim, np.random.default_rng(1))
    return steps, figures(circulant(nodes, steps), aim.rates)


@pytest.mark.parametrize("diameter", range(1, 8))
def test_degree_4_has_the_optimum_of_the_formula(diameter):
    """As many routers as steps can reach, 4k of them k hops away."""
    nodes = 2 * diameter * (diameter + 1) + 1
    _, best = found(nodes, 4)
    total = 2 * diameter * (diameter + 1) * (2 * diameter + 1) / 3
    assert best.diameter == diameter
    assert best.average_distance == pytest.approx(total / (nodes - 1))


def unlike(nodes):
    """Rates of nodes that send most to the fifth from each."""
    rates = np.full((nodes, nodes), 0.001)
    rates[np.arange(nodes), (np.arange(nodes) + 5) % nodes] = 1.0
    return rates * nodes / rates.sum()


@pytest.mark.parametrize(("nodes", "degree"), [(16, 3), (18, 4), (20, 5), (21, 6)])
@pytest.mark.parametrize("is_load", [False, True])
@pytest.mark.parametrize("is_uniform", [False, True])
def test_no_other_set_of_steps_is_better(nodes, degree, is_load, is_uniform):
    half = (nodes // 2,) if degree % 2 else ()
    aim = Aim(is_load, EVERYWHERE if is_uniform else unlike(nodes))
    which = "fullest_channel" if is_load else "average_distance"
    every = []
    for steps in combinations(range(1, (nodes - 1) // 2 + 1), degree // 2):
        if np.gcd.reduce([nodes, *steps, *half]) == 1:
            every.append(getattr(figures(circulant(nodes, steps + half), aim.rates), which))
    assert getattr(found(nodes, degree, aim)[1], which) == pytest.approx(min(every))


def test_rates_choose_the_steps():
    steps, best = found(14, 4, Aim(False, unlike(14)))
    assert 5 in steps
    assert best.average_distance < 1.1


def test_a_local_search_takes_over_where_sets_are_many(monkeypatch):
    all_of_them = found(61, 4)
    monkeypatch.setattr(circulants, "WALKED", 61 * 4 * 300)  # of 435 sets
    steps, best = found(61, 4)
    assert list(steps) == sorted(steps)
    assert best.average_distance == pytest.approx(all_of_them[1].average_distance)


def test_the_least_graphs_have_their_only_steps():
    assert found(2, 1)[0] == (1,)
    assert found(3, 2)[0] == (1,)
    assert found(6, 5)[0] == (1, 2, 3)
