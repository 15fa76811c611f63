import pytest
from helpers.ring import CyclicRingRouting, Ring
from knotwork import Network
from knotwork.cli.answers.describe import describe_network
from knotwork.topology import TOPOLOGIES, metrics

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
    assert "none: a packet's path depends on the other packets" in row


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
    ("net", "links", "neighbours"),
    [
        ("tcpg k=1 m=1", 140, 100),  # section 3 of the specification
        ("tcpg k=1 m=2", 280, 240),
        ("torus x=2 y=2", 8, 4),
        ("torus x=2 y=5", 20, 15),
        ("rp k=2", 50, 40),
        ("torus x=5 y=3", 30, 30),
    ],
)
def test_rings_of_two_have_double_links_and_odd_rings_are_none_the_worse(
    answer, net, links, neighbours
):
    facts = answer(f"describe {net}")
    assert (facts["links"], facts["simple_links"]) == (links, neighbours)
    assert answer(f"check {net}")["deadlock_free"]


def test_tables_are_not_cut_in_a_pipe(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    _, out, _ = run("compare moebius:n=3 moebius:n=4 moebius:n=5 moebius:n=6")
    assert "…" not in out
    (head,) = [line for line in out.splitlines() if "moebius_n3_twist0" in line]
    assert "moebius_n6_twist0" in head


def test_large_networks_are_described_without_a_search():
    found = describe_network(Network.from_words(["hypercube", "n=16"]))
    assert (found.nodes, found.links) == (65536, 8 * 65536)
