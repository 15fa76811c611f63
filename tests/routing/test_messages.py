"""Messages of collectives as beats, and back."""

import json

import numpy as np
from helpers.collectives import SEVERAL, form_of, tree_of
from helpers.operations import SaturatingAdd
from helpers.refusals import refuses
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Network
from knotwork.emit.collectives import manifest_sections
from knotwork.routing.collectives import Collective, Operation
from knotwork.routing.messages import (
    Answer,
    CollectiveMessages,
    ReceivedBeat,
    SentBeat,
    operation_word,
)

TOPOLOGY = Network.from_word("mesh:x=3,y=2").topology
FORM = form_of(TOPOLOGY, SEVERAL)
MESSAGES = CollectiveMessages(tree_of(TOPOLOGY).order, FORM)


def test_the_fields_of_tuser_stand_side_by_side_from_the_lowest_bit():
    assert FORM.user_places == {
        "part": (0, 1),
        "kind": (1, 3),
        "operation": (4, 2),
        "fault": (6, 1),
    }
    assert form_of(TOPOLOGY).user_places["fault"] == (4, 1)


def test_each_kind_is_beats_that_end_with_tlast():
    """Kind from bit 1 of `tuser` on, the operation's place from bit 4."""
    assert MESSAGES.barrier() == [SentBeat(0, True, 0, 0)]
    assert MESSAGES.all_reduce([5, 6], "xor") == [
        SentBeat(5, False, 0, 1 << 1 | 3 << 4),
        SentBeat(6, True, 0, 1 << 1 | 3 << 4),
    ]
    assert MESSAGES.reduce([5], 4, "min") == [SentBeat(5, True, 4, 2 << 1 | 1 << 4)]
    assert MESSAGES.gather([7], 4) == [SentBeat(7, True, 4, 3 << 1)]
    assert MESSAGES.broadcast([8]) == [SentBeat(8, True, 0, 4 << 1)]
    assert [beat[0] for beat in MESSAGES.multicast([0, 5], [9])] == [0b100001, 9]
    assert MESSAGES.order == (1, 4, 0, 3, 2, 5)
    parts = {node: [10 * node, node] for node in range(6)}
    sent = MESSAGES.scatter(parts)
    assert [beat.tdata for beat in sent] == [10, 1, 40, 4, 0, 0, 30, 3, 20, 2, 50, 5]
    assert [beat.tuser for beat in sent] == [6 << 1, 6 << 1 | 1] * 6


def test_a_mask_takes_as_many_beats_as_the_nodes_need():
    wide = Network.from_word("mesh:x=8,y=5").topology
    messages = CollectiveMessages(tree_of(wide).order, form_of(wide))
    assert [beat.tdata for beat in messages.multicast([1, 31, 39], [7])] == [2 | 1 << 31, 1 << 7, 7]


def test_a_users_operation_is_found_by_its_name_in_a_manifest(monkeypatch):
    network = Network.from_word("mesh:x=3,y=2").changed(
        collectives=True, operations=("sum", SaturatingAdd), element_width=16
    )
    (group,) = json.loads(json.dumps(manifest_sections(network)))["collectives"]
    monkeypatch.setattr("knotwork.operations._KNOWN", {"saturating_add": SaturatingAdd})
    found = CollectiveMessages.of_group(group)
    assert found.form == network.collective_groups[0].form
    assert found.operations == ("sum", "user:saturating_add")
    monkeypatch.setattr("knotwork.operations._KNOWN", {})
    found = CollectiveMessages.of_group(group)
    assert found.operations == ("sum", "user:saturating_add")
    assert [one.is_known_in_any_order for one in found.form.operations] == [True, False]


def test_operations_are_named_as_the_key_names_them():
    several = (*SEVERAL, Operation("sum", 8, signed=True))
    assert [operation_word(one) for one in several] == ["sum", "min", "signed_max", "xor", "sum"]


def received(data, kind, node=0, *, operation=0, parts=(), fault=False):
    """Beats of an answer; `fault` is at the last one."""
    return [
        ReceivedBeat(
            value,
            number == len(data) - 1,
            node,
            (number in parts)
            | kind << 1
            | operation << 4
            | (fault and number == len(data) - 1) << 6,
        )
        for number, value in enumerate(data)
    ]


def test_answers_say_what_they_answer():
    decode = MESSAGES.decode
    barrier = decode(received([3], Collective.BARRIER))
    assert barrier == Answer(Collective.BARRIER, "", 0, (), {}, False)
    result = decode(received([3, 4], Collective.REDUCE, 2, operation=2, fault=True))
    assert result == Answer(Collective.REDUCE, "signed_max", 2, (3, 4), {}, True)
    gathered = decode(
        received([9, 8, 7, 6, 5, 4, 3], Collective.GATHER, 2, parts={0, 2, 3, 4, 5, 6})
    )
    assert gathered.parts == {1: (9,), 4: (8, 7), 0: (6,), 3: (5,), 2: (4,), 5: (3,)}
    sent = decode(received([1], Collective.BROADCAST, 5, parts={0}))
    assert (sent.node, sent.data, sent.parts) == (5, (1,), {})


@given(
    st.sampled_from([8, 16, 32]),
    st.booleans(),
    st.lists(st.integers(0, (1 << 32) - 1), min_size=1, max_size=5),
)
def test_elements_in_beats_are_those_of_a_little_endian_memory(width, signed, beats):
    elements = MESSAGES.unpack(beats, width, signed=signed)
    kind = f"<{'i' if signed else 'u'}{width // 8}"
    assert elements == np.array(beats, "<u4").view(kind).tolist()
    assert MESSAGES.pack(elements, width) == beats


def test_a_beat_that_elements_do_not_fill_ends_with_zeros():
    assert MESSAGES.pack([1, 2, 3], 16) == [2 << 16 | 1, 3]


def test_what_does_not_fit_is_refused():
    with refuses("collectives: a message must have 1 beat or more, not 0"):
        MESSAGES.broadcast([])
    with refuses("collectives: a message must have 1 beat or more, not 0"):
        MESSAGES.multicast([1], [])
    with refuses("collectives: a beat must be an integer of 32 bits, not 4294967296"):
        MESSAGES.all_reduce([1 << 32])
    with refuses("collectives: an operation must be one of sum, min, signed_max, xor, not max"):
        MESSAGES.all_reduce([1], "max")
    with refuses(
        "collectives: a node must be a member of the group, one of 0, 1, 2, 3, 4, 5, not 6"
    ):
        MESSAGES.reduce([1], 6)
    with refuses(
        "collectives: a scatter must have a part for each of the nodes 0, 1, 2, 3, 4, 5, not for 0"
    ):
        MESSAGES.scatter({0: [1]})


def test_a_manifest_without_the_group_is_refused(tmp_path):
    file = tmp_path / "manifest.json"
    file.write_text(json.dumps({"nodes": []}))
    with refuses(f"{file}: a group of collectives must be one of it, none, not None"):
        CollectiveMessages.from_manifest(file)
