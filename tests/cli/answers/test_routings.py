"""Verb describe: all routings side by side, under a pattern and under the worst permutation."""

import re
from pathlib import Path

import pytest
from helpers.networks import Served
from helpers.ring import CyclicRingRouting, Ring
from helpers.tables import rows_of
from knotwork import Network
from knotwork.cli.answers.routings import MEMBERS, RoutingFacts, compare_routings, measure
from knotwork.costs import estimated_cost
from knotwork.parameters.patterns import Pattern
from knotwork.routing import Routing
from knotwork.routing.generated import Balanced
from knotwork.routing.patterns import pattern_rates
from knotwork_sim.sweep.channel_load import channel_load
from knotwork_sim.traffic.keys import Traffic


def compared(answer, words):
    found = answer(f"describe {words} --routing")["comparison"]
    return {facts["routing"]: facts for facts in found["routings"]}


def test_dimension_order_on_a_mesh_of_16(answer):
    """By hand: the middle link of a row carries 2 nodes' packets to 8 others, of 15 each."""
    facts = compared(answer, "mesh x=4 y=4")
    names = ["dimension_order", "o1turn", "updown", "shortest", "balanced", "adaptive", "valiant"]
    names += ["romm"]
    assert list(facts) == names
    own = facts["dimension_order"]
    assert (own["virtual_channels"], own["in_order"], own["deadlock_free"]) == (1, True, True)
    # Along a line of 4, all 16 pairs: 20 / 16 hops; in two dimensions, of all but 16 of 256 pairs.
    assert own["hops"] == {
        "mean": pytest.approx(2 * 20 / 16 * 256 / 240),
        "max": 6,
        "nonminimal": 0,
    }
    assert own["load"] == pytest.approx(16 / 15)
    assert own["throughput"] == pytest.approx(15 / 16)
    # Three nodes of a row may all send to three of the four nodes of its last column.
    assert (own["worst_load"], own["worst_throughput"]) == (3, pytest.approx(1 / 3))
    assert sorted(own["worst_permutation"]) == list(range(16))
    assert own["luteq"] == round(estimated_cost(Network.from_word("mesh:x=4,y=4")).router.luteq)
    assert own["reasons"] == {}


def test_transpose_loads_the_last_link_of_a_row_with_three_nodes(answer):
    words = "mesh x=4 y=4 traffic=transpose"
    found = answer(f"describe {words} --routing")["comparison"]
    assert (found["traffic"], found["permutation"]) == ("transpose", None)
    own = compared(answer, words)["dimension_order"]
    assert (own["load"], own["throughput"]) == (3, pytest.approx(1 / 3))


def test_tornado_on_a_ring_loads_every_link_that_way_alike(answer):
    """Each of 7 nodes sends over the next 3 links; over a line of links, 3 sources at most."""
    facts = compared(answer, "ring n=7 traffic=tornado")
    own = facts["dimension_order"]
    assert (own["load"], own["throughput"]) == (3, pytest.approx(1 / 3))
    assert own["worst_load"] == 3
    # Nothing goes over one of the links: two of the three nodes before it go back the other way.
    assert facts["updown"]["hops"]["max"] > 3


def test_ways_that_are_chosen_have_no_loads(answer, run):
    facts = compared(answer, "mesh x=3 y=3")["adaptive"]
    assert (facts["virtual_channels"], facts["in_order"]) == (2, False)
    assert facts["deadlock_free"]
    assert facts["hops"]["mean"] == pytest.approx(2.0)
    reason = (
        "a blocked packet takes another way, so the loads are neither those of its first way nor "
        "those of its escape"
    )
    lacking = ["load", "throughput", "worst_load", "worst_throughput", "worst_permutation"]
    assert facts["reasons"] == dict.fromkeys(lacking, reason)
    assert [facts[name] for name in lacking] == [None] * 5
    _, out, _ = run("describe mesh x=3 y=3 --routing")
    (row,) = [row for row in rows_of(out) if row[0] == "adaptive"]
    assert row[:10] == ["adaptive", "2", "2", "4", "-", "-", "-", "-", "no", "yes"]
    text = " ".join(out.split())
    assert f"adaptive: no load, rate, worst load, worst rate: {reason}." in text


