"""Verb describe: what it answers, its tables, what it refuses."""

import re
from pathlib import Path

import pytest
from helpers.networks import Served
from helpers.tables import rows_of
from knotwork import Network
from knotwork.designs import Design
from knotwork.topology import TOPOLOGIES, metrics

# Sections 1 and 3 of the specifications: nodes, links, simple ones, least and largest degree,
# diameter, mean distance; the routing that is the default, and its virtual channels.
FACTS = {
    "moebius n=10 twist=0": (1024, 5120, 5120, 10, 10, 6, 4.00018, "dfr", 1),
    "moebius n=10 twist=1": (1024, 5120, 5120, 10, 10, 6, 3.84708, "dfr", 1),
    "hypercube n=10": (1024, 5120, 5120, 10, 10, 10, 10 * 512 / 1023, "ecube", 1),
    "ccc n=6": (64, 96, 96, 3, 3, 8, 4.6984, "unicast", 2),
    "tcpg k=1 m=1": (40, 140, 100, 7, 7, 4, 100 / 39, "petersen_first", 2),
}


@pytest.mark.parametrize("words", FACTS)
def test_facts_of_a_network(answer, words):
    facts = answer(f"describe {words}")
    nodes, links, simple, least, most, diameter, mean, routing, channels = FACTS[words]
    name, *keys = words.split()
    assert facts["network"] == name
    for key, value in (key.split("=") for key in keys):
        assert facts["parameters"][key] == int(value)
    assert facts["parameters"]["virtual_channels"] == channels
    assert (facts["nodes"], facts["routers"]) == (nodes, nodes)
    assert (facts["links"], facts["simple_links"]) == (links, simple)
    assert facts["degree"] == {"min": least, "max": most}
    assert facts["diameter"] == diameter
    assert facts["average_distance"] == pytest.approx(mean, abs=5e-5)
    assert (facts["default_routing"], facts["routings"][0]) == (routing, routing)


def test_describe_says_which_routings_have_no_walks(answer, run, tmp_path, monkeypatch):
    walks = answer("describe ccc n=3 --routing")["walks"]
    # Cycles of two leave no choice but the order of crossings: unicast is shortest.
    assert walks["unicast"] == {"mean": pytest.approx(2.2857, abs=5e-5), "max": 4, "nonminimal": 0}
    assert walks["lc2"] is None
    _, out, _ = run("describe ccc n=3 --routing")
    (row,) = [line for line in out.splitlines() if "walks of lc2" in line]
    assert "none: a packet's path depends on the other packets" in row
    monkeypatch.setattr("knotwork.cli.answers.describe.BOUND_LIMIT", 3)
    path = tmp_path / "ring.edges"
    path.write_text("0 1\n1 2\n2 3\n3 0\n")
    walks = answer(f"describe graph file={path} --routing")["walks"]
    assert walks["updown"]["max"] == 2
    assert walks["balanced"] is None
    _, out, _ = run(f"describe graph file={path} --routing")
    assert "unknown: beyond 3 routers computed only if chosen" in out


def test_describe_walks_all_pairs_by_each_routing(answer, run):
    facts = answer("describe moebius n=4 twist=1 --routing")
    assert facts["walks"].keys() == set(facts["routings"])
    dfr, approx_spr = facts["walks"]["dfr"], facts["walks"]["approx_spr"]
    routing = Network.from_word("moebius:n=4,twist=1").routing
    longer = [
        len(routing.path(a, b)) - 1 > routing.topology.distance(a, b)
        for a in range(16)
        for b in range(16)
    ]
    assert dfr == {"mean": pytest.approx(4 * 8 / 15), "max": 4, "nonminimal": sum(longer)}
    # Section 4 of the specification; a detour costs one hop.
    mean = facts["average_distance"] + 32 / 240
    assert approx_spr == {"mean": pytest.approx(mean), "max": 3, "nonminimal": 32}
    del facts["walks"], facts["quality"], facts["comparison"]
    assert facts == answer("describe moebius n=4 twist=1")
    _, out, _ = run("describe moebius n=4 twist=1 --routing")
    (row,) = [line for line in out.splitlines() if "walks of dfr" in line]
    assert f"mean 2.13333, longest 4; {sum(longer)} pairs longer than their distance" in row


def test_describe_walks_of_a_routing_outside_the_registry(answer, monkeypatch):
    network = Network(Served())
    monkeypatch.setattr(Design, "from_texts", lambda name, texts, **_: Design(network))
    walks = answer("describe served --routing")["walks"]
    # Router 2 reaches router 0 over router 1 alone; nodes 0 and 1 share router 0.
    walk = {"mean": (0 + 1 + 0 + 1 + 2 + 2) / 6, "max": 2, "nonminimal": 0}
    assert walks == {"nearest": walk}


