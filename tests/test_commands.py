import pytest
from knotwork import Network, facts
from knotwork.topology import TOPOLOGIES, metrics
from ring import CyclicRingRouting, Ring

NETWORKS = ", ".join(TOPOLOGIES)


@pytest.mark.parametrize(
    ("twist", "diameter", "mean"),
    [(0, 6, 4.00018), (1, 6, 3.84708)],  # section 3 of the specification
)
def test_describe_moebius_of_ten(answer, twist, diameter, mean):
    facts = answer(f"describe moebius n=10 twist={twist}")
    assert facts["network"] == "moebius"
    assert facts["parameters"]["n"] == 10
    assert facts["parameters"]["twist"] == twist
    assert facts["parameters"]["virtual_channels"] == 1
    assert (facts["nodes"], facts["routers"]) == (1024, 1024)
    assert (facts["links"], facts["simple_links"]) == (5120, 5120)
    assert facts["degree"] == {"min": 10, "max": 10}
    assert facts["diameter"] == diameter
    assert facts["average_distance"] == pytest.approx(mean, abs=5e-6)
    assert facts["default_routing"] == "dfr"
    assert "dfr" in facts["routings"]


def test_describe_hypercube_of_ten(answer):
    facts = answer("describe hypercube n=10")
    assert (facts["nodes"], facts["links"], facts["diameter"]) == (1024, 5120, 10)
    assert facts["average_distance"] == pytest.approx(10 * 512 / 1023)
    assert facts["default_routing"] == "ecube"


def test_describe_says_why_a_fact_is_unknown(answer, run, monkeypatch):
    monkeypatch.setattr(metrics, "SEARCH_LIMIT", 16)
    assert answer("describe moebius n=5")["average_distance"] is None
    _, out, _ = run("describe moebius n=5")
    assert "unknown: no formula, and all pairs are searched up to 16 routers only" in out


def test_describe_says_why_a_bisection_is_unknown(answer, run):
    assert answer("describe wk w=4 levels=5")["bisection"] == 4
    assert answer("describe wk w=7 levels=2")["bisection"] is None
    _, out, _ = run("describe wk w=7 levels=2")
    assert "unknown: no formula, and halves are too many to search" in out


def test_describe_ccc_of_six(answer):
    facts = answer("describe ccc n=6")
    assert (facts["nodes"], facts["links"], facts["simple_links"]) == (64, 96, 96)
    assert facts["degree"] == {"min": 3, "max": 3}
    assert facts["diameter"] == 8
    assert facts["average_distance"] == pytest.approx(4.6984, abs=5e-5)
    assert facts["default_routing"] == "unicast"
    assert facts["parameters"]["virtual_channels"] == 2


def test_describe_ccc_of_a_million_nodes(answer):
    facts = answer("describe ccc n=20")
    assert facts["nodes"] == 2**20
    assert facts["simple_links"] == 2**20 + 16 * 2**15  # C + x 2^(x-1) with x = 16
    assert facts["diameter"] == 2 * 16 + 16 // 2 - 2  # the known formula for x = 2^y
    assert facts["average_distance"] > 23


def test_describe_says_that_a_batch_has_no_walks(answer, run):
    walks = answer("describe ccc n=3 --routing")["walks"]
    # Cycles of two leave no choice but the order of crossings: unicast is shortest.
    assert walks["unicast"] == {"mean": pytest.approx(2.2857, abs=5e-5), "max": 4, "nonminimal": 0}
    assert walks["lc2"] is None
    _, out, _ = run("describe ccc n=3 --routing")
    (row,) = [line for line in out.splitlines() if "walks of lc2" in line]
    assert "none: a packet's way depends on the others" in row