def test_the_table_has_a_row_per_routing(run):
    _, out, _ = run("describe ring n=7 traffic=tornado --routing")
    assert "Routings of ring_n7 under tornado traffic" in out
    (row,) = [row for row in rows_of(out) if row[0] == "dimension_order"]
    assert row[:10] == ["dimension_order", "2", "2", "3", "3", "0.333", "3", "0.333", "yes", "yes"]


@pytest.mark.parametrize("pattern", ["uniform", "transpose", "tornado"])
@pytest.mark.parametrize(
    "word", ["mesh:x=4,y=4", "torus:x=4,y=4", "mesh:x=4,y=4,pipeline=3,buffer_depth=2"]
)
def test_the_throughput_is_the_ideal_one_of_a_sweep(word, pattern):
    """Also where a channel fills a share of its link."""
    network = Network.from_word(word)
    found = compare_routings(network, Pattern(traffic=pattern)).routings
    for facts in found[:3]:
        same = network if facts is found[0] else network.with_routing(facts.routing)
        load = channel_load(same, Traffic(traffic=pattern))
        assert facts.throughput == load.ideal_throughput


def test_a_routing_with_a_key_has_it_and_the_others_their_defaults(answer):
    facts = compared(answer, "moebius n=4 routing=spr virtual_channels=4 data_width=64")
    assert facts["spr"]["virtual_channels"] == 2
    wide, own = Network.from_word("moebius:n=4,data_width=64"), facts["dfr"]
    assert own["luteq"] == round(estimated_cost(wide).router.luteq)


def test_what_cannot_be_is_said_in_its_row(answer, run):
    facts = compared(answer, "mesh x=3 y=2 pipeline=1")["adaptive"]
    assert {facts[name] for name in MEMBERS} == {None}
    (reason,) = set(facts["reasons"].values())
    assert reason == (
        "mesh: routing must be the network's own with pipeline=1, whose routers have no options, "
        "not adaptive; pipeline=2 has them all"
    )
    _, out, _ = run("describe mesh x=3 y=2 pipeline=1 --routing")
    assert f"adaptive: nothing: {reason}." in " ".join(out.split())


UNKNOWN = "a packet's path depends on the other packets"


@pytest.mark.parametrize(
    ("words", "routing", "reason"),
    [
        ("hypercube n=3 router=deflection", "ecube", UNKNOWN),
        ("hypercube n=3", "lc1", UNKNOWN),
        ("moebius n=3", "rsa", "it compares the distances from all neighbours, which no gates "
         "compute; use routing=spr"),
        ("lcan d=2 u=2 levels=2", "updown", "sweep reports the ideal throughput of switches "
         "without nodes"),
    ],
)  # fmt: skip
def test_loads_that_follow_from_no_path_are_left_out(answer, words, routing, reason):
    facts = compared(answer, words)[routing]
    assert facts["load"] is facts["worst_load"] is None
    assert facts["reasons"]["load"] == reason


def test_a_rule_that_can_deadlock_is_shown_as_one():
    network = Network(Ring(nodes=6), routing=CyclicRingRouting)
    found = {facts.routing: facts for facts in compare_routings(network, Pattern()).routings}
    assert found["one_way"].deadlock_free is False
    # Each of 6 nodes sends one flit over 1 to 5 links, all in one direction.
    assert found["one_way"].load == pytest.approx(15 / 5)
    assert found["one_way"].reasons["luteq"].endswith("the cost of rules of your own cannot be "
                                                      "estimated")  # fmt: skip
    assert found["updown"].deadlock_free


