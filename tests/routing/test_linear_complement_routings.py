"""LC1 and LC2, held to sections 4, 5, 7 and 8 of the specification."""

from itertools import islice, permutations, product

import numpy as np
import pytest
from helpers.gf2 import images, matrix_of, nonsingular
from helpers.literal_lc import F1, F2, F3, literal_lc1, literal_lc2
from hypothesis import given
from hypothesis import strategies as st
from knotwork import CubeConnectedCycles, Hypercube, Network
from knotwork.routing.batch import FIRST, SECOND, SORT, WRONG
from knotwork.routing.scheduling.linear_complement import JumpTable, LinearComplement, buddy_jump
from knotwork.topology.ccc import BACKWARD, FORWARD, LATERAL

STEPS = {2: 10, 3: 10, 4: 20, 5: 20, 6: 20, 7: 40, 8: 40, 9: 40, 10: 40, 11: 40, 12: 80}
"""Steps of LC2 by n, in the table of section 1."""


def lc1(n):
    return Network(Hypercube(n=n), routing="lc1").routing


def lc2(n):
    return Network(CubeConnectedCycles(n=n), routing="lc2").routing


def every_permutation(n):
    """All linear-complement permutations by the table of their matrix: (table, destinations)."""
    matrices = nonsingular(n)
    tables = [buddy_jump(matrix)[0] for matrix in matrices]
    sent = images(matrices)
    for table in dict.fromkeys(tables):
        own = sent[[number for number, other in enumerate(tables) if other == table]]
        yield table, (own[:, None] ^ np.arange(2**n)[:, None]).reshape(-1, 2**n)


def random_permutations(n, count):
    rng = np.random.default_rng(n)
    for _ in range(count):
        linear = LinearComplement.random(n, rng)
        yield buddy_jump(linear.matrix)[0], linear.destinations


def random_table(n, rng):
    """Any table that the hardware could be given."""
    jump = [1, *rng.integers(0, 2, n - 1).tolist()]
    buddy = [int(rng.choice([*range(k), n])) if not jump[k] else n for k in range(n)]
    return JumpTable(tuple(jump), tuple(buddy))


def is_permutation(held):
    """Whether each row has every number once."""
    seen = np.zeros(held.shape, bool)
    np.put_along_axis(seen, held, True, -1)
    return seen.all()


def check_lc1(routing, destinations, table):
    """Deliver linear-complement permutations by LC1, and hold every step to what section 4 says.

    Returns the packets' sources by node after each step.
    """
    nodes = np.arange(routing.topology.nodes)
    n = routing.topology.n
    dimensions = [*range(n - 1, 0, -1), *range(n)]
    run = list(routing.run(destinations, table))
    assert len(run) == routing.steps == len(dimensions)
    for number, ((held, step), k) in enumerate(zip(run, dimensions, strict=True)):
        assert is_permutation(held)
        assert not step.flags.any()  # both ends of every link agree
        crossed = step.taken != nodes
        assert (step.taken[crossed] == np.broadcast_to(nodes ^ 1 << k, held.shape)[crossed]).all()
        assert (step.between == step.taken).all()
        if number < n - 1:  # half of the packets, or none
            count = 0 if table.jump[k] else len(nodes) // 2
            assert (crossed.sum(axis=-1) == count).all()
    assert (np.take_along_axis(destinations, run[-1][0], -1) == nodes).all()
    assert not routing.flags(destinations, table).any()
    return [held for held, _ in run]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_lc1_delivers_every_permutation(n):
    count = 0
    for table, destinations in every_permutation(n):
        check_lc1(lc1(n), destinations, table)
        count += len(destinations)
    assert count == [2, 24, 1344, 322_560][n - 1]


@pytest.mark.parametrize("n", range(5, 13))
def test_lc1_delivers_random_permutations(n):
    for table, destinations in random_permutations(n, 300):
        check_lc1(lc1(n), destinations, table)


