"""Verb describe: what its table says where a fact is unknown."""

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
    assert f"unknown: from {low} to {high}" in out


def test_describe_says_why_a_bisection_is_unknown(answer, run):
    assert answer("describe wk w=4 levels=5")["bisection"] == 4
    assert answer("describe wk w=7 levels=2")["bisection"] is None
    _, out, _ = run("describe wk w=7 levels=2")
    assert "unknown: no formula, and too many halves to search" in out
