"""Verb check: the ring of channels, and the exit status."""

import pytest


@pytest.mark.usefixtures("cyclic")
def test_check_of_a_network_with_a_cycle_prints_it_and_fails(answer, run):
    report = answer("check ring", status=1)
    assert report["deadlock_free"] is False
    assert sorted(report["cycle"]) == [[i, (i + 1) % 6, 0] for i in range(6)]
    status, out, err = run("check ring")
    assert (status, err) == (1, "")
    ends = [line.split("│")[1:3] for line in out.splitlines() if "│" in line]
    links = {tuple(map(str.strip, pair)) for pair in ends}
    assert links >= {(f"{i:03b}", f"{(i + 1) % 6:03b}") for i in range(6)}
