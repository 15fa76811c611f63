import numpy as np
import pytest
from knotwork_sim.search.graphs import circulant, first_steps, links_of, orbits, paired


def test_a_circulant_links_every_step_both_ways():
    assert circulant(7, (1, 3))[2].tolist() == [3, 5, 1, 6]
    assert circulant(6, (1, 3))[4].tolist() == [5, 1, 3]


@pytest.mark.parametrize(("nodes", "degree"), [(2, 1), (8, 7), (9, 4), (10, 3), (12, 2)])
def test_first_steps_give_the_degree(nodes, degree):
    table = circulant(nodes, first_steps(nodes, degree))
    assert all(len({*row} - {here}) == degree for here, row in enumerate(table.tolist()))


def test_links_are_in_rising_order():
    assert links_of(circulant(4, (1,))).tolist() == [[0, 1], [0, 3], [1, 2], [2, 3]]


@pytest.mark.parametrize("degree", [2, 3, 4, 5, 7])
def test_rotations_by_two_map_pairs_onto_each_other(degree):
    table = paired(20, degree)
    links = {tuple(link) for link in links_of(table).tolist()}
    assert len(links) == 10 * degree
    assert {tuple(sorted((end + 2) % 20 for end in link)) for link in links} == links
    assert len(orbits(table, 2).links) * 10 == len(links)


def test_every_link_is_an_orbit_where_nothing_rotates():
    found = orbits(circulant(9, (1, 2)), 9)
    assert len(found.links) == 18
    assert found.numbers == 36
    assert sorted(found.channels.ravel()) == list(range(36))


def test_links_to_the_router_opposite_are_short_orbits():
    found = orbits(circulant(12, (1, 6)), 3)  # four rotations: i to i + 6 and back
    assert found.links.tolist() == [[0, 1], [0, 11], [1, 2]]
    assert found.numbers == 2 * (3 + 3)
    assert np.unique(found.channels[:, 1]).tolist() == [6, 8, 10]
