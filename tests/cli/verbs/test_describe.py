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
