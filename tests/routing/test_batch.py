import json

import numpy as np
import pytest
from knotwork import CubeConnectedCycles, Hypercube, Network
from knotwork.routing.batch import FIRST, SECOND, SORT, WRONG, BatchRouting, Step, exchange
from knotwork.routing.scheduling.linear_complement import JumpTable, LinearComplement

NAIVE = JumpTable.naive(2)


class Turning(BatchRouting):
    """Square 0, 1, 3, 2: first every packet goes two corners on, round the square.

    Then nodes 0 and 1 exchange theirs if that of node 0 is for node 0, and raise flags here and
    there.
    """

    name = "turning"
    steps = 2

    def step(self, number, destinations, table):
        del table
        if number == 0:
            opposite = np.array([3, 2, 1, 0])
            before = np.array([2, 0, 3, 1])
            return Step(opposite, before, np.zeros(destinations.shape, np.uint8))
        swap = destinations[..., :1] == 0
        taken = np.where(swap, [1, 0, 2, 3], [0, 1, 2, 3])
        flags = np.where(swap, [FIRST, 0, 0, SORT], [0, 0, 0, 0]).astype(np.uint8)
        return Step(taken, taken, flags)


TURNING = Turning(Hypercube(n=2))


def test_run_tells_whose_packet_each_node_has():
    swapped, plain = np.array([3, 2, 1, 0]), np.array([0, 2, 1, 3])
    runs = [[held.tolist() for held, _ in TURNING.run(way, NAIVE)] for way in (swapped, plain)]
    assert runs == [[[3, 2, 1, 0], [2, 3, 1, 0]], [[3, 2, 1, 0], [3, 2, 1, 0]]]


def test_flags_are_gathered_and_wrong_packets_marked():
    assert TURNING.flags(np.array([3, 2, 1, 0]), NAIVE).tolist() == [WRONG | FIRST, WRONG, 0, SORT]
    assert TURNING.flags(np.array([0, 2, 1, 3]), NAIVE).tolist() == [WRONG, 0, 0, WRONG]
    # Node 1 is named twice, node 2 not at all: nothing is lost, and one packet is wrong.
    assert TURNING.flags(np.array([3, 1, 1, 1]), NAIVE).tolist() == [WRONG, 0, WRONG, 0]


def test_batches_of_one_call_have_nothing_to_do_with_each_other():
    several = np.array([[[2, 3, 1, 0], [3, 2, 1, 0]], [[0, 2, 1, 3], [3, 2, 0, 1]]])
    together = TURNING.flags(several, NAIVE)
    assert together.dtype == np.uint8
    for place in np.ndindex(2, 2):
        assert (together[place] == TURNING.flags(several[place], NAIVE)).all()
        runs = zip(TURNING.run(several, NAIVE), TURNING.run(several[place], NAIVE), strict=True)
        for (held, _), (alone, _) in runs:
            assert (held[place] == alone).all()


def test_ways_name_each_router_once_in_a_row():
    ways = [tuple(way) for way in TURNING.transfers(np.array([3, 2, 1, 0]), NAIVE)]
    assert ways == [
        (0, 3, [0, 1, 3]),
        (1, 2, [1, 3, 2]),
        (2, 1, [2, 0, 1, 0]),
        (3, 0, [3, 2, 0, 1]),
    ]


def test_exchanges_are_made_where_both_ends_ask():
    partner = np.array([1, 0, 3, 2, 4])
    asks = np.array([[True, True, True, False, True], [False, False, False, True, False]])
    taken, flags = exchange(asks, partner, SECOND)
    assert taken.tolist() == [[1, 0, 2, 3, 4], [0, 1, 2, 3, 4]]
    assert flags.tolist() == [[0, 0, SECOND, SECOND, 0]] * 2
    assert flags.dtype == np.uint8


BATCHES = [
    (Network(CubeConnectedCycles(n=4), routing="lc2"), 20),
    (Network(Hypercube(n=4), routing="lc1"), 7),
]


@pytest.mark.parametrize(
    ("network", "steps"), BATCHES, ids=lambda value: getattr(value, "name", "")
)
def test_a_schedule_tells_the_table_and_whether_it_works(network, steps):
    # Section 8 of the specification.
    routing = network.routing
    worked = np.array([6, 2, 10, 14, 7, 3, 11, 15, 12, 8, 0, 4, 13, 9, 1, 5])
    made = routing.schedule(worked)
    assert (made.steps, made.conflict_free) == (steps, True)
    assert made.facts == {
        "jump": [1, 1, 0, 0],
        "buddy": [4, 4, 4, 1],
        "matrix": ["1010", "0011", "1000", "0100"],
        "complement": "0110",
        "linear_complement": True,
        "bit_permutation": None,
        "closed_form": None,
        "naive_ascending": False,
        "naive_descending": False,
        "flags": {"wrong": 0, "F1": 0, "F2": 0, "F3": 0},
    }
    ((*ways,),) = made.rounds
    assert [way.source for way in ways] == list(range(16))
    assert [way.destination for way in ways] == worked.tolist()
    assert [(way.path[0], way.path[-1]) for way in ways] == list(enumerate(worked.tolist()))
    near = routing.topology.neighbours
    for way in ways:
        assert all(b in near[a] for a, b in zip(way.path, way.path[1:], strict=False))


@pytest.mark.parametrize("network", [entry[0] for entry in BATCHES], ids=lambda value: value.name)
def test_what_is_not_linear_is_tried(network):
    routing = network.routing
    other = np.random.default_rng(1).permutation(16)
    assert LinearComplement.of(other) is None
    made = routing.schedule(other)
    assert not made.conflict_free
    assert (made.facts["jump"], made.facts["buddy"]) == ([1] * 4, [4] * 4)
    assert (made.facts["matrix"], made.facts["complement"]) == (None, None)
    flags = routing.flags(other, JumpTable.naive(4))
    count = {"wrong": WRONG, "F1": FIRST, "F2": SORT, "F3": SECOND}
    expected = {name: sum(int(f) & flag > 0 for f in flags) for name, flag in count.items()}
    assert made.facts["flags"] == expected
    ((*ways,),) = made.rounds
    ends = [way.path[-1] for way in ways]
    assert sorted(ends) == list(range(16))
    assert expected["wrong"] == sum(way.path[-1] != way.destination for way in ways) > 0
    json.dumps(made.facts)  # plain data


@pytest.mark.parametrize("network", [entry[0] for entry in BATCHES], ids=lambda value: value.name)
def test_a_batch_has_no_rule_and_no_turns_and_cannot_deadlock(refused, network):
    routing = network.routing
    drawn = [routing.random_permutation(np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert all(LinearComplement.of(destinations) for destinations in drawn)
    assert (drawn[0] == drawn[1]).all()
    assert (drawn[0] != drawn[2]).any()
    assert refused(lambda: routing.path(0, 1)) == (
        f"{network.topology.name}: routing={routing.name} must be given a permutation "
        "(knotwork schedule): the path of a packet depends on all others"
    )
    assert all(routing.turns(router) == [] for router in range(16))
    report = network.deadlock_report
    assert (report.deadlock_free, report.channels, report.cycle) == (True, 0, None)
    assert report.reason == (
        "a batch moves in steps of fixed number, in which every node gives one packet and takes "
        "one; none waits for another"
    )
