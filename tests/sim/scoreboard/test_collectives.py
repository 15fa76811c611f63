"""Scoreboard of collectives: right answers pass, each wrong one is found; no tree is looked at."""

import random
from typing import NamedTuple

import pytest
from helpers.collectives import SEVERAL, Group, Message, drawn_rounds, form_of, tree_of
from helpers.operations import Average, SaturatingAdd, operation_of
from knotwork import Network
from knotwork.routing.collectives import Collective, Operation
from knotwork.routing.messages import CollectiveMessages, ReceivedBeat, SentBeat
from knotwork_sim.model.collectives import CollectiveModel, Header
from knotwork_sim.scoreboard import Mismatch
from knotwork_sim.scoreboard.collectives import (
    CollectiveScoreboard,
    combined,
    combined_in_tree,
)

TOPOLOGY = Network.from_word("mesh:x=3,y=2").topology
TREE, FORM = tree_of(TOPOLOGY), form_of(TOPOLOGY, SEVERAL)
MESSAGES = CollectiveMessages(TREE.order, FORM)


@pytest.mark.parametrize(
    ("operation", "result"),
    [
        (Operation("sum", 8), (0x0001, 0x0307)),  # 0x80 + 0x80 and 0xFF + 0x02 wrap
        (Operation("sum", 16), (0x0101, 0x0407)),
        (Operation("min", 8), (0x8002, 0x0008)),
        (Operation("min", 8, signed=True), (0x80FF, 0x00FF)),
        (Operation("min", 16), (0x8002, 0x00FF)),
        (Operation("max", 8), (0x80FF, 0x03FF)),
        (Operation("max", 8, signed=True), (0x8002, 0x0308)),
        (Operation("max", 16, signed=True), (0x80FF, 0x0308)),
        (Operation("and", 16), (0x8002, 0x0008)),
        (Operation("or", 8), (0x80FF, 0x03FF)),
        (Operation("xor", 16), (0x00FD, 0x03F7)),
    ],
    ids=str,
)
def test_vectors_are_combined_by_their_elements(operation, result):
    assert combined(operation, [[0x80FF, 0x00FF], [0x8002, 0x0308]], 16) == result


@pytest.mark.parametrize(
    ("bits", "width", "vectors", "result"),
    [
        (8, 8, [[200], [100], [7]], (51,)),
        (8, 24, [[0x010203], [0xFFFFFF]], (0x000102,)),
        (64, 64, [[2**64 - 1], [2]], (1,)),
        (32, 64, [[2**64 - 1], [2]], (0xFFFF_FFFF_0000_0001,)),
        (16, 16, [[1, 2, 3]], (1, 2, 3)),
    ],
)
def test_sums_are_of_any_width_and_of_any_number_of_members(bits, width, vectors, result):
    assert combined(Operation("sum", bits), vectors, width) == result


def test_an_operation_of_a_user_is_its_function_of_elements():
    operation = operation_of(SaturatingAdd, 8)
    assert combined(operation, [[0x80FF, 0x0110], [0x8002, 0x0203]], 16) == (0xFFFF, 0x0313)


def test_where_the_order_counts_it_is_that_of_the_tree():
    """Means of 8 and 4, of 2 and 0, and of these: 6, 1 and 3."""
    tree = tree_of(Network.from_word("mesh:x=4,y=1").topology)
    assert tree.order == (1, 0, 2, 3)
    operation = operation_of(Average, 8)
    vectors = {0: [4], 1: [8], 2: [2], 3: [0]}
    assert combined_in_tree(operation, tree, vectors, 8) == (3,)
    assert combined(operation, [*vectors.values()], 8) == (2,)  # 6, 4, 2


def test_what_depends_on_the_tree_is_left_to_the_golden_model():
    form = form_of(TOPOLOGY, (operation_of(Average, 8), operation_of(SaturatingAdd, 8)))
    messages = CollectiveMessages(TREE.order, form)
    for place, is_found in ((0, False), (1, True)):
        board = CollectiveScoreboard(messages, "noc")
        for node in TREE.members:
            board.send(node, messages.all_reduce([node], messages.operations[place]))
            board.begin(node)
        answer = [ReceivedBeat(0xFF, True, 0, messages.tuser(Collective.ALL_REDUCE, place))]
        if is_found:
            with pytest.raises(Mismatch, match="must have what its collective gives"):
                board.receive(0, answer, 9)
        else:
            board.receive(0, answer, 9)


class Event(NamedTuple):
    """Answer at a node, begin or refusal of a message, or a report that one differs."""

    cycle: int
    what: str
    node: int
    beats: tuple = ()


def as_sent(message):
    """Beats of a message of the helpers' at the port."""
    header = message.header
    return [
        SentBeat(
            beat.data,
            beat.last,
            header.root,
            beat.part | header.kind << 1 | header.operation << 4,
        )
        for beat in message.beats()
    ]


def as_received(beat):
    header = beat.header
    user = beat.part | header.kind << 1 | header.operation << 4 | beat.fault << 6
    return ReceivedBeat(beat.data, beat.last, header.root, user)


