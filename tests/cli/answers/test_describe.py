"""Facts that `describe` tells."""

import re
from pathlib import Path

import pytest
from knotwork import Network
from knotwork.cli.answers.describe import describe_network
from knotwork.topology import TOPOLOGIES


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


def test_large_networks_are_described_without_a_search():
    found = describe_network(Network.from_words(["hypercube", "n=16"]))
    assert (found.nodes, found.links) == (65536, 8 * 65536)


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
    del facts["walks"], facts["quality"]
    assert facts == answer(f"describe moebius n=4 twist={twist}")
    _, out, _ = run(f"describe moebius n=4 twist={twist} --routing")
    (row,) = [line for line in out.splitlines() if "walks of dfr" in line]
    assert f"mean 2.13333, longest 4; {sum(longer)} pairs longer than their distance" in row


def test_describe_walks_of_a_hypercube_are_its_distances(answer):
    facts = answer("describe hypercube n=7 --routing")
    mean = pytest.approx(7 * 64 / 127)
    assert facts["walks"]["ecube"] == {"mean": mean, "max": 7, "nonminimal": 0}


@pytest.mark.usefixtures("cyclic")
def test_describe_walks_of_a_routing_outside_the_registry(answer):
    walks = answer("describe loop --routing")["walks"]
    assert walks["one_way"] == {"mean": 3.0, "max": 5, "nonminimal": 12}
    assert walks["shortest"] == {"mean": 1.8, "max": 3, "nonminimal": 0}  # 1, 1, 2, 2, 3 hops


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
def test_rings_of_two_have_double_links_and_odd_rings_are_free_of_deadlock(
    answer, net, links, neighbours
):
    facts = answer(f"describe {net}")
    assert (facts["links"], facts["simple_links"]) == (links, neighbours)
    assert answer(f"check {net}")["deadlock_free"]


def test_a_name_that_means_something_else_elsewhere_is_told(answer, run):
    told = answer("describe ccc n=4")["elsewhere"]
    assert "n * 2^n nodes" in told
    _, out, _ = run("describe ccc n=4")
    assert "textbook" in " ".join(out.split())
    assert answer("describe hypercube n=3")["elsewhere"] is None
    _, out, _ = run("describe hypercube n=3")
    assert "elsewhere" not in out


def test_the_page_lists_every_such_name():
    page = " ".join(Path("hdl/docs/networks.md").read_text(encoding="utf-8").split())
    plain = page.replace("`", "").replace(" · ", " * ")
    told = {name: TOPOLOGIES[name].elsewhere for name in TOPOLOGIES}
    assert all(text in plain for text in told.values() if text)
    section = plain.partition("## Elsewhere")[2].partition("## ")[0]
    for name, text in told.items():
        assert (re.search(rf"\| (\w+, )*{name}(, \w+)* \|", section) is not None) == bool(text)


def test_describe_tells_how_many_links_take_several_cycles(answer, tmp_path):
    (tmp_path / "a.edges").write_text("0 1 3\n1 2\n2 0\n0 2 3\n")
    facts = answer(f"describe graph file={tmp_path}/a.edges --routing")
    assert facts["links_by_latency"] == {"1": 2, "3": 2}
    assert facts["parameters"]["pipeline"] == 2
    (tmp_path / "b.edges").write_text("0 -> 1 3\n1 -> 2\n2 -> 0\n")
    assert answer(f"describe graph file={tmp_path}/b.edges")["links_by_latency"] == {"1": 2, "3": 1}
    assert "links_by_latency" not in answer("describe mesh x=2 y=2")
