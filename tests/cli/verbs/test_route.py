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


def test_route_table_as_csv_is_a_table_to_start_from(run, answer, tmp_path):
    # e-cube, hand-written: the higher bit first.
    rows = ["0,1,dim0", "0,2,dim1", "0,3,dim1", "1,0,dim0", "1,2,dim1", "1,3,dim1"]
    rows += ["2,0,dim1", "2,1,dim1", "2,3,dim0", "3,0,dim1", "3,1,dim1", "3,2,dim0"]
    status, out, _ = run("route hypercube n=2 --table --csv")
    assert (status, out) == (
        0,
        "router,destination,port,vc\n" + "".join(f"{row},0\n" for row in rows),
    )
    # With labels, and one pair by the other way.
    changed = out.replace("0,3,dim1,0", "@00,@11,dim0,0")
    (tmp_path / "mine.csv").write_text(changed)
    words = f"hypercube n=2 routing=table table_file={tmp_path}/mine.csv"
    assert answer(f"route {words} 0 3")["path"] == [0, 1, 3]
    assert answer(f"check {words}")["deadlock_free"]


def test_csv_goes_with_the_table_alone(run):
    status, _, err = run("route hypercube n=2 0 3 --csv")
    assert (status, err) == (2, "knotwork: error: route: --csv must go with --table, not alone\n")
    _, _, err = run("route hypercube n=2 --table --csv --json")
    assert err == "knotwork: error: route: --csv must go with --table, not with --json\n"


def test_disjoint_paths(answer, run):
    # Two positions of a Petersen graph that are not neighbours: paths of 2, 3 and 3 hops.
    found = answer("route petersen 0 2 --disjoint")
    assert (found["count"], found["hops"]) == (3, [2, 3, 3])
    assert found["paths"][0] == [0, 1, 2]
    assert found["labels"][0] == ["0000aa", "00aaab", "aa0abb"]
    assert len({router for path in found["paths"] for router in path[1:-1]}) == 1 + 2 + 2
    _, out, _ = run("route petersen 0 2 --disjoint")
    assert "3 disjoint paths" in out


def test_disjoint_paths_need_two_routers(refusal):
    assert refusal("route lcan d=2 u=2 levels=2 0 1 --disjoint").endswith(
        ": the nodes must have different routers for --disjoint, not both 0_0"
    )
    assert refusal("route petersen --table --disjoint") == (
        "route: --disjoint must go with SRC DST, not with --table"
    )
