from helpers.ring import CyclicRingRouting, Ring
from knotwork import Network
from knotwork_sim.datasheet.tables import comparison, facts, proofs


def cells(table):
    return {row[0]: row[1] for row in table["rows"]}


def test_facts_are_those_of_the_commands(answer):
    of_describe, of_cost, of_check = facts(Network.from_words(["ccc", "n=3"]), "ccc n=3")
    told = answer("describe ccc n=3")
    assert cells(of_describe)["links"] == str(told["links"])
    assert cells(of_check)["channels"] == str(answer("check ccc n=3")["channels"])
    assert of_describe["command"] == "knotwork describe ccc n=3"
    luteq = answer("describe ccc n=3 --cost")["cost"]["network"]["luteq"]
    assert cells(of_cost)["all routers"].startswith(f"about {luteq:,} LUTeq: ")
    assert of_cost["command"] == "knotwork describe ccc n=3 --cost"


def test_a_cost_that_cannot_be_estimated_says_why():
    words = "hypercube n=3 multicast=yes"
    _, of_cost, _ = facts(Network.from_words(words.split()), words)
    assert (
        of_cost["reason"] == "hypercube_n3_multicastyes: the cost of multicasts cannot be estimated"
    )


def test_a_check_that_is_refused_says_why():
    words = "moebius n=10 routing=approx_spr"
    _, _, of_check = facts(Network.from_words(words.split()), words)
    assert of_check["reason"].startswith("moebius: ")


def test_a_ring_of_waiting_channels_is_told():
    network = Network(Ring(nodes=6), routing=CyclicRingRouting)
    _, of_cost, of_check = facts(network, "ring")
    assert of_cost["reason"].endswith("the cost of rules of your own cannot be estimated")
    assert cells(of_check)["deadlock free"] == "no"
    assert "cycle" in cells(of_check)


def test_proofs_are_named_or_why_there_are_none():
    assert (
        proofs(Network.from_words(["ccc", "n=2"]), "ccc n=2")["command"]
        == "knotwork verify ccc n=2"
    )


def test_several_networks_are_compared():
    words = ["hypercube:n=3", "moebius:n=3"]
    networks = [Network.from_word(word) for word in words]
    assert comparison(networks[:1], words[:1]) is None
    table = comparison(networks, words)
    assert table is not None
    assert table["columns"] == ("fact", "hypercube_n3", "moebius_n3_twist0")
    assert ["diameter", "3", "2"] in table["rows"]