def test_routers_without_nodes():
    """Router 1 of three has no node, and router 0 has two."""
    found = compare_routings(Network(Served()), Pattern()).routings
    assert found[0].routing == "nearest"
    # Nodes 0 and 1 send half of their packets to node 2 over two links, which they share.
    assert (found[0].load, found[0].worst_load) == (1, 1)


def test_large_networks_and_slow_searches_are_left_out(answer, run, monkeypatch):
    monkeypatch.setattr(Balanced, "comparison_limit", 8)
    facts = compared(answer, "mesh x=3 y=3")
    assert facts["balanced"]["load"] is None
    assert set(facts["balanced"]["reasons"].values()) == {
        "computed beyond 8 nodes and routers only if chosen"
    }
    assert compared(answer, "mesh x=3 y=3 routing=balanced")["balanced"]["load"] is not None
    monkeypatch.setattr(Routing, "comparison_limit", 8)
    assert answer("describe mesh x=3 y=3 --routing")["comparison"]["routings"] is None
    _, out, _ = run("describe mesh x=3 y=3 --routing")
    assert out.endswith("Routings are compared in networks of up to 8 nodes and routers.\n")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("mesh x=3 y=3 traffic=transpose", "describe: the key traffic must be used with --routing, "
         "not without"),
        ("mesh x=3 y=3 traffic=transpose --routing", "traffic: transpose must have a power of two "
         "nodes, not 9"),
        ("hypercube n=3 traffic=tornado --routing", "traffic: tornado must be used with a network "
         "that has a dimension of at least 3 nodes in a row, such as torus, not hypercube_n3"),
        ("mesh x=3 y=3 traffic=hotspot --routing", "traffic: traffic must be one of uniform, "
         "complement, transpose, reversal, shuffle, tornado, bit_rotation, permutation, not "
         "'hotspot'"),
    ],
)  # fmt: skip
def test_traffic_that_cannot_be_is_refused(run, words, line):
    assert run(f"describe {words}") == (2, "", f"knotwork: error: {line}\n")


def test_several_networks_have_the_same_traffic(answer):
    both = answer("describe mesh x=2 y=2 ring n=4 traffic=complement --routing")["networks"]
    assert [each["comparison"]["traffic"] for each in both] == ["complement"] * 2


def figures(heading):
    """Routing, pattern, load and rate of each cell of a table of the page."""
    page = Path("hdl/docs/which-routing.md").read_text(encoding="utf-8")
    head, _, *rows = page.partition(f"| {heading} |")[2].partition("\n\n")[0].splitlines()
    patterns = [cell.strip() for cell in head.split("|") if cell.strip()]
    for row in rows:
        names, *cells = [cell.strip() for cell in row.split("|") if cell.strip()]
        for name in re.findall(r"`(\w+)`", names):
            found = [tuple(map(float, re.findall(r"[0-9.]+", cell))) for cell in cells]
            is_long = name in {"shortest", "balanced", "valiant", "romm"}
            yield pytest.param(
                heading, name, dict(zip(patterns, found, strict=True)), id=f"{heading}-{name}",
                marks=[pytest.mark.slow] if is_long else [],
            )  # fmt: skip


@pytest.mark.parametrize(
    ("heading", "routing", "cells"), [*figures("8x8 mesh"), *figures("8x8 torus")]
)
def test_figures_of_the_page(heading, routing, cells):
    network = Network.from_word(f"{heading.split()[1]}:x=8,y=8,routing={routing}")
    for pattern, (load, rate) in cells.items():
        facts = RoutingFacts(routing=routing)
        traffic = "uniform" if pattern == "worst" else pattern
        measure(facts, network, pattern_rates(Pattern(traffic=traffic), network.topology))
        worst = facts.worst_load, facts.worst_throughput
        found = worst if pattern == "worst" else (facts.load, facts.throughput)
        assert (load, rate) == (round(found[0], 2), round(found[1], 3))
