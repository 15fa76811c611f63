"""Levels of switches in drawings: columns from both sides, and rows."""

import numpy as np
import pytest
from helpers.networks import every
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from knotwork.drawing.boxes import ROOM, Boxes, links_of
from knotwork.drawing.curves import fitting, link_curves
from knotwork.errors import ConfigurationError
from knotwork.topology import Banyan, Baseline, Cm5, FatTree, Kyklos, Lcan, Trac
from knotwork.topology.level_layouts import bracket, pe_row, switch_rows

MOST_BOXES = 400
MANY = [
    Lcan(d=4, u=2, levels=3),
    Lcan(d=3, u=2, levels=4),
    Lcan(d=16, u=4, levels=2),
    Baseline(levels=6),
    Cm5(levels=3),
    FatTree(r=(4, 4, 4), u=(1, 1, 1)),
]
many = pytest.mark.parametrize("topology", MANY, ids=lambda topology: topology.instance_name)


def of_levels(topology, places):
    """Places of each level's switches."""
    return [
        places[first : first + size]
        for first, size in zip(topology.first_switch, topology.level_sizes, strict=True)
    ]


@many
def test_levels_are_columns_and_switches_in_the_middle_of_their_pes(topology):
    switches, pes = bracket(topology)
    left = -(-topology.radices[-1] // 2) * topology.nodes // topology.radices[-1]
    assert (pes[:left, 0] < 0).all()
    assert (pes[left:, 0] > 0).all()
    outside = [set(np.round(pes[:, 0], 6))]
    outside += [set(np.round(level[:, 0], 6)) for level in of_levels(topology, switches)]
    assert outside.pop() == {0}
    assert all(len(columns) == 2 for columns in outside)
    reach = np.array([sorted(columns) for columns in outside])
    assert (np.diff(reach[:, 0]) > 0).all()
    assert (np.diff(reach[:, 1]) < 0).all()
    switches, pes = bracket(topology)
    for level, places in enumerate(of_levels(topology, switches)[:-1]):
        groups = topology.nodes // topology.spans[level]
        share = places.reshape(groups, -1, 2)
        theirs = pes.reshape(groups, -1, 2)
        assert share.mean(axis=1)[:, 1] == pytest.approx(theirs.mean(axis=1)[:, 1])
        assert (np.sign(share[:, 0, 0]) == np.sign(theirs[:, 0, 0])).all()


def test_tops_narrow_brackets_and_rows(monkeypatch):
    topology = Lcan(d=2, u=2, levels=6)
    switches = bracket(topology).switches
    height = np.ptp(switches[:, 1])
    for switch in range(topology.first_switch[-1], topology.routers):
        near = topology.neighbours[switch]
        rises = switches[near[near >= 0], 1] - switches[switch, 1]
        assert len(rises) == 2
        assert np.abs(rises).max() < 0.02 * height
    rows = [Lcan(d=2, u=2, levels=5), Kyklos(k=2, levels=6, copies=2), Banyan(d=2, u=2, levels=6)]
    assert not any(topology.has_node_columns for topology in [*rows, Trac(levels=3)])
    assert Kyklos(k=2, levels=6, copies=1).has_node_columns
    monkeypatch.setattr("knotwork.topology.level_layouts._apart", lambda *_: 4.0)
    assert not straight(Lcan(d=2, u=2, levels=6))


def straight(topology):
    """Whether no boxes overlap and no link, all of them straight, is under a foreign box."""
    links = links_of(topology)
    ends = np.array([link.ends for link in links])
    boxes = Boxes.of(topology, ends)
    assert fitting(boxes.places, boxes.halves) < 1
    curves, blocked = link_curves(boxes.places, ends, boxes.halves + ROOM)
    pairs, counts = np.unique(np.sort(ends, axis=1), axis=0, return_counts=True)
    single = {tuple(pair) for pair, count in zip(pairs.tolist(), counts, strict=True) if count == 1}
    alone = [
        curve
        for curve, (a, b) in zip(curves, ends.tolist(), strict=True)
        if (min(a, b), max(a, b)) in single
    ]
    return not blocked and all(curve.is_straight for curve in alone)


@given(
    st.lists(st.tuples(st.integers(2, 8), st.integers(1, 4)), min_size=2, max_size=5), st.booleans()
)
@example([(16, 1), (3, 1)], True)
@example([(2, 2)] * 6, False)
@example([(4, 3)] * 3, False)
@settings(deadline=None, max_examples=30)
def test_no_link_is_under_a_box_whatever_the_levels_are(sizes, is_tree):
    radices, uppers = zip(*sizes, strict=True)
    try:
        if is_tree:
            topology = FatTree(r=radices, u=uppers)
        else:
            topology = Lcan(d=radices[0], u=uppers[0], levels=len(sizes))
    except ConfigurationError:
        assume(False)
    assume(topology.pes > 32 and topology.routers + topology.nodes <= MOST_BOXES)
    assert topology.has_node_columns
    assert straight(topology)


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
