import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork_sim.search.graphs import links_of, orbits, paired
from knotwork_sim.search.improve import EVERYWHERE, Aim, Walker


def require_sound(walker, degree):
    """Regular, without loops and double links, both ways alike, mapped onto itself."""
    table, nodes = walker.neighbours, len(walker.neighbours)
    links = {tuple(link) for link in links_of(table).tolist()}
    assert len(links) == nodes * degree // 2
    assert not (table == np.arange(nodes)[:, None]).any()
    assert all(len(set(row)) == degree for row in table.tolist())
    assert all(here in table[there] for here in range(nodes) for there in table[here])
    turned = {tuple(sorted((end + walker.base) % nodes for end in link)) for link in links}
    assert turned == links


def require_numbered(walker):
    """Opposite channels differ in bit 0, those of an orbit are alike, others not."""
    fresh = orbits(walker.neighbours, walker.base)
    pairs = {
        (fresh.channels[place], walker.channels[place])
        for place in np.ndindex(fresh.channels.shape)
    }
    assert len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([(12, 3, 12), (12, 4, 4), (24, 3, 4), (24, 5, 24), (36, 4, 6), (20, 4, 5)]),
    st.booleans(),
    st.integers(0, 1000),
)
def test_swaps_keep_the_degree_and_the_rotations(shape, is_load, seed):
    nodes, degree, base = shape
    walker = Walker(paired(nodes, degree), base, Aim(is_load))
    walker.swap(np.random.default_rng(seed), np.full(60, np.inf))
    require_sound(walker, degree)
    require_numbered(walker)
    assert walker.cost == pytest.approx(Walker(walker.neighbours, base, Aim(is_load)).cost)


def test_a_swap_is_refused_where_it_costs_too_much():
    table = paired(24, 4)
    walker = Walker(table, 24, Aim(is_load=False))
    walker.swap(np.random.default_rng(1), np.full(500, -np.inf))
    assert (walker.neighbours == table).all()
    assert (walker.best == table).all()


@pytest.mark.parametrize("aim", [Aim(False), Aim(True), Aim(False, np.ones((24, 24)))])
def test_the_best_graph_is_kept(aim):
    walker = Walker(paired(24, 4), 24, aim)
    random, costs = np.random.default_rng(1), [walker.cost]
    for _ in range(200):
        walker.swap(random, np.array([np.inf]))
        costs.append(walker.cost)
    best = Walker(walker.best, 24, aim).cost
    assert best < costs[0]
    assert best == pytest.approx(min(costs), rel=0.05 if aim.is_load else 1e-9)


def test_graphs_stay_connected():
    ring = Walker(paired(30, 2), 30, Aim(is_load=False, rates=EVERYWHERE))
    ring.swap(np.random.default_rng(1), np.full(300, np.inf))
    require_sound(ring, 2)
    seen, here = [0], int(ring.neighbours[0, 0])
    while here != 0:
        seen.append(here)
        here = next(int(near) for near in ring.neighbours[here] if near != seen[-2])
    assert sorted(seen) == list(range(30))