@pytest.mark.parametrize("twist", [0, 1])
def test_describe_walks_all_pairs_by_each_routing(answer, run, twist):
    facts = answer(f"describe moebius n=4 twist={twist} --routing")
    assert facts["walks"].keys() == set(facts["routings"])
    dfr, approx_spr = facts["walks"]["dfr"], facts["walks"]["approx_spr"]
    routing = Network.from_words(["moebius", "n=4", f"twist={twist}"]).routing
    longer = [
        len(routing.path(a, b)) - 1 > routing.topology.distance(a, b)
        for a in range(16)
        for b in range(16)
    ]
    expected = {"mean": pytest.approx(4 * 8 / 15), "max": 4, "nonminimal": sum(longer)}
    assert dfr == expected
    # Section 4 of the specification; a detour costs one hop.
    mean = facts["average_distance"] + 32 / 240
    assert approx_spr == {"mean": pytest.approx(mean), "max": 3, "nonminimal": 32}
    del facts["walks"]
    assert facts == answer(f"describe moebius n=4 twist={twist}")
    _, out, _ = run(f"describe moebius n=4 twist={twist} --routing")
    (row,) = [line for line in out.splitlines() if "walks of dfr" in line]
    assert f"mean 2.13333, longest 4; {sum(longer)} pairs longer than their distance" in row


def test_describe_walks_of_a_hypercube_are_its_distances(answer):
    facts = answer("describe hypercube n=7 --routing")
    mean = pytest.approx(7 * 64 / 127)
    assert facts["walks"]["ecube"] == {"mean": mean, "max": 7, "nonminimal": 0}


def test_describe_says_why_pairs_were_not_walked(answer, run):
    walks = answer("describe moebius n=10 --routing")["walks"]
    assert walks["dfr"]["max"] == 10
    assert walks["approx_spr"] is None
    _, out, _ = run("describe hypercube n=13 --routing")
    assert "unknown: all pairs are walked up to 4096 nodes only" in out


@pytest.mark.usefixtures("cyclic")
def test_describe_walks_of_a_routing_outside_the_registry(answer):
    expected = {"one_way": {"mean": 3.0, "max": 5, "nonminimal": 12}}
    assert answer("describe ring --routing")["walks"] == expected


def test_compare_puts_the_facts_side_by_side(answer, run):
    words = "moebius:n=4 moebius:n=4,twist=1 hypercube:n=4"
    described = answer(f"compare {words}")["networks"]
    assert [facts["diameter"] for facts in described] == [3, 3, 4]
    assert answer("describe moebius n=4 twist=1").items() <= described[1].items()
    _, out, _ = run(f"compare {words}")
    (row,) = [line for line in out.splitlines() if "average_distance" in line]
    assert [word for word in row.split() if "." in word] == ["1.93333", "1.86667", "2.13333"]


# Section 6 of the specification of the torus-connected Petersen graphs, by k and m.
RIVALS = {
    "tcpg:k=1,m=1 torus:x=5,y=8 rp:k=4": ([4, 6, 4], [2.564, 3.282], [140, 80, 100]),
    "tcpg:k=2,m=2 torus:x=10,y=16 rp:k=16": ([6, 13, 10], [3.522, 6.541], [560, 320, 400]),
    "tcpg:k=2,m=3 torus:x=15,y=16 rp:k=24 hypercube:n=8": (
        *([7, 15, 14, 8], [4.017, 7.766]),
        [840, 480, 600, 1024],
    ),
    "tcpg:k=3,m=3 torus:x=18,y=20 rp:k=36": ([8, 19, 20], [4.513, 9.526], [1260, 720, 900]),
    "tcpg:k=4,m=4 torus:x=20,y=32 rp:k=64": ([10, 26, 34], [5.509, 13.020], [2240, 1280, 1600]),
    "tcpg:k=5,m=5 torus:x=25,y=40 rp:k=100": ([12, 32, 52], [6.507, 16.256], [3500, 2000, 2500]),
}


@pytest.mark.parametrize("nets", RIVALS)
def test_compare_with_the_rivals_of_the_paper(answer, nets):
    diameters, means, links = RIVALS[nets]
    found = answer(f"compare {nets} --groups 2,6")["networks"]
    assert [facts["diameter"] for facts in found] == diameters
    assert [round(facts["average_distance"], 3) for facts in found[:2]] == means
    assert [facts["links"] for facts in found] == links
    assert [facts["degree"]["max"] for facts in found] == [7, 4, 5, 8][: len(found)]
    costs = [a * b for a, b in zip(links, diameters, strict=True)]
    assert [facts["links_x_diameter"] for facts in found] == costs
    groups = [[group["distance"] for group in facts["group_distances"]] for facts in found]
    assert groups == [[1, 2], [1, 3], [1, 2], [1, 2]][: len(found)]