def events_of(messages, *, stall=0.2, seed=1):
    """What the golden model does with messages."""
    model, group = CollectiveModel(TREE, FORM), Group(messages, random.Random(seed), stall)
    events, came = [], {node: [] for node in TREE.members}
    starts, quiet, cycle = dict.fromkeys(TREE.members, True), 0, 0
    while quiet < 60:
        group.offer()
        result = model.step(group.beats, group.ready)
        for place, node in enumerate(TREE.members):
            beat, answer = group.beats[place], result.answers[place]
            if result.refused[place]:
                events.append(Event(cycle, "refuse", node))
            elif beat is not None and starts[node]:
                events.append(Event(cycle, "begin", node))
            if beat is not None:
                starts[node] = result.taken[place] and beat.last
            if answer is not None and group.ready[place]:
                came[node].append(as_received(answer))
                if answer.last:
                    events.append(Event(cycle, "receive", node, tuple(came.pop(node))))
                    came[node] = []
        events += [Event(cycle, "differ", fault.member) for fault in result.faults]
        group.step(result.answers, result.taken)
        moves = any(result.taken) or any(answer is not None for answer in result.answers)
        quiet, cycle = 0 if moves else quiet + 1, cycle + 1
    return events


def board_of(messages, events):
    """Scoreboard that has been given messages and then events."""
    board = CollectiveScoreboard(MESSAGES, "noc")
    for node, sent in messages.items():
        for message in sent:
            board.send(node, as_sent(message))
    for event in events:
        if event.what == "begin":
            board.begin(event.node)
        elif event.what == "refuse":
            board.refuse(event.node, event.cycle)
        elif event.what == "differ":
            board.differ(event.node, 1, event.cycle)
        else:
            board.receive(event.node, event.beats, event.cycle)
    return board


@pytest.mark.parametrize("seed", range(4))
def test_what_the_tree_answers_is_what_numpy_says(seed):
    rounds = drawn_rounds(TREE, FORM, random.Random(seed), 15)
    board = board_of(rounds.messages, events_of(rounds.messages, seed=seed))
    assert board.is_complete
    board.finish()
    assert board.received == sum(map(len, rounds.answers.values()))


ROUNDS = drawn_rounds(TREE, FORM, random.Random(7), 25)
EVENTS = events_of(ROUNDS.messages)


def answers(kind, beats=1):
    """Places of the answers of a kind, of so many beats at least."""
    return [
        place
        for place, event in enumerate(EVENTS)
        if event.what == "receive"
        and event.beats[0].tuser >> 1 & 7 == kind
        and len(event.beats) >= beats
    ]


def altered(place, **fields):
    """Events with another first beat of an answer."""
    event = EVENTS[place]
    beats = (event.beats[0]._replace(**fields), *event.beats[1:])
    return [*EVENTS[:place], event._replace(beats=beats), *EVENTS[place + 1 :]]


def found(events, messages=ROUNDS.messages):
    """What a scoreboard says of events."""
    with pytest.raises(Mismatch) as raised:
        board_of(messages, events).finish(99)
    return str(raised.value)


@pytest.mark.parametrize("kind", [kind for kind in Collective if kind != Collective.BARRIER])
def test_a_bit_that_flips_is_found_in_answers_of_every_kind(kind):
    place = answers(kind)[0]
    text = found(altered(place, tdata=EVENTS[place].beats[0].tdata ^ 1))
    node, cycle = EVENTS[place].node, EVENTS[place].cycle
    headline = (
        f"noc: an answer at node {node} must have what its collective gives, in cycle {cycle}"
    )
    assert text.startswith(f"{headline}\n  must be: {kind.name.lower()} ")
    assert f"\n  came: {kind.name.lower()} " in text


@pytest.mark.parametrize("kind", Collective)
def test_an_answer_that_is_lost_or_comes_twice_is_found(kind):
    place = answers(kind)[-1]
    twice = [*EVENTS[: place + 1], EVENTS[place], *EVENTS[place + 1 :]]
    for events in (EVENTS[:place] + EVENTS[place + 1 :], twice):
        assert found(events).startswith("noc: ")


def test_the_last_answer_that_is_lost_is_named():
    assert EVENTS[-1].what == "receive"
    text = found(EVENTS[:-1])
    assert text.startswith(f"noc: an answer at node {EVENTS[-1].node} is missing, in cycle 99")


@pytest.mark.parametrize("kind", [Collective.BROADCAST, Collective.SCATTER])
def test_an_answer_with_the_name_of_another_sender_is_found(kind):
    place = answers(kind)[0]
    other = (EVENTS[place].beats[0].tid + 1) % 6
    beats = tuple(beat._replace(tid=other) for beat in EVENTS[place].beats)
    events = [*EVENTS[:place], EVENTS[place]._replace(beats=beats), *EVENTS[place + 1 :]]
    assert found(events).startswith("noc: ")


