"""Facts as the paper on TCPG prints them: table 1 and equations (1) to (3), typed from there."""

import pytest
from knotwork import Hypercube, Petersen, Rp, Tcpg, Torus


def printed(topology, *groups):
    return {told.fact: told.value for told in topology.printed(groups)}


# k, m: degree, links, diameter and bisection of TCPG(k, m), RP(4km) and the torus of 40km nodes.
TABLE = {
    (1, 2): ((7, 280, 5, 40), (5, 200, 6, 40), (4, 160, 20, 17.8885)),
    (2, 3): ((7, 840, 7, 120), (5, 600, 14, 120), (4, 480, 60, 30.9839)),
    (3, 3): ((7, 1260, 8, 180), (5, 900, 20, 180), (4, 720, 90, 37.9473)),
}
SIDES = {(1, 2): (8, 10), (2, 3): (15, 16), (3, 3): (18, 20)}


@pytest.mark.parametrize(("k", "m"), TABLE)
def test_table_1(k, m):
    x, y = SIDES[k, m]
    made = Tcpg(k=k, m=m), Rp(k=4 * k * m), Torus(x=x, y=y)
    for topology, row in zip(made, TABLE[k, m], strict=True):
        found = printed(topology)
        facts = [found[fact] for fact in ("degree", "links", "diameter", "bisection")]
        assert facts == pytest.approx(row, abs=1e-4)


# Group sizes and distances by the printed equations (1), (2) and (3).
GROUPS = {2: (0, 1, 1), 3: (0, 2.28, 2), 6: (2, 2.53, 2), 11: (4, 2.90, 3), 50: (12, 4.90, 6)}


@pytest.mark.parametrize("size", GROUPS)
def test_equations_of_groups(size):
    made = Torus(x=8, y=10), Tcpg(k=2, m=2), Rp(k=4)
    found = [printed(topology, size)[f"group of {size}"] for topology in made]
    assert found == pytest.approx(GROUPS[size], abs=5e-3)


def test_networks_of_other_sizes_or_without_a_paper_are_told_nothing():
    assert not any(
        topology.printed([2]) for topology in (Hypercube(n=3), Petersen(), Rp(k=3), Torus(x=4, y=4))
    )
    assert not Torus(x=8, y=10, directions="one").printed()
