from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork.topology import (
    Baseline,
    CubeConnectedCycles,
    Hypercube,
    Kyklos,
    Mesh,
    Moebius,
    Petersen,
    Rp,
    Tcpg,
    Torus,
    WkRecursive,
    comparison,
    metrics,
)
from knotwork.topology.comparison import Bounds

SMALL = [
    *(Hypercube(n=3), Hypercube(n=1), Moebius(n=3), Moebius(n=4, twist=1)),
    *(CubeConnectedCycles(n=3), CubeConnectedCycles(n=4), Petersen(), Mesh(x=3, y=4)),
    *(Torus(x=2, y=5), WkRecursive(w=3, levels=2), WkRecursive(w=5, levels=1)),
]
by_name = {"ids": lambda topology: topology.instance_name}


def links_of(topology):
    """Ends of every link, double ones twice."""
    return [
        (router, int(other))
        for router, row in enumerate(topology.neighbours)
        for other in row
        if other > router
    ]


def by_trying_all(topology):
    links, nodes = links_of(topology), topology.nodes
    return min(
        sum((a in half) != (b in half) for a, b in links)
        for half in map(set, combinations(range(nodes), nodes // 2))
    )


class TestBisection:
    @pytest.mark.parametrize("topology", SMALL, **by_name)
    def test_between_its_bounds_as_by_trying_all(self, topology, monkeypatch):
        expected = by_trying_all(topology)
        found = comparison.bisection(topology)
        assert found.low <= expected <= found.high
        assert found.exact in {None, expected}
        # And as if neither formula nor search were there.
        monkeypatch.setattr(comparison, "HALVES_LIMIT", 0)
        monkeypatch.setattr(type(topology), "bisection_bounds", None)
        found = comparison.bisection(topology)
        assert found.by == "bounds"
        assert 1 <= found.low <= expected <= found.high

    @pytest.mark.parametrize("topology", [CubeConnectedCycles(n=n) for n in (3, 4)], **by_name)
    def test_small_networks_are_searched(self, topology):
        expected = by_trying_all(topology)
        assert comparison.bisection(topology) == Bounds(expected, expected, "search")

    # Sections 3 and 6 of the specification.
    @pytest.mark.parametrize(("k", "m", "links"), [(1, 1, 20), (1, 3, 40), (2, 3, 80), (3, 3, 120)])
    def test_of_tori_of_petersen_graphs(self, k, m, links):
        assert comparison.bisection(Tcpg(k=k, m=m)) == Bounds(links, links, "formula")
        low, high, _ = comparison.bisection(Rp(k=4 * k * m))
        assert low <= high <= 20

    @pytest.mark.parametrize("n", [1, 2, 3, 4])
    @pytest.mark.parametrize("twist", [0, 1])
    def test_of_moebius_cubes_that_are_small_enough_to_try(self, n, twist):
        cube = Moebius(n=n, twist=twist)
        links = by_trying_all(cube)
        assert comparison.bisection(cube) == Bounds(links, links, "formula")

    def test_bounds_may_meet(self, monkeypatch):
        monkeypatch.setattr(Moebius, "bisection_bounds", None)
        # The second eigenvalue of the Laplacian is 2, as a hypercube's.
        assert comparison.bisection(Moebius(n=8)) == Bounds(128, 128, "bounds")

    def test_of_a_large_network_only_a_cut_is_known(self, monkeypatch):
        monkeypatch.setattr(Moebius, "bisection_bounds", None)
        assert comparison.bisection(Moebius(n=11)) == Bounds(1, 1024, "bounds")

    def test_switches_have_no_halves(self):
        # As many switches as nodes.
        assert comparison.bisection(Baseline(levels=2)) is None


class TestGroups:
    # Section 6 of the specification.
    @pytest.mark.parametrize(
        ("topology", "distances"),
        [
            (Torus(x=15, y=16), [1, 2, 3, 3, 3, 4, 5, 5]),
            (Rp(k=24), [1, 2, 2, 2, 2, 3, 3, 3]),
            (Tcpg(k=2, m=3), [1, 2, 2, 2, 2, 3, 3, 3]),
        ],
    )
    def test_least_distances_are_exact(self, topology, distances):
        found = comparison.group_distances(topology, [2, 3, 6, 7, 8, 11, 16, 18])
        assert [bounds.exact for bounds in found] == distances
        assert {bounds.by for bounds in found} == {"search"}

    def test_groups_of_forty(self):
        assert comparison.group_distances(Tcpg(k=2, m=3), [40])[0].exact == 4
        assert comparison.group_distances(Rp(k=24), [40])[0].exact == 5

    @pytest.mark.parametrize("topology", [Torus(x=15, y=16), Hypercube(n=8), Rp(k=24)], **by_name)
    def test_large_networks_are_between_balls(self, topology, monkeypatch):
        sizes = [2, 5, 9, 18, 30, topology.nodes]
        exact = [found.exact for found in comparison.group_distances(topology, sizes)]
        monkeypatch.setattr(comparison, "GROUP_LIMIT", 8)
        for known, found in zip(exact, comparison.group_distances(topology, sizes), strict=True):
            assert known is not None
            assert found.low <= known <= found.high

    def test_unknown_or_too_large(self, monkeypatch):
        assert comparison.group_distances(Petersen(), [10, 11]) == [Bounds(2, 2, "search"), None]
        assert comparison.group_distances(Petersen(), [11]) == [None]
        monkeypatch.setattr(comparison, "GROUP_LIMIT", 8)
        assert comparison.group_distances(Mesh(x=3, y=4), [2]) == [None]

    def test_in_copies_the_nearest_counts(self):
        # Two binary trees over 8 nodes, the second with the digits reversed. Four nodes that differ
        # in digits 0 and 1 only meet on levels 0 and 1 of copy 0, two hops apart at most.
        found = comparison.group_distances(Kyklos(k=2, levels=3), [2, 4, 8])
        assert [bounds.exact for bounds in found] == [0, 2, 4]

    def test_nodes_of_one_switch_are_no_hop_apart(self):
        found = comparison.group_distances(Baseline(levels=3), [2, 3])
        hops = metrics.distances(Baseline(levels=3).neighbours)
        assert found[0] == Bounds(0, 0, "search")
        assert found[1].exact in hops[:8, :8]
        assert found[1].exact > 0


class TestWires:
    @given(data=st.data())
    def test_no_two_routers_have_one_place(self, data):
        topology = data.draw(
            st.one_of(
                st.builds(Tcpg, k=st.integers(1, 4), m=st.integers(1, 4)),
                st.builds(Rp, k=st.integers(1, 40)),
                st.builds(Torus, x=st.integers(2, 9), y=st.integers(2, 9)),
                st.builds(Hypercube, n=st.integers(1, 9)),
                st.builds(WkRecursive, w=st.integers(2, 5), levels=st.integers(1, 3)),
                st.sampled_from([Petersen(), Baseline(levels=4)]),
            )
        )
        place = comparison.placement(topology)
        assert place.shape == (topology.routers, 2)
        assert len(np.unique(place, axis=0)) == topology.routers
        assert place.min() == 0
        total, longest = comparison.wire_lengths(topology)
        lengths = [int(np.abs(place[a] - place[b]).sum()) for a, b in links_of(topology)]
        assert (total, longest) == (sum(lengths), max(lengths))

    @given(x=st.integers(2, 20), y=st.integers(2, 20))
    def test_of_rows_and_columns(self, x, y):
        # A line of n has n - 1 steps; a ring has its way back besides.
        mesh = y * (x - 1) + x * (y - 1)
        assert comparison.wire_lengths(Mesh(x=x, y=y)) == (mesh, 1)
        assert comparison.wire_lengths(Torus(x=x, y=y)) == (2 * mesh, max(x, y) - 1)

    def test_of_petersen_graphs(self):
        # Five spokes of 1, a pentagon of 2 (5 - 1), a pentagram of three steps of 2 and two of 3.
        assert comparison.wire_lengths(Petersen()) == (5 + 8 + 12, 4)
        # Two blocks beside each other: ten double links of 5.
        assert comparison.wire_lengths(Rp(k=2))[0] in {2 * 25 + 20 * 5, 2 * 25 + 20 * 2}
        # Four graphs, and double links of 5 along rows and of 2 along columns.
        assert comparison.wire_lengths(Tcpg(k=1, m=1)) == (4 * 25 + 40 * 5 + 40 * 2, 5)

    def test_of_a_hypercube_of_rows_and_columns(self):
        # Four columns and two rows.
        assert comparison.wire_lengths(Hypercube(n=3)) == (4 * 1 + 4 * 2 + 4 * 1, 2)


class TestRingCodes:
    @given(half=st.integers(1, 40))
    def test_gray_codes_go_round_a_bit_a_step(self, half):
        codes = comparison.gray_codes(2 * half)
        steps = zip(codes, [*codes[1:], codes[0]], strict=True)
        assert [(a ^ b).bit_count() for a, b in steps] == [1] * (2 * half)
        assert len(set(codes)) == 2 * half
        assert max(codes) < 1 << (2 * half - 1).bit_length()

    def test_a_gray_code_of_two_and_three_bits_has_too_many_neighbours(self):
        # Erratum T20 of the specification: five at 2 + 3 bits, of a torus of degree 4.
        found = comparison.ring_codes(Torus(x=8, y=4))
        assert found["gray"] == {"bits": 5, "isometric": False, "one_bit_neighbours": 5}
        assert found["johnson"] == {"bits": 6, "isometric": True, "one_bit_neighbours": 4}

    @given(k=st.integers(1, 16), m=st.integers(1, 16))
    def test_johnson_codes_are_isometric(self, k, m):
        found = comparison.ring_codes(Tcpg(k=k, m=m))["johnson"]
        near = sum(1 if half == 1 else 2 for half in (k, m))
        assert found == {"bits": k + m, "isometric": True, "one_bit_neighbours": near}

    def test_up_to_four_positions_the_codes_are_the_same(self):
        found = comparison.ring_codes(Tcpg(k=2, m=1))
        assert found["gray"] == found["johnson"]

    @pytest.mark.parametrize("topology", [Torus(x=15, y=16), Mesh(x=4, y=4), Hypercube(n=3)])
    def test_none_without_even_rings(self, topology):
        assert comparison.ring_codes(topology) is None