def test_a_part_that_is_not_marked_is_found():
    place = answers(Collective.GATHER, beats=6)[0]
    beats = [beat._replace(tuser=beat.tuser & ~1) for beat in EVENTS[place].beats[:-1]]
    event = EVENTS[place]._replace(beats=(*beats, EVENTS[place].beats[-1]))
    assert "must have what its collective gives" in found(
        [*EVENTS[:place], event, *EVENTS[place + 1 :]]
    )


def test_a_mark_on_what_is_right_is_found():
    place = answers(Collective.BARRIER)[0]
    event = EVENTS[place]
    text = found(altered(place, tuser=event.beats[0].tuser | 1 << 6))
    assert text.startswith(f"noc: an answer at node {event.node} must not be marked, in cycle ")


def test_a_kind_that_there_is_none_of_is_found():
    text = found(altered(answers(Collective.BARRIER)[0], tuser=7 << 1))
    assert "must be of a kind, not 0xe, in cycle " in text


BARRIER = {node: [Message(Header(Collective.BARRIER), [0])] for node in TREE.members}


def test_a_barrier_that_does_not_wait_is_found():
    events = events_of(BARRIER, stall=0.0)
    last = events.index(Event(0, "begin", 4))
    late = [*events[:last], *events[last + 1 :], events[last]]
    text = found(late, BARRIER)
    assert "must not come before nodes 4 send, in cycle " in text
    missing = {**BARRIER, 4: []}
    late.pop()
    assert "must not come before all members have sent" in found(late, missing)


def test_a_collective_that_some_never_start_is_found():
    events = [event for event in events_of({**BARRIER, 3: []}) if event.node != 3]
    text = found(events, {**BARRIER, 3: []})
    assert text == (
        "noc: a collective must be started by all members, and is not by nodes 3, in cycle 99"
    )


def test_orders_that_differ_are_found():
    """Two members get two senders' messages in different orders."""
    messages = {node: [] for node in TREE.members}
    for node in (0, 5):
        messages[node] = [Message(Header(Collective.BROADCAST), [node])]
    events = events_of(messages)
    board_of(messages, events).finish()
    of = {node: [event for event in events if event.node == node] for node in TREE.members}
    swapped = [each for node in TREE.members for each in of[node] if each.what == "begin"]
    for node in TREE.members:
        got = [each for each in of[node] if each.what == "receive"]
        swapped += reversed(got) if node == 2 else got
    text = found(swapped, messages)
    assert "members must receive messages in one order, and do not" in text


def test_messages_that_differ_must_be_reported_and_marked():
    messages = {node: [Message(Header(Collective.ALL_REDUCE), [1, 2])] for node in TREE.members}
    messages[5] = [Message(Header(Collective.REDUCE, 0, 2), [1, 2])]
    events = events_of(messages)
    board = board_of(messages, events)
    assert board.is_complete
    board.finish()
    silent = [event for event in events if event.what != "differ"]
    assert "messages that differ must be reported, and were not" in found(silent, messages)
    places = [place for place, event in enumerate(events) if event.what == "receive"]
    event = events[places[0]]
    beats = tuple(beat._replace(tuser=beat.tuser & ~(1 << 6)) for beat in event.beats)
    events[places[0]] = event._replace(beats=beats)
    assert f"an answer at node {event.node} must be marked" in found(events, messages)


def test_a_report_about_what_is_alike_is_found():
    events = [Event(3, "differ", 2), *events_of(BARRIER)]
    assert "no message of node 2 differs, as bits 001 report, in cycle 3" in found(events, BARRIER)


def test_lengths_that_differ_mark_only_what_would_come_anyway():
    messages = {node: [Message(Header(Collective.REDUCE, 0, 4), [1, 2])] for node in TREE.members}
    messages[5] = [Message(Header(Collective.REDUCE, 0, 4), [1, 2, 3])]
    board = board_of(messages, events_of(messages))
    board.finish()
    assert board.received == 1


@pytest.mark.parametrize("parts", [1, 4, 6, 9])
def test_scatters_of_too_few_parts_or_too_many_are_marked(parts):
    data = list(range(2 * parts))
    messages = {node: [] for node in TREE.members}
    messages[3] = [Message(Header(Collective.SCATTER), data, frozenset(data[1::2]))]
    board = board_of(messages, events_of(messages))
    board.finish()
    assert board.received == 6


def test_what_cannot_be_sent_is_refused_once():
    messages = {node: [*BARRIER[node]] for node in TREE.members}
    messages[1].insert(0, Message(Header(7), [1, 2]))
    messages[2].append(Message(Header(Collective.REDUCE, 3, 7), [1]))
    events = events_of(messages)
    assert [event.node for event in events if event.what == "refuse"] == [1, 2]
    board_of(messages, events).finish()
    fewer = [event for event in events if event.what != "refuse"]
    assert "a message of node 1 must be refused, and was not" in found(fewer, messages)
    assert "no message of node 1 must be refused, in cycle" in found(events, BARRIER)
