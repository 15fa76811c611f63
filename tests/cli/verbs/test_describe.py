"""Verb describe: what its table says where a fact is unknown."""

import pytest
from helpers.tables import rows_of
from knotwork.topology import metrics


def test_describe_says_why_a_fact_is_unknown(answer, run, monkeypatch):
    monkeypatch.setattr(metrics, "SEARCH_LIMIT", 16)
    assert answer("describe moebius n=5")["average_distance"] is None
    _, out, _ = run("describe moebius n=5")
    assert "unknown: no formula, and all pairs are searched up to 16 routers only" in out


def test_describe_says_why_pairs_were_not_walked(answer, run):
    walks = answer("describe moebius n=10 --routing")["walks"]
    assert walks["dfr"]["max"] == 10
    assert walks["approx_spr"] is None
    _, out, _ = run("describe hypercube n=13 --routing")
    assert "unknown: all pairs are walked up to 4096 nodes only" in out


def test_describe_gives_bounds_of_a_bisection(answer, run):
    facts = answer("describe torus x=9 y=9")
    low, high = facts["bisection_bounds"]
    assert facts["bisection"] is None
    _, out, _ = run("describe torus x=9 y=9")
    assert f"unknown: {low}..{high}" in out


def test_describe_says_why_a_bisection_is_unknown(answer, run):
    assert answer("describe wk w=4 levels=5")["bisection"] == 4
    facts = answer("describe wk w=7 levels=2")
    low, high = facts["bisection_bounds"]
    assert (facts["bisection"], facts["bisection_by"]) == (None, "bounds")
    _, out, _ = run("describe wk w=7 levels=2")
    assert f"unknown: {low}..{high}" in out
    facts = answer("describe lcan d=2 u=2 levels=2")
    assert (facts["bisection"], facts["bisection_bounds"]) == (None, None)
    _, out, _ = run("describe lcan d=2 u=2 levels=2")
    assert "unknown: routers are not nodes" in out


@pytest.mark.parametrize(
    ("words", "router", "parity"),
    [
        ("hypercube n=3", "packet", "no"),
        ("hypercube n=3 parity=yes", "packet", "yes"),
        ("hypercube n=3 router=deflection", "deflection", "no"),
        ("hypercube n=3 routing=lc1", "batch", "no"),
        ("lcan d=2 u=2 levels=2", "circuit", "no"),
    ],
)
def test_router_class_parity_and_bisection_are_always_told(words, router, parity, answer, run):
    (compared,) = answer(f"compare {words.replace(' ', ':', 1).replace(' ', ',')}")["networks"]
    for facts in (answer(f"describe {words}"), compared):
        assert (facts["router"], facts["parity"]) == (router, parity)
        assert {"bisection", "bisection_bounds", "bisection_by"} <= facts.keys()
    _, out, _ = run(f"describe {words}")
    rows = rows_of(out)
    assert [row for row in rows if row[0] == "router"] == [["router", router]]
    assert [row for row in rows if row[0] == "parity"] == [["parity", parity]]
    assert len([row for row in rows if row[0] == "bisection"]) == 1


def test_describe_tells_how_good_a_routing_is(answer, run):
    quality = answer("describe mesh x=3 y=3 routing=updown --routing")["quality"]
    own, made = quality["dimension_order"], quality["updown"]
    # The busiest links of a 3 x 3 mesh: 3 x 6 pairs by 3 links, of 8 destinations each.
    assert own["fullest_link"] == own["fullest_link_bound"] == pytest.approx(6 / 8, abs=1e-6)
    assert (own["channels"], own["channels_are_least"], own["table_entries"]) == (1, True, None)
    assert made["mean_stretch"] == 1.0
    assert made["table_entries"] >= 9 * 8
    _, out, _ = run("describe mesh x=3 y=3 --routing")
    assert "fullest 0.75 flits/cycle at one per node; at least 0.75 (linear program)" in out
    assert "1: proven least for these paths" in out


def test_describe_does_not_make_long_routings_unasked(answer, run, tmp_path, monkeypatch):
    monkeypatch.setattr("knotwork.cli.answers.describe.BOUND_LIMIT", 3)
    path = tmp_path / "ring.edges"
    path.write_text("0 1\n1 2\n2 3\n3 0\n")
    walks = answer(f"describe graph file={path} --routing")["walks"]
    assert walks["updown"]["max"] == 2
    assert walks["balanced"] is None
    _, out, _ = run(f"describe graph file={path} --routing")
    assert "unknown: beyond 3 routers made only if chosen" in out


def test_describe_estimates_the_cost(answer, run):
    cost = answer("describe mesh x=3 y=3 --cost")["cost"]
    assert cost["router"]["role"] == "router_L_R_U_D"
    assert 0 < cost["router"]["luteq"] < cost["network"]["luteq"] < 9 * cost["router"]["luteq"]
    assert cost["router"]["luteq"] == pytest.approx(
        cost["router"]["lut4"] + 6 * cost["router"]["dpr"], abs=4
    )
    assert "cost" not in answer("describe mesh x=3 y=3")
    _, out, _ = run("describe mesh x=3 y=3 --cost")
    rows = dict(row[:2] for row in rows_of(out) if len(row) == 2)
    assert rows["frequency"].startswith(f"about {cost['router']['fmax_mhz']:.0f} MHz")


def test_a_cost_that_cannot_be_estimated_is_refused(run):
    status, out, err = run("describe hypercube n=3 multicast=yes --cost")
    assert (status, out) == (2, "")
    assert err.splitlines() == [
        "knotwork: error: hypercube_n3_multicastyes: the cost of multicasts cannot be estimated"
    ]
