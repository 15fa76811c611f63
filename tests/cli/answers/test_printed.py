"""Printed facts beside measured ones: equal, within a bound, or with the reason why not."""

import pytest
from knotwork import Network, Ring
from knotwork.cli.answers.describe import Measured
from knotwork.topology.base import PublishedFact

# Printed and true values: bisection of TCPG, simple links of short rings, RP and torus. Diameters
# and bisections of the comparison networks are those of the corrected paper.
DIFFERENT = {
    "tcpg k=2 m=3": {"bisection": (120, 80)},
    "tcpg k=3 m=3": {"bisection": (180, 120)},
    "tcpg k=2 m=2": {},
    "tcpg k=1 m=1": {"simple_links": (140, 100)},
    "rp k=16": {"bisection": (80, 20)},
    "torus x=10 y=16": {"diameter": (40, 13), "bisection": (pytest.approx(25.2982, abs=1e-4), 20)},
}


@pytest.mark.parametrize("words", DIFFERENT)
def test_a_fact_that_differs_has_its_reason(answer, words):
    (found,) = answer(f"compare {words} --groups 2")["networks"]
    told = {each["fact"]: each for each in found["printed"] if each["fact"] != "group of 2"}
    wrong = {
        fact: (each["printed"], each["measured"])
        for fact, each in told.items()
        if each["why"] is not None
    }
    assert wrong == DIFFERENT[words]
    assert all(each["why"] for fact, each in told.items() if fact in wrong)
    equal = [each for fact, each in told.items() if fact not in wrong]
    assert all(each["printed"] == each["measured"] for each in equal)
    assert {"degree", "links", "diameter", "bisection"} <= set(told)


def test_groups_are_those_that_were_named_and_the_table_has_reasons(answer, run):
    # The least distances of groups of 3, 11 and 40 nodes: 2, 3 and 4 in TCPG.
    (found,) = answer("compare tcpg k=2 m=2 --groups 3,11")["networks"]
    told = {each["fact"]: each for each in found["printed"]}
    assert [told[f"group of {size}"]["measured"] for size in (3, 11)] == [2, 3]
    assert all(told[f"group of {size}"]["why"] for size in (3, 11))
    _, out, _ = run("compare tcpg:k=2,m=3 hypercube:n=3")
    (row,) = [line for line in out.splitlines() if "│ bisection as printed" in line]
    assert " 20 k m = 120, not 80 " in row
    assert "bisection as printed: cutting the longer rings takes" in out
    (row,) = [line for line in out.splitlines() if "│ degree as printed" in line]
    assert " 7 " in row
    assert "n = 3" in row


# Of each network: facts as they are printed, and as they are where that differs. Typed from the
# papers; D(n) is 1.4375 and 3.4443 by its recurrence, and measures are those of the errata.
PAPERS = {
    "moebius n=4": {
        "diameter": 3,
        "average_distance at least": 1.4375,
        "average_distance at most": 2.4375,
        "longest path of dfr": 4,
        "mean path of dfr": (2, 32 / 15),
    },
    "moebius n=5 twist=1": {"diameter": 3, "mean path of dfr": (3, 80 / 31)},
    "moebius n=3": {"longest path of dfr": 3, "mean path of dfr": (2, 12 / 7)},
    "hypercube n=4": {"links": 32, "diameter": 4, "average_distance": (2, 32 / 15)},
    "ccc n=6": {"nodes": 64, "largest degree at most": 3, "steps of lc2": (19, 20)},
    "wk w=3 levels=3": {
        "nodes": 27,
        "least degree": (3, 2),
        "largest degree": 3,
        "diameter": 7,
        "most broadcast steps": 7,
        "least broadcast steps": (7, 6),
    },
    "lcan d=4 u=2 levels=3": {
        "nodes": 64,
        **{f"switches of level {i}": size for i, size in enumerate((16, 8, 4))},
        **{f"common ancestors of level {i}": size for i, size in enumerate((1, 2, 4))},
    },
    "lcan d=4 u=2 levels=3 interconnect=tree": {
        "nodes": 16,
        **{f"switches of level {i}": size for i, size in enumerate((4, 2, 1))},
        **{f"common ancestors of level {i}": 1 for i in range(3)},
    },
    "fattree r=3,3,3 u=2,2,2": {"switches of level 1": (27, 3), "switches of level 2": (9, 1)},
    "tcpg k=2 m=3": {"diameter": 7, "bisection": (120, 80), "most broadcast steps at most": 7},
    "petersen": {"degree": 3, "links": 15, "diameter": 2, "bisection": 5},
}


@pytest.mark.parametrize("words", PAPERS)
def test_describe_has_what_the_paper_prints(answer, words):
    told = {}
    for each in answer(f"describe {words}")["printed"]:
        bound = "" if each["relation"] == "is" else f" {each['relation']}"
        pair = each["printed"], each["measured"]
        told[each["fact"] + bound] = pair if each["why"] else each["printed"]
        over = each["measured"] - each["printed"]
        fits = {"is": over == 0, "at least": over >= 0, "at most": over <= 0}[each["relation"]]
        assert bool(each["why"]) != fits
        assert each["source"]
    expected = PAPERS[words]
    assert {fact: told[fact] for fact in expected} == {
        fact: pytest.approx(values) for fact, values in expected.items()
    }


def test_a_bound_that_does_not_hold_has_its_reason_and_a_row_of_its_own(run):
    _, out, _ = run("describe moebius n=10")
    rows = [line for line in out.splitlines() if "average_distance at most as printed" in line]
    assert len(rows) == 2
    assert "n / 3 + (1 - (-1/2)^n) / 9 + 1 = 4.44434 " in rows[0]
    assert "(Kocík, conclusion)" in rows[1]
    assert "4, not 4.00018: to four digits it is 4" in rows[1]


def test_a_fact_that_nothing_measures_is_not_measured():
    beauty = PublishedFact("beauty", "1", 1, "nowhere", "")
    assert Measured(Network(Ring(n=3)), {}, {}).measure(beauty) is None
    assert Measured(Network(Ring(n=3)), {}, {}).measure(beauty._replace(of=3)) is None


def test_what_is_too_large_to_be_measured_says_so(answer, run):
    told = {each["fact"]: each for each in answer("describe wk w=3 levels=7")["printed"]}
    assert told["most broadcast steps"]["printed"] == 127
    assert told["most broadcast steps"]["measured"] is None
    assert told["most broadcast steps"]["why"] is None
    _, out, _ = run("describe wk w=3 levels=7")
    (row,) = [line for line in out.splitlines() if "most broadcast steps as printed" in line]
    assert "2^L - 1 = 127, not measured" in row


def test_a_copy_alone_of_a_network_of_copies_has_nothing_printed(answer):
    """Its sizes are those of one copy, and it tells no paths to compare with."""
    assert answer("describe kyklos k=3 levels=2 copies=1")["nodes"] == 9
