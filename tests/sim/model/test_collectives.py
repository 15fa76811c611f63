"""The golden model of collectives gives what NumPy says."""

import random

import pytest
from helpers.collectives import (
    SEVERAL,
    SUM,
    Answer,
    Group,
    Message,
    drawn_rounds,
    form_of,
    run_model,
    same_messages,
    tree_of,
)
from helpers.operations import SaturatingAdd, operation_of
from knotwork import Network
from knotwork.routing.collectives import Collective
from knotwork_sim.model.collectives import CollectiveModel, Header

NETWORKS = (
    "mesh:x=4,y=4",
    "torus:x=4,y=4",
    "mesh:x=3,y=3,dead=1-4",
    "mesh:x=2,y=3,nodes_per_router=2",
    "hypercube:n=4",
    "moebius:n=4",
    "ccc:n=3",
    "wk:w=4,levels=2",
    "tcpg:k=1,m=1",
    "lcan:d=2,u=2,levels=3",
    "fattree:r=4,4,u=2,2",
)


@pytest.mark.parametrize("word", NETWORKS)
@pytest.mark.parametrize("stall", [0.0, 0.4])
def test_every_operation_gives_what_numpy_says(word, stall):
    topology = Network.from_word(word).topology
    rng = random.Random(word)
    for members in (None, rng.sample(range(topology.nodes), topology.nodes // 2 + 1)):
        tree, form = tree_of(topology, members), form_of(topology, SEVERAL)
        rounds = drawn_rounds(tree, form, rng, 10)
        answers, _ = run_model(tree, form, rounds.messages, stall=stall)
        assert answers == rounds.answers


@pytest.mark.parametrize("word", ["mesh:x=8,y=8", "moebius:n=6", "hypercube:n=6", "ccc:n=6"])
def test_64_nodes_meet_within_twice_the_depth_and_six_cycles(word):
    tree = tree_of(topology := Network.from_word(word).topology)
    messages = same_messages(tree, Header(Collective.BARRIER), [0])
    answers, cycles = run_model(tree, form_of(topology), messages)
    assert all(got == [Answer(Header(Collective.BARRIER), [])] for got in answers.values())
    assert cycles == 1 + tree.answer_cycles(0)
    assert tree.answer_cycles(0) <= 2 * tree.depth + 6


@pytest.mark.parametrize("beats", [256, 1024])
def test_vectors_flow_at_a_beat_per_cycle(beats):
    """An `all_reduce` of L beats takes L + 2 depth + 5 cycles: 1 KiB and 4 KiB here."""
    tree = tree_of(topology := Network.from_word("mesh:x=4,y=4").topology)
    data = list(range(beats))
    messages = same_messages(tree, Header(Collective.ALL_REDUCE), data)
    answers, cycles = run_model(tree, form_of(topology), messages)
    total = [16 * word for word in data]
    assert all(got[0].data == total for got in answers.values())
    assert cycles == beats + 2 * tree.depth + 5


@pytest.mark.parametrize("beats", [1, 64])
def test_an_operation_takes_its_cycles_at_each_router_and_vectors_still_flow(beats):
    """Two cycles for each pair in a row: two pairs at the centre, one at the routers below."""
    tree = tree_of(topology := Network.from_word("mesh:x=3,y=2").topology)
    assert [len(router.branches) for router in tree.routers] == [4, 2, 2, 1, 1, 1]
    form = form_of(topology, (SUM, operation_of(SaturatingAdd, 8)))
    for place, word in ((0, 0x06060606), (1, 0x06060606)):  # and what does not saturate is the same
        messages = same_messages(tree, Header(Collective.ALL_REDUCE, place), [0x01010101] * beats)
        answers, cycles = run_model(tree, form, messages)
        assert {tuple(got[0].data) for got in answers.values()} == {(word,) * beats}
        assert cycles == beats + 2 * tree.depth + 5 + 2 * (2 + 1)
        assert cycles == tree.answer_cycles(beats, form) + 1


def test_a_sum_that_saturates_does_so_anywhere_in_the_tree():
    tree = tree_of(topology := Network.from_word("mesh:x=3,y=2").topology)
    form = form_of(topology, (operation_of(SaturatingAdd, 8),))
    messages = same_messages(tree, Header(Collective.ALL_REDUCE), [0x30_80_2A_01])
    answers, _ = run_model(tree, form, messages)
    assert {tuple(got[0].data) for got in answers.values()} == {(0xFF_FF_FC_06,)}


def test_branches_without_members_stay_quiet():
    """A multicast's data cross only the links between the centre and the nodes that it names."""
    tree = tree_of(topology := Network.from_word("mesh:x=4,y=4").topology)
    form = form_of(topology)
    model, named = CollectiveModel(tree, form), {3, 12}
    mask = sum(1 << node for node in named)
    message = Message(Header(Collective.MULTICAST), [mask, *(data := [0x77777777, 0x88888888])])
    messages = {node: [] for node in tree.members} | {5: [message]}
    group, crossed = Group(messages, random.Random(1), 0.0), set()
    for _ in range(60):
        group.offer()
        for router in model._routers:
            for branch, flit in zip(router.branches, router.spread.offers(), strict=True):
                if flit is not None and flit.data in data:
                    crossed.add(branch.members)
        result = model.step(group.beats, group.ready)
        group.step(result.answers, result.taken)
    assert crossed
    assert all(named & set(members) for members in crossed)
    assert {node for node, got in group.answers.items() if got} == named
