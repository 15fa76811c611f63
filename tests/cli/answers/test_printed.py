"""Printed facts beside measured ones in `compare`: equal, or with the reason why not."""

import pytest

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
    (row,) = [line for line in out.splitlines() if "bisection as printed" in line]
    assert "20 k m = 120, not 80: cutting the longer rings takes fewer links" in row
    (row,) = [line for line in out.splitlines() if "degree as printed" in line]
    assert " 7 " in row
    assert "=" not in row