def check_lc2(routing, destinations, table):
    """Deliver linear-complement permutations by LC2, and hold every step to what section 5 says.

    Returns how many are not sorted before the last round of sorting.
    """
    topology = routing.topology
    n, nodes, length = topology.n, np.arange(topology.nodes), topology.cycle_length
    forward, backward, lateral = (topology.neighbours[:, p] for p in (FORWARD, BACKWARD, LATERAL))
    assert routing.steps == STEPS[n] == 5 * length
    late = 0
    number = -1
    for number, (held, step) in enumerate(routing.run(destinations, table)):
        # One packet per node. So a lateral link carries at most one packet each way; the links of
        # a cycle do because a node gets one packet per step.
        assert is_permutation(held)
        assert not step.flags.any()
        taken, between = step.taken, step.between
        if number < 2 * length or number >= 3 * length:
            assert (between == (forward if number < 2 * length else backward)).all()
            assert ((taken == between) | (taken == lateral[between])).all()
        else:
            assert (taken == between).all()
            ahead, behind = taken == nodes + 1, taken == nodes - 1
            assert ((taken == nodes) | ahead | behind).all()
            assert (taken // length == nodes // length).all()  # never over the wrap link
        wanted = np.take_along_axis(destinations, held, -1)
        places = wanted % length
        if number == 2 * length - 1:
            assert is_permutation(places.reshape(*places.shape[:-1], -1, length))
            first = islice(lc1(n).run(destinations, table), n - topology.cycle_bits)
            assert (list(first)[-1][0] == held).all()  # the dimensions n-1..y of LC1
        if number == 3 * length - 1:
            assert (places == nodes % length).all()
            late = np.count_nonzero((taken != nodes).any(axis=-1))
        if number == 5 * length - 1:
            assert (wanted == nodes).all()
    assert number == routing.steps - 1
    assert not routing.flags(destinations, table).any()
    return late


@pytest.mark.parametrize(("n", "count", "late"), [(2, 24, 0), (3, 1344, 0), (4, 322_560, 96_768)])
def test_lc2_delivers_every_permutation(n, count, late):
    # With a round of sorting less, as in print, `late` of them would not arrive.
    found, unsorted = 0, 0
    for table, destinations in every_permutation(n):
        unsorted += check_lc2(lc2(n), destinations, table)
        found += len(destinations)
    assert (found, unsorted) == (count, late)


@pytest.mark.parametrize("n", [*range(5, 12), pytest.param(12, marks=pytest.mark.slow)])
def test_lc2_delivers_random_permutations(n):
    routing = lc2(n)
    for table, destinations in random_permutations(n, 300):
        check_lc2(routing, destinations, table)


WAYS = (
    lambda n, rng: LinearComplement.random(n, rng).destinations,
    lambda n, rng: rng.permutation(2**n),
    lambda n, rng: rng.integers(0, 2**n, 2**n),  # several packets for one node
)


@given(
    n=st.integers(2, 6), way=st.sampled_from(WAYS), own=st.booleans(), seed=st.integers(0, 2**32)
)
@pytest.mark.parametrize(("routing_of", "literal"), [(lc1, literal_lc1), (lc2, literal_lc2)])
def test_any_batch_moves_as_the_specification_says(routing_of, literal, n, way, own, seed):
    rng = np.random.default_rng(seed)
    destinations, table = way(n, rng), random_table(n, rng)
    linear = LinearComplement.of(destinations) if way is WAYS[0] else None
    if linear and own:
        table, _ = buddy_jump(linear.matrix)
    batch = literal(n, destinations.tolist(), table.jump, table.buddy)
    routing = routing_of(n)
    assert [held.tolist() for held, _ in routing.run(destinations, table)] == batch.history
    flags = routing.flags(destinations, table)
    for node, raised in enumerate(flags.tolist()):
        meanings = {FIRST: F1, SORT: F2, SECOND: F3}
        assert {meaning for flag, meaning in meanings.items() if raised & flag} == batch.flags[node]
        assert bool(raised & WRONG) == (batch.wanted(node) != node)
    if len(set(destinations.tolist())) < 2**n:
        assert (flags & WRONG).any()
    if linear and own:
        assert not flags.any()


def test_worked_vector():
    # Section 8: T rows d3..d0, C = 0110.
    linear = LinearComplement(matrix_of("1010", "0011", "1000", "0100"), 0b0110)
    destinations = linear.destinations
    assert destinations.tolist() == [6, 2, 10, 14, 7, 3, 11, 15, 12, 8, 0, 4, 13, 9, 1, 5]
    table, _ = buddy_jump(linear.matrix)
    held = [destinations[held].tolist() for held, _ in lc2(4).run(destinations, table)]
    assert len(held) == 20
    assert held[7] == [13, 8, 10, 15, 12, 9, 11, 14, 7, 2, 0, 5, 6, 3, 1, 4]
    assert held[11] == [8, 13, 10, 15, 12, 9, 14, 11, 0, 5, 2, 7, 4, 1, 6, 3]
    assert held[19] == list(range(16))
    literal = literal_lc2(4, destinations.tolist(), (1, 1, 0, 0), (4, 4, 4, 1))
    assert held == [destinations[held].tolist() for held in literal.history]


@pytest.mark.parametrize("odd_forward_first", [False, True])
def test_sorting_needs_as_many_rounds_as_a_cycle_has_places(odd_forward_first):
    # The negative vector of section 8: T = I, C = 1111.
    destinations = list(range(16))[::-1]
    table = JumpTable.naive(4)
    keys = {"odd_forward_first": odd_forward_first}
    three, four = (
        literal_lc2(4, destinations, table.jump, table.buddy, rounds=rounds, **keys)
        for rounds in (3, 4)
    )
    assert [three.wanted(node) for node in range(16)] != list(range(16))
    assert any(F2 in raised for raised in three.flags)
    assert [four.wanted(node) for node in range(16)] == list(range(16))
    assert not any(four.flags)


def test_a_round_of_sorting_that_is_left_out_is_flagged():
    routing, destinations = lc2(4), np.arange(16)[::-1]
    steps = [number for number in range(20) if number != 11]
    held, flags = np.arange(16), np.zeros(16, np.uint8)
    for number in steps:
        step = routing.step(number, destinations[held], JumpTable.naive(4))
        held = held[step.taken]
        flags |= step.flags
    assert (destinations[held] != np.arange(16)).any()
    assert (flags & SORT).any()
    assert not routing.flags(destinations, JumpTable.naive(4)).any()


@pytest.mark.parametrize(
    ("n", "places", "expected"),
    [
        (3, 1, [1, 1]),
        (6, 2, [1, 3, 4, 12, 4]),
        (7, 3, [1, 7, 8, 56, 72, 216, 344, 488, 152]),
    ],
)
def test_rounds_of_sorting_that_the_orders_of_a_cycle_need(n, places, expected):
    # Section 5, even places looking forward first: T is the identity but for a block of the places,
    # so that no table but the naive one is needed in the dimensions of the lateral links.
    routing, length = lc2(n), 2**places
    matrices = np.tile(np.eye(n, dtype=bool), (len(nonsingular(places)), 1, 1))
    matrices[:, :places, :places] = nonsingular(places)
    orders = (images(matrices)[:, None] ^ np.arange(length)[:, None]).reshape(-1, 2**n)
    rounds = np.zeros(len(orders), int)
    for number, (_, step) in enumerate(routing.run(orders, JumpTable.naive(n))):
        if 2 * length <= number < 3 * length:
            swapped = (step.taken != np.arange(2**n)).any(axis=-1)
            rounds[swapped] = number - 2 * length + 1
    assert np.bincount(rounds).tolist() == expected


def test_printed_rounds_with_the_other_parity_fail_oftener():
    # Section 5: with 2^y - 1 rounds and odd places forward first, 20 of 24 and 1248 of 1344 fail.
    for n, failing in ((2, 20), (3, 1248)):
        found = 0
        for table, several in every_permutation(n):
            for destinations in several.tolist():
                keys = {"rounds": 1, "odd_forward_first": True}
                batch = literal_lc2(n, destinations, table.jump, table.buddy, **keys)
                found += [batch.wanted(node) for node in range(2**n)] != list(range(2**n))
        assert found == failing


ALL = np.array(list(permutations(range(8))))
LINEAR = {tuple(row) for _, rows in every_permutation(3) for row in rows.tolist()}
TABLES = [
    JumpTable((1, jump1, jump2), (3, buddy1, buddy2))
    for jump1, buddy1 in ((1, 3), (0, 0), (0, 3))
    for jump2, buddy2 in ((1, 3), (0, 0), (0, 1), (0, 3))
]


@pytest.fixture(scope="module")
def flags_of_all():
    """Flags of all permutations of 8 nodes with every table."""
    return {table: lc2(3).flags(ALL, table) for table in TABLES}


def test_all_permutations_of_8_nodes_are_delivered_or_flagged(flags_of_all):
    passing, warned = set(), 0
    for flags in flags_of_all.values():
        delivered = ~(flags & WRONG).any(axis=1)
        assert (delivered == ~(flags & (SORT | SECOND)).any(axis=1)).all()
        clear = ~flags.any(axis=1)
        assert delivered[clear].all()
        warned += np.count_nonzero(delivered & ~clear)  # F1 is only a warning
        passing |= {tuple(row) for row in ALL[clear].tolist()}
    assert len(passing) == 5568
    assert len(LINEAR & passing) == len(LINEAR) == 1344
    assert warned == 43_296


def test_4096_permutations_of_8_nodes_need_no_table(flags_of_all):
    flags = flags_of_all[JumpTable.naive(3)]
    wrong = flags & WRONG > 0
    assert np.count_nonzero(~wrong.any(axis=1)) == 4096
    # The flags are local: some nodes have a wrong packet while their own three are clear.
    silent = (wrong & (flags == WRONG)).any(axis=1)
    assert np.count_nonzero(silent) == 18_000
    (example,) = np.nonzero((ALL == [0, 1, 2, 3, 4, 6, 7, 5]).all(axis=1))[0]
    assert flags[example].tolist() == [0, 0, 0, 0, 0, SORT, SORT | WRONG, WRONG]


def test_random_permutations_of_64_nodes_are_never_delivered_and_always_flagged():
    rng = np.random.default_rng(6)
    several = np.array([rng.permutation(64) for _ in range(2000)])
    for table in (JumpTable.naive(6), random_table(6, rng)):
        flags = lc2(6).flags(several, table)
        assert (flags & WRONG).any(axis=1).all()
        assert (flags & (SORT | SECOND)).any(axis=1).all()


def test_both_routings_pass_the_bit_permutations_of_all_sizes():
    for n, routing_of in product(range(2, 9), (lc1, lc2)):
        for order in (range(n)[::-1], [*range(1, n), 0]):
            matrix = np.eye(n, dtype=bool)[list(order)]
            destinations = LinearComplement(matrix).destinations
            table, _ = buddy_jump(matrix)
            assert not routing_of(n).flags(destinations, table).any()


@pytest.mark.parametrize("n", range(2, 21))
def test_shift_registers_have_the_entry_of_their_place_in_its_turn(n):
    """A node's lateral link has its turn in steps L - a to 2 L - a - 1 (section 6)."""
    y = next(y for y in range(n) if y + 2**y >= n)
    length, lateral = 2**y, n - y
    steps = Network(CubeConnectedCycles(n=n), routing="lc2", control="shift").routing.shift_steps
    assert len(steps) == length + n
    for place in range(lateral):
        registers, seen = list(range(n - 1, -1, -1)), []
        for step in range(5 * length):
            turn = length <= step + place < 2 * length
            if turn:
                seen.append(registers[0])
            elif step in steps:
                registers.append(registers.pop(0))
        assert seen == [y + place] * length
        assert registers == list(range(n - 1, -1, -1))


def test_registers_of_one_entry_do_not_shift():
    assert len(lc2(4).shift_steps) == 0
