"""Verb route: what it answers, its tables, what it refuses."""

import pytest
from knotwork import Network


def test_tables_and_paths_found_at_the_source(answer):
    table = answer("route moebius n=4 routing=approx_spr --table")["next"]
    routing = Network.from_words(["moebius", "n=4", "routing=approx_spr"]).routing
    for a in range(16):
        for b in range(16):
            assert table[a][b] == (-1 if a == b else routing.path(a, b)[1])
    # 1-MC_3: e_2, E_0 become E_2, E_1, E_0; neither E_1 nor E_0 is at 000, both are at 111.
    assert answer("route moebius n=3 twist=1 routing=approx_spr 0 5") == {
        "path": [0, 7, 6, 5],
        "labels": ["000", "111", "110", "101"],
        "ports": ["dim2", "dim0", "dim1"],
        "virtual_channels": [0, 0, 0],
        "expansion": ["e2", "E0"],
        "other_expansion": ["E2", "e1"],
    }


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


def test_csv_words_and_disjoint_paths(run, answer, refusal):
    status, _, err = run("route hypercube n=2 0 3 --csv")
    assert (status, err) == (
        2,
        "knotwork: error: route: --csv must be used with --table, not alone\n",
    )
    _, _, err = run("route hypercube n=2 --table --csv --json")
    assert err == "knotwork: error: route: --csv must be used with --table, not with --json\n"
    for words, line in (
        (f"--table --words {LOADED}", "route: --words must be used without --table"),
        (f"--disjoint --words {LOADED}", "route: --words must be used without --disjoint"),
        ("--words mesh:x=2,y=2", "mesh_x2_y2: tables must be loaded, not fixed"),
    ):
        status, out, err = run(f"route mesh x=2 y=2 {words}")
        assert (status, out, err) == (2, "", f"knotwork: error: {line}\n")
    # Two positions of a Petersen graph that are not neighbours: paths of 2, 3 and 3 hops.
    found = answer("route petersen 0 2 --disjoint")
    assert (found["count"], found["hops"]) == (3, [2, 3, 3])
    assert found["paths"][0] == [0, 1, 2]
    assert found["labels"][0] == ["0000aa", "00aaab", "aa0abb"]
    assert len({router for path in found["paths"] for router in path[1:-1]}) == 1 + 2 + 2
    _, out, _ = run("route petersen 0 2 --disjoint")
    assert "3 disjoint paths" in out
    assert refusal("route lcan d=2 u=2 levels=2 0 1 --disjoint").endswith(
        ": the nodes must have different routers for --disjoint, not both 0_0"
    )
    assert refusal("route petersen --table --disjoint") == (
        "route: --disjoint must be used with SRC DST, not with --table"
    )


LOADED = "mesh:x=2,y=2,tables=loaded"


def test_words_load_the_table_into_a_network_in_service(run, answer):
    # {dead, router, input port, destination, output port}: 1 + 2 + 3 + 2 + 3 bits.
    found = answer(f"route mesh x=2 y=2 dead=0-1 --words {LOADED}")
    assert (found["network"], found["bits"]) == ("mesh_x2_y2_tablesloaded", 11)
    # From 0 to 1 by D, R and U; port numbers are those of local, L, R, U, D.
    for router, port, output in ((0, 0, 4), (2, 3, 2), (3, 1, 3), (1, 4, 0)):
        assert router << 8 | port << 5 | 1 << 3 | output in found["words"]
    assert found["words"][-2:] == [1 << 10 | 0 << 8 | 2, 1 << 10 | 1 << 8 | 1]
    status, out, _ = run(f"route mesh x=2 y=2 dead=0-1 --words {LOADED}")
    assert (status, out) == (0, "".join(f"{word:03x}\n" for word in found["words"]))


# Figure 2.2 of the thesis: minimal expansions of the nodes of MC_4, in their order.
EXPANSIONS = (
    *("", "E0", "e1", "E1", "e2", "e2 E0", "E2 E0", "E2"),
    *("e3", "e3 E0", "e3 e1", "e3 E1", "E3 E1", "E3 e1", "E3 E0", "E3"),
)


def test_paths_to_all_have_the_expansions_of_the_thesis(answer, run):
    routes = answer("route moebius n=4 routing=set_spr 0 all")["routes"]
    assert [each["destination"] for each in routes] == list(range(16))
    assert [" ".join(each["expansion"]) for each in routes] == list(EXPANSIONS)
    for node, each in enumerate(routes):
        alone = answer(f"route moebius n=4 routing=set_spr 0 {node}")
        assert each == {"destination": node} | alone
    out = run("route moebius n=4 routing=set_spr 0 all")[1]
    assert "0000 to all, 16 paths" in out
    assert "other expansion" in out
    # Figure 2.8: substitutions of as many terms.
    told = answer("route moebius n=11 routing=set_spr 0 @11010100101")
    assert " ".join(told["expansion"]) == "E10 e8 e6 E4 e2 E0"
    assert " ".join(told["other_expansion"]) == "e10 e9 e7 e5 e2 E0"
    told = answer("route moebius n=11 routing=set_spr 0 @10101011001")
    assert " ".join(told["expansion"]) == "e10 e8 e6 E4 E2 E0"
    assert " ".join(told["other_expansion"]) == "E10 e9 e7 e5 E2 E0"
    assert answer("route moebius n=4 routing=set_spr 0 13")["other_expansion"] is None


def test_paths_to_all_are_those_to_possible_receivers_and_too_many_are_refused(answer, refusal):
    routes = answer("route banyan d=2 u=1 levels=2 0 all")["routes"]
    assert [each["destination"] for each in routes] == [4]  # the terminal; the PEs are 0 to 3
    routes = answer("route mesh x=2 y=1 classes=2 buffer_depth=4 1 all")["routes"]
    assert [each["destination"] for each in routes] == [0, 1]  # 2 and 3 are of the other class
    assert refusal("route moebius n=10 routing=set_spr 0 all") == (
        "moebius_n10_twist0_set_spr: nodes must be at most 512 for the paths to all, not 1024"
    )
    assert refusal("route hypercube n=3 0 all --disjoint") == (
        "route: --disjoint must be used with one DST, not with all"
    )


@pytest.mark.parametrize(
    "command",
    ["route {} 0 5", "check {} --messages sent.csv", "draw {} --messages sent.csv -o x.svg"],
)
def test_a_path_to_a_node_of_another_class_is_refused(command, refusal, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sent.csv").write_text("0,5\n")
    assert refusal(command.format("moebius n=2 classes=2")) == (
        "moebius: the destination must be a node to which node 0 may send, in 0..3, not 5"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["sent.csv"]
