import numpy as np
import pytest
from knotwork import Mesh
from knotwork.routing.collectives import Collective, MessageFormat, Operation, collective_tree
from knotwork_sim.collectives.messages import draw_round, make_round, random_beats
from knotwork_sim.model.collectives import Header

TREE = collective_tree(Mesh(x=2, y=2), [0, 1, 3])
FORM = MessageFormat(4, 16, (Operation("sum", 8), Operation("min", 16, signed=True)))


def test_beats_have_all_their_bits():
    beats = random_beats(np.random.default_rng(1), 100, 24)
    assert len(set(beats)) > 90
    assert max(beats).bit_length() == 24


def test_a_reduction_answers_the_root_or_all():
    vectors = {0: [0x0102], 1: [0x0203], 3: [0xFFFF]}
    one = make_round(TREE, FORM, Collective.REDUCE, vectors, root=3)
    assert one.answers == {3: (Header(Collective.REDUCE, 0, 3), [0x0204])}
    assert set(one.messages) == {0, 1, 3}
    one = make_round(TREE, FORM, Collective.ALL_REDUCE, vectors, root=3, operation=1)
    assert one.answers == dict.fromkeys((0, 1, 3), (Header(Collective.ALL_REDUCE, 1, 0), [0xFFFF]))


def test_gathers_and_scatters_have_the_order_of_the_tree():
    vectors = {0: [1], 1: [2, 3], 3: [4]}
    flat = [beat for node in TREE.order for beat in vectors[node]]
    one = make_round(TREE, FORM, Collective.GATHER, vectors, root=1)
    assert one.answers[1].data == flat
    one = make_round(TREE, FORM, Collective.SCATTER, vectors, root=1)
    assert [*one.messages] == [1]
    assert one.messages[1].data == flat
    assert {node: answer.data for node, answer in one.answers.items()} == vectors
    beats = one.messages[1].beats()
    assert [beat.part for beat in beats].count(True) == 3
    assert beats[-1].last


def test_a_multicast_begins_with_its_mask():
    form = MessageFormat(40, 16, FORM.operations)
    one = make_round(TREE, form, Collective.MULTICAST, {0: [9, 8]}, root=0, receivers=(1, 3))
    assert one.messages[0].data == [0b1010, 0, 0, 9, 8]
    assert one.answers == dict.fromkeys((1, 3), (Header(Collective.MULTICAST, 0, 0), [9, 8]))


@pytest.mark.parametrize("kind", Collective)
def test_drawn_rounds_have_the_lengths(kind):
    rng = np.random.default_rng(3)
    drawn = [draw_round(TREE, FORM, kind, (2, 3), rng) for _ in range(30)]
    lengths = {len(answer.data) for one in drawn for answer in one.answers.values()}
    expected = {
        Collective.BARRIER: {0},
        Collective.GATHER: {6, 7, 8, 9},
    }.get(kind, {2, 3})
    assert lengths <= expected
    assert len(lengths) >= len(expected) - 1
    heads = {message.header.kind for one in drawn for message in one.messages.values()}
    assert heads == {kind}
