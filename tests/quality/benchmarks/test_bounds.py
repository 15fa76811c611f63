"""Bounds are judged by the best of their rows; what they bound is measured."""

from quality.benchmarks import bounds
from quality.benchmarks.bounds import ROUTERS, Bound, piped, tell, verdicts
from quality.benchmarks.cases import CASES

BOUND = Bound("both", ("a", "b"), {"luteq": 1000}, {"fmax_mhz": 150})


def test_the_best_row_is_the_one_whose_farthest_figure_is_nearest():
    small = {"name": "a", "luteq": 500, "fmax_mhz": 100.0}
    fast = {"name": "b", "luteq": 1100, "fmax_mhz": 190.0}
    assert BOUND.best([small, fast]) == fast
    assert BOUND.best([small, fast | {"luteq": 1600}]) == small
    assert BOUND.best([small | {"name": "c"}]) is None


def test_a_figure_is_met_up_to_its_bound_and_not_beyond():
    row = {"name": "a", "luteq": 1000, "fmax_mhz": 149.9}
    area, speed = verdicts([BOUND], [row])
    assert area == ("both", "a", "luteq", 1000, "at most 1000", True)
    assert speed == ("both", "a", "fmax_mhz", 149.9, "at least 150", False)
    area, speed = verdicts([BOUND], [row | {"luteq": 1001, "fmax_mhz": 150.0}])
    assert (area.met, speed.met) == (False, True)


def test_what_was_not_measured_is_neither_met_nor_missed():
    assert verdicts([BOUND], []) == []
    _, speed = verdicts([BOUND], [{"name": "a", "luteq": 900, "fmax_mhz": None}])
    assert (speed.value, speed.met) == (None, None)


def test_verdicts_are_told_in_words(capsys):
    tell([])
    assert not capsys.readouterr().out
    tell(verdicts([BOUND], [{"name": "a", "luteq": 1200, "fmax_mhz": 170.5}]))
    told = capsys.readouterr().out.splitlines()
    (area,) = [line for line in told if "luteq" in line]
    (speed,) = [line for line in told if "fmax mhz" in line]
    assert "at most 1000" in area
    assert "not met" in area
    assert "170.5" in speed
    assert "not met" not in speed
    assert "met" in speed


def test_every_bounded_router_is_measured_with_each_pipeline():
    rows = {case.name: case for case in CASES}
    for bound in ROUTERS:
        assert rows.keys() >= set(bound.rows)
        assert all("ecp5" in rows[name].families for name in bound.rows)
        if "network_share" in bound.least:
            assert all(rows[name].whole for name in bound.rows), bound.what
    assert piped("a") == ("a_p1", "a_p2")


def test_the_bounds_are_those_agreed():
    """LUTeq (LUT4 of the deflection router) at most, and MHz at least, row by row."""
    agreed = {
        "mesh_4x4_vcs2_depth4_p1": (1000, 150),
        "mesh_4x4_vcs4_depth4_p1": (1700, 130),
        "moebius_n4_spr_depth8_p1": (1100, 150),
        "ccc_n4_depth8_p1": (800, 150),
        "torus_4x4_p1": (800, 160),
        "wk_w4_levels2_no_depth8_p1": (1100, 150),
        "wk_w4_levels2_label_depth8_p1": (1500, 120),
        "tcpg_k1_m1_no_depth8_p1": (1500, 130),
        "tcpg_k1_m1_ttl_depth8_p1": (2400, 100),
        "hypercube_n4_deflection": (900, 150),
        "mesh_4x4_depth2_p1": (611, 190),
    }
    found = {bound.rows[0]: bound for bound in ROUTERS if bound.most}
    assert found.keys() == agreed.keys()
    for name, (area, speed) in agreed.items():
        assert [*found[name].most.values()] == [area]
        assert found[name].least["fmax_mhz"] == speed
    wanted = {
        bound.what: bound.least["throughput_per_area_4"]
        for bound in bounds.ROUTERS
        if bound.least.get("throughput_per_area_1")
    }
    assert [*wanted.values()] == [60, 35, 95]
