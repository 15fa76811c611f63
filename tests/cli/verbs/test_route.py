"""Verb route: a path by index or label, or the table of all pairs."""


def test_route_by_index_and_by_label(answer, run):
    # 1-MC_4: dimension 3 is twisted for all, so 0010 goes to 1101 and on by dimension 0.
    expected = {
        "path": [2, 13, 12],
        "labels": ["0010", "1101", "1100"],
        "ports": ["dim3", "dim0"],
        "virtual_channels": [0, 0],
    }
    assert answer("route moebius n=4 twist=1 2 12") == expected
    assert answer("route moebius n=4 twist=1 @0010 @1100") == expected
    status, out, _ = run("route moebius n=4 twist=1 2 12")
    assert status == 0
    assert all(label in out for label in expected["labels"])


def test_route_table(answer, run):
    # e-cube corrects the higher bit first.
    expected = [[-1, 1, 2, 2], [0, -1, 3, 3], [0, 0, -1, 3], [1, 1, 2, -1]]
    assert answer("route hypercube n=2 --table")["next"] == expected
    _, out, _ = run("route hypercube n=2 --table")
    rows = [[int(word) for word in line.split("|")[1].split()] for line in out.splitlines()[2:]]
    assert rows == expected