def test_compare_says_how_a_measure_was_found(answer, run):
    nets = "tcpg:k=2,m=3 torus:x=15,y=16 rp:k=24 hypercube:n=8 ccc:n=8 lcan:d=2,u=2,levels=3"
    found = answer(f"compare {nets} --groups 40,11")["networks"]
    cuts = [(facts["bisection"], facts["bisection_by"]) for facts in found]
    assert [cuts[i] for i in (0, 3, 5)] == [(80, "formula"), (128, "formula"), (None, None)]
    assert found[2]["bisection_bounds"][1] <= 20
    assert cuts[4] == (None, "bounds")
    low, high = found[4]["bisection_bounds"]
    assert 1 < low < high <= 64
    assert found[5]["bisection_bounds"] is None
    groups = [facts["group_distances"] for facts in found[:3]]
    assert [[group["nodes"] for group in known] for known in groups] == [[11, 40]] * 3
    # Section 6; of the torus it tells no distance of forty.
    assert [known[0]["distance"] for known in groups] == [3, 4, 3]
    assert [known[1]["distance"] for known in groups] == [4, groups[1][1]["distance"], 5]
    assert groups[0][0]["distance_by"] == "search"
    assert groups[0][0]["distance_bounds"] == [3, 3]
    _, out, _ = run(f"compare {nets} --groups 40,11")
    rows = {row[0]: row[1:] for row in cells(out) if row}
    assert rows["bisection"][0] == "80 (formula)"
    assert rows["bisection"][4:] == [f"{low}..{high} (bounds)", "-"]
    assert rows["group of 11"][:3] == ["3 (search)", "4 (search)", "3 (search)"]
    assert rows["group of 40"][5] == "-"


def cells(out):
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines()]


def test_compare_johnson_and_gray_codes(answer, run):
    nets = "torus:x=8,y=4 torus:x=15,y=16"
    even, odd = answer(f"compare {nets}")["networks"]
    assert odd["ring_codes"] is None
    # Erratum T20: a 2-D Gray code of 2 + 3 bits has five words a bit away, a torus node four.
    assert even["ring_codes"] == {
        "johnson": {"bits": 6, "isometric": True, "one_bit_neighbours": 4},
        "gray": {"bits": 5, "isometric": False, "one_bit_neighbours": 5},
    }
    _, out, _ = run(f"compare {nets}")
    rows = {row[0]: row[1:] for row in cells(out) if row}
    assert rows["johnson code of the rings"] == [
        "6 bits, differing bits are the distance, 4 words a bit away",
        "",
    ]
    assert rows["gray code of the rings"][0] == "5 bits, not isometric, 5 words a bit away"


@pytest.mark.parametrize("groups", ["1", "2,", "x", "2,257", "-3"])
def test_compare_refuses_groups_that_are_none(refusal, groups):
    assert refusal(f"compare petersen --groups {groups}") == (
        f"compare: groups must be numbers in 2..256 with commas between them, not {groups!r}"
    )


def test_describe_gives_bounds_of_a_bisection(answer, run):
    facts = answer("describe torus x=9 y=9")
    low, high = facts["bisection_bounds"]
    assert facts["bisection"] is None
    _, out, _ = run("describe torus x=9 y=9")
    assert f"unknown: from {low} to {high}" in out


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


def test_route_to_the_node_itself(answer):
    assert answer("route hypercube n=3 5 5") == {
        "path": [5],
        "labels": ["101"],
        "ports": [],
        "virtual_channels": [],
    }


def test_route_table(answer, run):
    # e-cube corrects the higher bit first.
    expected = [[-1, 1, 2, 2], [0, -1, 3, 3], [0, 0, -1, 3], [1, 1, 2, -1]]
    assert answer("route hypercube n=2 --table")["next"] == expected
    _, out, _ = run("route hypercube n=2 --table")
    rows = [[int(word) for word in line.split("|")[1].split()] for line in out.splitlines()[2:]]
    assert rows == expected


