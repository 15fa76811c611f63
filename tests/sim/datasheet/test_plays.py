import pytest
from knotwork import Network
from knotwork_sim.datasheet import plays as module
from knotwork_sim.datasheet.plays import plays


def played(words):
    found = plays(Network.from_words(words.split()), words)
    return {play["command"].partition(words)[2].strip() or play["title"]: play for play in found}


def test_a_broadcast_has_a_tree_from_every_node_and_a_multicast_its_rounds(answer):
    network = Network.from_words(["wk", "w=3", "levels=2"])
    trees = plays(network, "wk w=3 levels=2")[0]["trees"]
    told = answer("broadcast wk w=3 levels=2 4")
    assert trees[4]["arrival"] == told["arrival"]
    assert [None if node < 0 else node for node in trees[4]["parent"]] == told["parent"]
    neighbours = network.topology.neighbours
    for node, (parent, port) in enumerate(zip(trees[4]["parent"], trees[4]["port"], strict=True)):
        assert parent < 0 or neighbours[parent, port] == node
    words = "hypercube n=3"
    play = played(words)["0 1 2 3 4 5 6 7"]
    told = answer("multicast hypercube n=3 0 1 2 3 4 5 6 7")
    assert [len(ways) for _, ways, _ in play["frames"]] == [len(sent) for sent in told["rounds"]]
    assert play["frames"][-1][2] == list(range(8))


@pytest.mark.parametrize(
    ("words", "name"), [("lcan d=2 u=1 levels=3", "reversal"), ("ccc n=3", "complement")]
)
def test_schedules_bring_all_to_their_destinations_the_longest_first(words, name):
    network = Network.from_words(words.split())
    play = played(words)[f"--permutation {name}"]
    says, ways, _ = play["frames"][0]
    assert says
    arrived = set().union(*(frame[2] for frame in play["frames"]))
    assert arrived == set(range(network.topology.nodes))
    assert ways
    assert all(len(links) % 2 == 0 for _, _, links in ways)
    frames = [len(play["frames"]) for play in plays(network, words)]
    assert frames[0] > 1
    assert frames == sorted(frames, reverse=True)


def test_large_networks_and_long_schedules_have_none(monkeypatch):
    assert plays(Network.from_words(["ccc", "n=9"]), "ccc n=9") == []
    monkeypatch.setattr(module, "MOST_WAYS", 3)
    assert [key for key in played("ccc n=3") if "permutation" in key] == []