def test_names_that_mean_something_else_elsewhere_are_shown(answer, run):
    told = answer("describe ccc n=4")["elsewhere"]
    assert "n * 2^n nodes" in told
    _, out, _ = run("describe ccc n=4")
    assert "textbook" in " ".join(out.split())
    assert answer("describe hypercube n=3")["elsewhere"] is None
    _, out, _ = run("describe hypercube n=3")
    assert "elsewhere" not in out
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


def test_describe_tells_what_a_virtual_channel_with_a_small_buffer_fills(answer, run):
    words = "describe mesh x=2 y=2 pipeline=3 buffer_depth=2"
    assert answer(words)["channel_share"] == 0.4
    assert "one virtual channel fills 0.4 of a link" in run(words)[1]
    assert "channel_share" not in answer("describe mesh x=2 y=2 pipeline=3 buffer_depth=5")


def test_describe_says_why_facts_pairs_and_bisections_are_unknown(answer, run, monkeypatch):
    walks = answer("describe moebius n=10 --routing")["walks"]
    assert walks["dfr"]["max"] == 10
    assert walks["approx_spr"] is None
    _, out, _ = run("describe hypercube n=13 --routing")
    assert "unknown: all pairs are walked up to 4096 nodes only" in out
    assert answer("describe wk w=4 levels=5")["bisection"] == 4
    facts = answer("describe wk w=7 levels=2")
    low, high = facts["bisection_bounds"]
    assert (facts["bisection"], facts["bisection_by"]) == (None, "bounds")
    _, out, _ = run("describe wk w=7 levels=2")
    assert f"unknown: {low}..{high}" in out
    facts = answer("describe lcan d=2 u=2 levels=2")
    assert (facts["bisection"], facts["bisection_bounds"]) == (None, None)
    _, out, _ = run("describe lcan d=2 u=2 levels=2")
    assert "unknown: routers are not nodes" in out
    # Of the four nodes, one other is at the same switch, and two are two hops away.
    assert "1.33333 between the nodes' routers" in out
    monkeypatch.setattr(metrics, "SEARCH_LIMIT", 16)
    assert answer("describe moebius n=5")["average_distance"] is None
    _, out, _ = run("describe moebius n=5")
    assert "unknown: no formula, and all pairs are searched up to 16 routers only" in out


@pytest.mark.parametrize(
    ("words", "router", "parity"),
    [
        ("hypercube n=3", "packet", "no"),
        ("hypercube n=3 parity=yes", "packet", "yes"),
        ("hypercube n=3 router=deflection", "deflection", "no"),
        ("hypercube n=3 routing=lc1", "batch", "no"),
        ("lcan d=2 u=2 levels=2", "circuit", "no"),
    ],
)
def test_router_class_parity_and_bisection_are_always_told(words, router, parity, answer, run):
    facts = answer(f"describe {words}")
    assert (facts["router"], facts["parity"]) == (router, parity)
    assert {"bisection", "bisection_bounds", "bisection_by"} <= facts.keys()
    rows = rows_of(run(f"describe {words}")[1])
    shown = sorted(row for row in rows if row[0] in ("router", "parity"))
    assert shown == [["parity", parity], ["router", router]]
    assert len([row for row in rows if row[0] == "bisection"]) == 1


def test_describe_tells_how_good_a_routing_is(answer, run):
    quality = answer("describe mesh x=3 y=3 routing=updown --routing")["quality"]
    own, made = quality["dimension_order"], quality["updown"]
    # The busiest links of a 3 x 3 mesh: 3 x 6 pairs by 3 links, of 8 destinations each.
    assert own["fullest_link"] == own["fullest_link_bound"] == pytest.approx(6 / 8, abs=1e-6)
    assert (own["channels"], own["channels_are_least"], own["table_entries"]) == (1, True, None)
    assert made["mean_stretch"] == 1.0
    assert made["table_entries"] >= 9 * 8
    _, out, _ = run("describe mesh x=3 y=3 --routing")
    assert "fullest 0.75 flits/cycle at one per node; at least 0.75 (linear program)" in out
    assert "1: proven least for these paths" in out


def test_describe_estimates_the_cost_where_it_can(answer, run):
    cost = answer("describe mesh x=3 y=3 --cost")["cost"]
    assert cost["router"]["role"] == "router_L_R_U_D"
    assert 0 < cost["router"]["luteq"] < cost["network"]["luteq"] < 9 * cost["router"]["luteq"]
    assert cost["router"]["luteq"] == pytest.approx(
        cost["router"]["lut4"] + 6 * cost["router"]["dpr"], abs=4
    )
    assert "cost" not in answer("describe mesh x=3 y=3")
    _, out, _ = run("describe mesh x=3 y=3 --cost")
    rows = dict(row[:2] for row in rows_of(out) if len(row) == 2)
    assert rows["frequency"].startswith(f"about {cost['router']['fmax_mhz']:.0f} MHz")
    status, out, err = run("describe hypercube n=3 routing=lc1 words=2 --cost")
    assert (status, out) == (2, "")
    assert err.splitlines() == [
        "knotwork: error: hypercube_n3_lc1_words2: the cost of packets of several words cannot "
        "be estimated"
    ]