def test_route_table_of_paths_found_at_the_source(answer):
    table = answer("route moebius n=4 routing=approx_spr --table")["next"]
    routing = Network.from_words(["moebius", "n=4", "routing=approx_spr"]).routing
    for a in range(16):
        for b in range(16):
            assert table[a][b] == (-1 if a == b else routing.path(a, b)[1])


def test_route_found_at_the_source(answer):
    # 1-MC_3: e_2, E_0 become E_2, E_1, E_0, which can go in the order 0, 2, 1.
    assert answer("route moebius n=3 twist=1 routing=approx_spr 0 5") == {
        "path": [0, 1, 6, 5],
        "labels": ["000", "001", "110", "101"],
        "ports": ["dim0", "dim2", "dim1"],
        "virtual_channels": [0, 0, 0],
    }


def test_check_of_paths_found_at_the_source(answer, refusal):
    report = answer("check moebius n=4 routing=approx_spr", status=1)
    assert report["channels"] == 4 * 16
    assert report["cycle"]
    assert answer("check moebius n=2 routing=approx_spr")["deadlock_free"] is True
    for n, nodes in ((10, 1024), (13, 8192)):
        assert refusal(f"check moebius n={n} routing=approx_spr") == (
            f"moebius: nodes must be at most 512 to walk all pairs with routing=approx_spr, "
            f"not {nodes}"
        )


@pytest.mark.parametrize(
    "line",
    [
        "generate moebius n=3 routing=approx_spr",
        "generate moebius n=2 routing=approx_spr allow_deadlock=yes -o out",
        "simulate moebius n=3 routing=approx_spr",
        "simulate moebius n=10 routing=approx_spr --engine model",
        "bitstream moebius n=3 routing=approx_spr --board ulx3s_85f -o out",
    ],
)
def test_what_cannot_be_built_is_refused_and_nothing_written(refusal, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refusal(line) == (
        "moebius: routing=approx_spr must not be built: its path is found at the source, where the "
        "set of terms left would have to travel with the packet; use routing=spr"
    )
    assert list(tmp_path.iterdir()) == []


def test_check_of_a_network_without_deadlock(answer, run):
    report = answer("check moebius n=7 twist=0 routing=dfr virtual_channels=1")
    assert report["deadlock_free"] is True
    assert report["channels"] == 7 * 128
    assert report["virtual_channels"] == 1
    assert report["cycle"] is None
    assert report["dependencies"] > 0
    assert "acyclic" in report["reason"]
    assert run("check hypercube n=3")[0] == 0


@pytest.fixture
def cyclic(monkeypatch):
    """Makes every command line name a ring whose routing can deadlock."""
    network = Network(Ring(nodes=6), routing=CyclicRingRouting)
    monkeypatch.setattr(Network, "from_words", lambda words: network)


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


@pytest.mark.usefixtures("cyclic")
def test_generate_refuses_a_network_that_can_deadlock(refusal, tmp_path):
    line = refusal(f"generate ring -o {tmp_path}/out")
    assert line.startswith("ring_nodes6_one_way: routing=one_way must be free of deadlock")
    assert not (tmp_path / "out").exists()


def test_generate_names_its_files_and_says_where_it_cannot_write(answer, run, refusal, tmp_path):
    folder = f"{tmp_path}/out"
    made = answer(f"generate moebius n=2 data_width=8 buffer_depth=2 -o {folder}")
    assert made["directory"] == folder
    assert made["files"] == [str(path) for path in made["files"] if path.startswith(folder)]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        path.rpartition("/")[2] for path in made["files"]
    )
    status, out, _ = run(f"generate moebius n=2 data_width=8 buffer_depth=2 -o {folder}")
    assert (status, out.splitlines()) == (0, made["files"])
    (tmp_path / "file").write_text("")
    line = refusal(f"generate moebius n=2 -o {tmp_path}/file")
    assert "must be writable" in line
    assert str(tmp_path / "file") in line


