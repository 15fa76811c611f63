"""Routings of the thesis that are there to compare with, held to its tables and examples."""

from itertools import product

import numpy as np
import pytest
from helpers.streams import refusal
from helpers.thesis_tables import MISPRINTS, printed
from knotwork import Fabric, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.topology import metrics

FIGURES = [("2.11", 0, "set_spr"), ("2.12", 1, "set_spr"), ("2.13", 0, "rsa"), ("2.14", 1, "rsa")]

OTHER_SHORTEST = {
    "2.11": set(),
    # Figure 2.11 prints the other next node for the same four pairs, though terms and links are the
    # same in both cubes there: bit 3 is 0 at both ends, and no path leaves that half.
    "2.12": {(2, 1), (3, 0), (6, 4), (7, 5)},
    "2.13": set(),
    "2.14": {(13, 4)},  # by dimension 2, though dimension 3 is on a shortest path too
}
"""Pairs whose printed next node is on a shortest path, but not on the one that is found."""


def routing(twist, name, n=4):
    return Network(Moebius(n=n, twist=twist), routing=name).routing


@pytest.mark.parametrize(("figure", "twist", "name"), FIGURES)
def test_next_routers_are_those_of_the_thesis(figure, twist, name):
    differing = routing(twist, name).first_hops() != printed(figure)
    assert {tuple(pair) for pair in np.argwhere(differing).tolist()} == (
        MISPRINTS[figure] | OTHER_SHORTEST[figure]
    )


@pytest.mark.parametrize(("figure", "twist", "name"), FIGURES)
def test_the_tables_lead_along_shortest_paths_but_for_their_misprints(figure, twist, name):
    neighbours, table = Moebius(n=4, twist=twist).neighbours, printed(figure)
    distances = metrics.distances(neighbours)
    wrong = set()
    for source, destination in product(range(16), repeat=2):
        after, hops = table[source, destination], distances[source, destination]
        if source == destination:
            assert after == -1
        elif not (after in neighbours[source, 1:] and distances[after, destination] == hops - 1):
            wrong.add((source, destination))
    assert wrong == MISPRINTS[figure]


@pytest.mark.parametrize(
    ("name", "twist", "path"),
    [
        ("approx_spr", 0, ["1110", "1001", "0001"]),  # example 1
        ("approx_spr", 1, ["0010", "0000", "1111"]),  # example 2
        ("approx_spr", 0, ["1000", "1010", "1101", "0101"]),  # example 3
        ("approx_spr", 0, ["0000", "1000", "1111", "1100"]),  # example 4, a hop too long
        ("set_spr", 0, ["1110", "1001", "0001"]),  # as example 1, "would remain unchanged"
        ("set_spr", 1, ["0010", "0000", "1111"]),
        ("set_spr", 0, ["0000", "0100", "1100"]),  # example 5
        ("set_spr", 0, ["1000", "1010", "1101", "0101"]),  # example 6
    ],
)
def test_the_examples_of_the_thesis(name, twist, path):
    routers = [int(label, 2) for label in path]
    assert routing(twist, name).path(routers[0], routers[-1]) == routers


@pytest.mark.parametrize("twist", [0, 1])
@pytest.mark.parametrize("n", [3, 5])
def test_rsa_crosses_the_highest_dimension_that_a_search_finds_on_a_shortest_path(n, twist):
    near = Moebius(n=n, twist=twist).neighbours[:, 1:]
    distances = metrics.distances(Moebius(n=n, twist=twist).neighbours)
    closer = distances[near] == distances[:, None, :] - 1  # router, dimension, destination
    highest = n - 1 - closer[:, ::-1].argmax(axis=1)
    expected = np.take_along_axis(near, highest, axis=1)
    np.fill_diagonal(expected, -1)
    assert (routing(twist, "rsa", n).first_hops() == expected).all()


SET = (
    "its path is found at the source, where the set of terms left would have to travel with the "
    "packet; use routing=spr"
)
RSA = "it compares the distances from all neighbours, which no gates compute; use routing=spr"


@pytest.mark.parametrize(("name", "why"), [("approx_spr", SET), ("set_spr", SET), ("rsa", RSA)])
def test_none_of_them_is_built(name, why):
    network = Network(Moebius(n=2), routing=name, allow_deadlock="yes")
    for build in (network.require_deadlock_free, lambda: Fabric(network)):
        assert (
            refusal(ConfigurationError, build)
            == f"moebius: routing={name} must not be built: {why}"
        )
