import numpy as np
import pytest
from helpers.ancestors import every
from knotwork.topology import Baseline, Lcan
from knotwork.topology.rows import pe_row, switch_rows


@every
def test_levels_are_rows_and_switches_stand_above_their_pes(topology):
    switches, pes = switch_rows(topology), pe_row(topology)
    assert len(set(pes[:, 1])) == 1
    below = pes[0, 1]
    for level, first in enumerate(topology.first_switch):
        row = switches[first : first + topology.level_sizes[level]]
        assert len(set(row[:, 1])) == 1
        assert row[0, 1] < below - 1
        below = row[0, 1]
        assert np.diff(np.sort(row[:, 0])).min(initial=9) > 0.99
        groups = topology.nodes // topology.spans[level]
        # Of one prefix are the switches between the same two PEs, and their middle is the PEs'.
        shares = row[:, 0].reshape(groups, -1)
        their_pes = pes[:, 0].reshape(groups, -1)
        assert shares.mean(axis=1) == pytest.approx(their_pes.mean(axis=1))
        assert (shares.max(axis=1)[:-1] < shares.min(axis=1)[1:]).all()


@pytest.mark.parametrize("topology", [Baseline(levels=5), Lcan(d=3, u=3, levels=3)])
def test_as_many_uppers_as_downers_make_a_butterfly(topology):
    d, across = topology.radices[0], switch_rows(topology)[:, 0]
    place = np.round(across / d - 0.5).astype(int)
    for level in range(topology.levels - 1):
        above = range(topology.first_switch[level], topology.first_switch[level + 1])
        for switch in above:
            near = topology.neighbours[switch]
            uppers = near[near >= topology.first_switch[level + 1]]
            # Straight up, and to the others that differ in this level's digit only.
            digit = place[switch] // d**level % d
            wanted = [place[switch] + (k - digit) * d**level for k in range(d)]
            assert sorted(place[uppers].tolist()) == wanted


def test_no_switch_is_in_the_way_of_a_link():
    topology = Lcan(d=2, u=2, levels=6)
    places = switch_rows(topology)
    ends = [(a, b) for a in range(topology.routers) for b in topology.neighbours[a] if b > a]
    for a, b in ends:
        run, rise = np.abs(places[b] - places[a])
        # A box is a fifth of the distance of PEs high above its middle, and almost half one wide.
        assert run == 0 or 0.3 * run / rise < 2 - 0.5
