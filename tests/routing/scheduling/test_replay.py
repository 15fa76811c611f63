import json

import numpy as np
import pytest
from helpers.ancestors import every
from knotwork.errors import ConfigurationError
from knotwork.routing.lcan import Scheduled
from knotwork.routing.scheduling.replay import check_rounds, read_rounds
from knotwork.routing.scheduling.rounds import Round, schedule
from knotwork.topology import FatTree, Lcan


def told_rounds(topology, rounds):
    routing = Scheduled(topology)
    return [[circuit._asdict() for circuit in routing.circuits(found)] for found in rounds]


def refusal_of(topology, told):
    with pytest.raises(ConfigurationError) as refusal:
        read_rounds(topology, told)
    return str(refusal.value)


def message(source, destination, *word):
    return {"source": source, "destination": destination, "word": list(word)}


@every
def test_what_is_told_is_read_again(topology):
    pes = np.arange(topology.nodes)
    rounds = schedule(topology, pes, np.random.default_rng(1).permutation(pes))
    told = json.loads(json.dumps({"rounds": told_rounds(topology, rounds)}))
    read = read_rounds(topology, told)
    for made, found in zip(rounds, read, strict=True):
        assert all((a == b).all() for a, b in zip(made, found, strict=True))
    for messages in told["rounds"]:
        for one in messages:
            ways = dict(topology.paths(one["source"], one["destination"]))
            assert ways[tuple(one["word"])] == one["path"]


LCAN = Lcan(d=4, u=2, levels=3)
GOOD = [message(0, 5, 1), message(5, 0, 1), message(3, 3), message(17, 63, 0, 1)]


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ([message(64, 5, 1)], "a PE must be in 0..63, not 64"),
        ([message(0, -1, 1)], "a PE must be in 0..63, not -1"),
        (
            [message(0, 5)],
            "the word of 0>5 must have 1 uppers, one for each level below its LCA, not 0",
        ),
        ([message(0, 5, 2)], "level 0, switch 0: the upper of 0>5 must be in 0..1, not 2"),
        ([message(0, 63, 0, -1)], "level 1, switch 0: the upper of 0>63 must be in 0..1, not -1"),
        (
            [message(9, 5, 1), message(9, 22, 0, 1)],
            "level 0, switch 2: PE 9 must send one packet, not 9>5 and 9>22",
        ),
        (
            [message(9, 5, 1), message(4, 5)],
            "level 0, switch 1: PE 5 must get one packet, not 9>5 and 4>5",
        ),
        (
            [message(0, 5, 1), message(1, 9, 1)],
            "level 0, switch 0: upper 1 must carry one packet up, not 0>5 and 1>9",
        ),
        (
            [message(0, 5, 0), message(9, 6, 0)],
            "level 0, switch 1: upper 0 must carry one packet down, not 0>5 and 9>6",
        ),
        (
            # From level-0 switches 0 and 1 by upper 1 to level-1 switch 1, and on by its upper 0.
            [message(0, 16, 1, 0), message(4, 32, 1, 0)],
            "level 1, switch 1: upper 0 must carry one packet up, not 0>16 and 4>32",
        ),
        (
            [message(16, 0, 1, 0), message(32, 4, 1, 0)],
            "level 1, switch 1: upper 0 must carry one packet down, not 16>0 and 32>4",
        ),
    ],
)
def test_a_schedule_that_does_not_fit_is_refused(messages, complaint):
    read_rounds(LCAN, [GOOD])
    assert refusal_of(LCAN, [GOOD, messages]) == f"schedule: round 1: {complaint}"


@pytest.mark.parametrize(
    ("told", "must"),
    [
        *(
            (told, "be a list of lists of messages")
            for told in (7, {"steps": 2}, [7], {"rounds": {}})
        ),
        *(
            (told, "have a message, not none at all")
            for told in ([], [[]], [[], []], {"rounds": []})
        ),
    ],
)
def test_what_is_no_list_of_messages_is_refused(told, must):
    assert refusal_of(LCAN, told) == f"schedule: the rounds must {must}"


@pytest.mark.parametrize(
    "told",
    [
        *(7, {"source": 0, "destination": 5}, message(True, 1), message(2**63, 1)),
        *(message(0, 1.0), message(0, 1, 2**64), message(0, 1, True)),
    ],
)
def test_what_is_no_message_is_refused(told):
    assert refusal_of(LCAN, [[told]]) == (
        f"schedule: round 0: a message must have a source, a destination and a word, a list of "
        f"uppers, not {told!r}"
    )


def test_in_a_tree_only_the_number_of_wires_down_counts():
    tree = FatTree(r=(4, 2), u=(2, 1))
    read_rounds(tree, [[message(0, 4, 1), message(1, 5, 0)]])
    read_rounds(FatTree(r=(2, 3), u=(2, 1)), [[message(0, 4, 1), message(2, 5, 1)]])
    three = [message(0, 6, 1), message(2, 7, 0), message(4, 8, 1)]
    assert refusal_of(FatTree(r=(3, 3), u=(2, 1)), [three]) == (
        "schedule: round 0: level 0, switch 2: upper 0 must carry one packet down, not 0>6 and 4>8"
    )


def test_rounds_of_arrays_are_replayed():
    twice = Round(np.array([0, 1]), np.array([4, 8]), np.array([[0, -1], [0, -1]]))
    with pytest.raises(ConfigurationError):
        check_rounds(LCAN, [twice])
    check_rounds(LCAN, [twice._replace(words=np.array([[0, -1], [1, -1]]))])
