"""What is carried out in steps is what the commands answer."""

import pytest
from knotwork import Network
from knotwork_sim.datasheet import pictures
from knotwork_sim.datasheet.pictures import animations


def animated(words):
    """Animations of a network, by what their commands have after it."""
    found = animations(Network.from_words(words.split()), words)
    return {one["command"].partition(words)[2].strip() or one["title"]: one for one in found}


def test_a_broadcast_has_a_tree_from_every_node_and_a_multicast_its_rounds(answer):
    network = Network.from_words(["wk", "w=3", "levels=2"])
    trees = animations(network, "wk w=3 levels=2")[0]["trees"]
    answered = answer("broadcast wk w=3 levels=2 4")
    assert trees[4]["arrival"] == answered["arrival"]
    assert [None if node < 0 else node for node in trees[4]["parent"]] == answered["parent"]
    neighbours = network.topology.neighbours
    for node, (parent, port) in enumerate(zip(trees[4]["parent"], trees[4]["port"], strict=True)):
        assert parent < 0 or neighbours[parent, port] == node
    words = "hypercube n=3"
    animation = animated(words)["0 1 2 3 4 5 6 7"]
    answered = answer("multicast hypercube n=3 0 1 2 3 4 5 6 7")
    assert [len(paths) for _, paths, _ in animation["frames"]] == [
        len(sent) for sent in answered["rounds"]
    ]
    assert animation["frames"][-1][2] == list(range(8))


@pytest.mark.parametrize(
    ("words", "name"), [("lcan d=2 u=1 levels=3", "reversal"), ("ccc n=3", "complement")]
)
def test_schedules_bring_all_to_their_destinations_the_longest_first(words, name):
    network = Network.from_words(words.split())
    animation = animated(words)[f"--permutation {name}"]
    caption, paths, _ = animation["frames"][0]
    assert caption
    arrived = set().union(*(frame[2] for frame in animation["frames"]))
    assert arrived == set(range(network.topology.nodes))
    assert paths
    assert all(len(links) % 2 == 0 for _, _, links in paths)
    frames = [len(animation["frames"]) for play in animations(network, words)]
    assert frames[0] > 1
    assert frames == sorted(frames, reverse=True)


def test_large_networks_and_long_schedules_have_none(monkeypatch):
    assert animations(Network.from_words(["ccc", "n=9"]), "ccc n=9") == []
    monkeypatch.setattr(pictures, "MOST_PATHS", 3)
    assert [key for key in animated("ccc n=3") if "permutation" in key] == []