def test_draw_writes_a_file_and_names_it(answer, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("draw moebius n=3")[:2] == (0, "build/moebius_n3_twist0.svg\n")
    assert (tmp_path / "build" / "moebius_n3_twist0.svg").read_text().startswith("<svg ")
    file = f"{tmp_path}/deep/route.svg"
    assert answer(f"draw moebius n=3 --route 1 @110 -o {file}") == {"file": file}
    assert "route 001 to 110" in (tmp_path / "deep" / "route.svg").read_text()
    file = f"{tmp_path}/multicast.svg"
    assert answer(f"draw moebius n=3 --multicast 1 @110,0,@111 -o {file}") == {"file": file}
    assert "multicast from 001 to 3 nodes" in (tmp_path / "multicast.svg").read_text()
    file = f"{tmp_path}/broadcast.svg"
    assert answer(f"draw wk w=3 levels=2 --broadcast @21 -o {file}") == {"file": file}
    assert "broadcast from 21 to 8 nodes" in (tmp_path / "broadcast.svg").read_text()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("describe", f"a network must be named: one of {NETWORKS}, or a .toml file"),
        ("describe moebuis", f"a network must be one of {NETWORKS}, not 'moebuis'"),
        ("check moebius n=3 twist=2", "moebius: twist must be an integer in 0..1, not 2"),
        ("describe x.toml:", f"a network must be one of {NETWORKS}, not 'x.toml:'"),
        (
            "compare",
            "compare: networks must be named, each in one word like moebius:n=6,twist=1",
        ),
        ("compare moebius:n", "moebius: a parameter must be key=value, not 'n'"),
        (
            "route moebius n=4",
            "route: the words must be NET... SRC DST, a network and two nodes, not 'moebius n=4'",
        ),
        ("route", "route: the words must be NET... SRC DST, a network and two nodes, not ''"),
        (
            "route moebius n=4 3",
            "route: the words must be NET... SRC DST, a network and two nodes, not 'moebius n=4 3'",
        ),
        (
            "route moebius n=4 3 16",
            "moebius_n4_twist0: a node must be an index in 0..15 or @label, not '16'",
        ),
        (
            "route hypercube n=13 --table",
            "hypercube_n13: nodes must be at most 4096 for --table, not 8192",
        ),
        (
            "route moebius n=10 routing=approx_spr --table",
            "moebius_n10_twist0_approx_spr: nodes must be at most 512 for --table, not 1024",
        ),
        ("draw moebius n=3 -o x.png", "draw: FILE must end in .svg, not 'x.png'"),
        (
            "draw moebius n=3 --route 0 8",
            "moebius_n3_twist0: a node must be an index in 0..7 or @label, not '8'",
        ),
        (
            "draw moebius n=3 --multicast 0 1,,2",
            "moebius_n3_twist0: a node must be an index in 0..7 or @label, not ''",
        ),
        (
            "draw moebius n=3 --multicast 0 1,0",
            "moebius_n3_twist0: a destination must be another node than the source, not 0",
        ),
        (
            "draw moebius n=3 --route 0 1 --multicast 0 1,2",
            "draw: there must be one of --route, --multicast and --broadcast, not several",
        ),
        (
            "draw wk w=3 levels=2 --route 0 1 --broadcast 0",
            "draw: there must be one of --route, --multicast and --broadcast, not several",
        ),
        (
            "draw wk w=3 levels=2 --broadcast 9",
            "wk_w3_levels2: a node must be an index in 0..8 or @label, not '9'",
        ),
        (
            "draw hypercube n=12",
            "hypercube_n12: routers must be at most 1024 to be drawn, not 4096",
        ),
        (
            "draw moebius n=3 -o /dev/null/x.svg",
            "/dev/null/x.svg: the file must be writable: /dev/null is no folder",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(refusal, line, complaint):
    assert refusal(line) == complaint


def test_tables_are_not_cut_in_a_pipe(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    _, out, _ = run("compare moebius:n=3 moebius:n=4 moebius:n=5 moebius:n=6")
    assert "…" not in out
    (head,) = [line for line in out.splitlines() if "moebius_n3_twist0" in line]
    assert "moebius_n6_twist0" in head


def test_large_networks_are_described_without_a_search():
    found = facts.describe_network(Network.from_words(["hypercube", "n=16"]))
    assert (found["nodes"], found["links"]) == (65536, 8 * 65536)
