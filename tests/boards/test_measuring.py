from collections import Counter
from dataclasses import fields

import numpy as np
import pytest
from helpers.refusals import refuses
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Network
from knotwork_boards.measuring import (
    CREATION,
    DESTINATION,
    GO,
    LETTERS,
    LINE_WORDS,
    PATTERNS,
    SETTINGS,
    DrawnPackets,
    Observed,
    Settings,
    available_patterns,
    command,
    destinations,
    draw_packets,
    expected_measures,
    first_state,
    queue_depth,
    random_words,
    salt,
    stamp_width,
    times_kept,
)


def test_commands_are_a_letter_and_hexadecimal_digits():
    settings = Settings(mode=1, rate=0x10000, pattern=2, length=4, cycles=255, warmup=0, seed=10)
    assert settings.commands == b"m1\nr10000\np2\nl4\nwff\nu0\nsa\n"
    assert command(GO) == b"g\n"
    assert command("t", 0xFFFFFFFF) == b"tffffffff\n"


def test_letters_and_words_are_distinct_and_every_setting_has_one():
    assert len(set(LETTERS)) == len(LETTERS)
    assert len(set(LINE_WORDS)) == len(LINE_WORDS)
    assert [field.name for field in fields(Settings)] == list(SETTINGS)
    assert Settings().reported.keys() <= set(LINE_WORDS)


@pytest.mark.parametrize(
    ("rate", "length", "threshold"), [(0, 3, 0), (65536, 1, 65536), (65536, 3, 21846), (1, 16, 1)]
)
def test_a_threshold_is_the_rate_over_the_length_rounded_up(rate, length, threshold):
    assert Settings(rate=rate, length=length).threshold == threshold


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("rate", 65537, "0..65536"),
        ("length", 0, "1..16"),
        ("cycles", 1 << 20, "1..1048575"),
        ("seed", -1, "0..2147483647"),
        ("mode", 2, "0..1"),
    ],
)
def test_a_value_out_of_range_is_refused(name, value, rule):
    with refuses(f"self-test: {name} must be an integer in {rule}, not {value}"):
        Settings(**{name: value})


def test_what_is_no_command_is_refused():
    with refuses(
        "self-test: a command must begin with one of m, r, p, l, w, u, s, g, h, c, t, not 'x'"
    ):
        command("x")
    with refuses("self-test: the value of a command must be in 0..4294967295, not 4294967296"):
        command("t", 1 << 32)


def topology(word):
    return Network.from_word(word).topology


def named(word):
    return {PATTERNS[number] for number in available_patterns(topology(word))}


def test_a_network_has_the_patterns_that_its_nodes_admit():
    assert named("moebius:n=3") == set(PATTERNS)
    assert named("mesh:x=3,y=3") == {"uniform", "successor", "complement"}
    # Nodes 0..3 of one side send to nodes 4..7 of the other, and these to those.
    assert named("banyan:d=2,u=2,levels=2") == {"uniform", "complement"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("successor", [1, 2, 3, 4, 5, 6, 7, 0]),
        ("complement", [7, 6, 5, 4, 3, 2, 1, 0]),
        ("reversal", [0, 4, 2, 6, 1, 5, 3, 7]),
        ("shuffle", [0, 2, 4, 6, 1, 3, 5, 7]),
        ("bit_rotation", [0, 4, 1, 5, 2, 6, 3, 7]),
    ],
)
def test_permutations_of_eight_nodes(name, expected):
    to = destinations(topology("moebius:n=3"), PATTERNS.index(name))
    assert to.dtype == np.int64
    assert to.tolist() == expected


def test_uniform_is_drawn():
    assert destinations(topology("moebius:n=3"), 0) is None


@pytest.mark.parametrize("pattern", [3, 7, -1])
def test_a_pattern_that_a_network_does_not_have_is_refused(pattern):
    with refuses(
        "mesh_x3_y3: pattern must be one of 0 (uniform), 1 (successor), 2 (complement), "
        f"not {pattern}"
    ):
        destinations(topology("mesh:x=3,y=3"), pattern)


def test_packets_are_in_order_of_source_and_time_and_as_many_as_the_rate_says():
    settings = Settings(rate=0x4000, length=2, cycles=20_000, warmup=5000, seed=3)
    drawn = draw_packets(topology("moebius:n=3"), settings)
    order = np.lexsort((drawn.time, drawn.source))
    assert (order == np.arange(len(order))).all()
    assert drawn.time.max() < 25_000
    rate = 2 * len(drawn.time) / 25_000 / 8
    assert rate == pytest.approx(0.25, rel=0.03)


@pytest.mark.parametrize(
    "word",
    ["moebius:n=3", "mesh:x=3,y=3", "banyan:d=3,u=3,levels=1", "mesh:x=2,y=2,classes=2"],
)
def test_uniform_destinations_are_the_other_receivers_alike(word):
    network = topology(word)
    drawn = draw_packets(network, Settings(rate=0x8000, cycles=20_000, warmup=0))
    for node in range(network.nodes):
        counts = Counter(drawn.destination[drawn.source == node].tolist())
        others = set(network.receivers(node)) - {node}
        assert set(counts) == others
        mean = sum(counts.values()) / len(others)
        assert max(abs(count - mean) for count in counts.values()) < 5 * np.sqrt(mean)


def test_a_permutation_draws_nothing():
    settings = Settings(rate=0x8000, pattern=PATTERNS.index("complement"), cycles=500)
    drawn = draw_packets(topology("moebius:n=3"), settings)
    assert (drawn.destination == 7 - drawn.source).all()


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("complement", [3, 2, 1, 0, 7, 6, 5, 4]), ("successor", [1, 2, 3, 0, 5, 6, 7, 4])],
)
def test_streams_of_each_class_have_their_own_permutation(pattern, expected):
    found = destinations(topology("mesh:x=2,y=2,classes=2"), PATTERNS.index(pattern))
    assert found is not None
    assert found.tolist() == expected


def test_a_permutation_of_two_sides_leads_from_each_to_the_other():
    network = topology("banyan:d=2,u=2,levels=1")
    assert network.nodes == 4
    found = destinations(network, PATTERNS.index("complement"))
    assert found is not None
    assert found.tolist() == [3, 2, 1, 0]
    assert PATTERNS.index("successor") not in available_patterns(network)


def test_without_rate_there_are_no_packets():
    assert len(draw_packets(topology("moebius:n=3"), Settings(rate=0, cycles=500)).time) == 0


def column(*values):
    return np.array(values, np.int64)


def test_the_words_of_a_run():
    settings = Settings(cycles=10, warmup=5)
    drawn = DrawnPackets(
        source=column(0, 0, 1, 1), destination=column(1, 1, 0, 0), time=column(4, 6, 5, 14)
    )
    observed = Observed(
        entered=column(4, 6, 5, 14), flit_cycle=column(4, 5, 14, 15), ended=column(9, 7, 8, 54)
    )
    words = expected_measures(drawn, settings, observed, stamp=5, dropped=2)
    # The first packet is of the warm-up. The last takes 40 cycles, which five bits tell as 8.
    some = {"dropped": 2, "overrun": 0, "flits": 2, "samples": 3}
    some |= {"latency_min": 1, "latency_sum": 44, "latency_max": 8}
    some |= {"h0": 1, "h1": 1, "h2": 0, "h3": 1}
    assert {name: words[name] for name in some} == some
    assert sum(words[f"h{k}"] for k in range(16)) == 3


def test_without_samples_all_words_are_zero():
    nothing = column()
    words = expected_measures(
        DrawnPackets(nothing, nothing, nothing),
        Settings(),
        Observed(nothing, nothing, nothing),
        stamp=12,
    )
    assert set(words.values()) == {0}


def test_a_full_queue_keeps_no_times_until_those_without_have_left():
    room = queue_depth(10)
    assert room == 16
    count = room + 4
    drawn = DrawnPackets(np.zeros(count, np.int64), np.ones(count, np.int64), np.arange(count))
    far = np.full(count, 1000)
    assert times_kept(drawn, far, room).tolist() == [True] * room + [False] * 4
    # Two leave early, which makes room for times; the first without one has not left.
    early = far.copy()
    early[:2] = 0
    early_room = times_kept(drawn, early, room)
    assert early_room.tolist()[: room + 2] == [True] * (room + 2)
    late = far.copy()
    late[: room + 1] = np.arange(room + 1) + room
    assert not times_kept(drawn, late, room)[room:].any()


def test_widths_of_stamps():
    assert stamp_width(16, 3) == 12
    assert stamp_width(32, 5) == 16
    assert [queue_depth(width) for width in (10, 12, 16)] == [16, 64, 256]


def literal_words(state, count):
    """Words bit by bit, by the law of the sequence."""
    bits = [state >> place & 1 for place in range(32)]
    while len(bits) < 16 * count:
        bits.append(bits[-32] ^ bits[-30] ^ bits[-26] ^ bits[-25])
    return [sum(bits[16 * word + k] << k for k in range(16)) for word in range(count)]


@given(
    seed=st.integers(0, 2**31 - 1),
    nodes=st.integers(1, 5),
    stream=st.sampled_from([CREATION, DESTINATION]),
    count=st.integers(0, 200),
)
def test_words_are_those_of_the_register_stepped_bit_by_bit(seed, nodes, stream, count):
    words = random_words(seed, nodes, stream, count)
    assert words.shape == (nodes, count)
    for node in range(nodes):
        assert words[node].tolist() == literal_words(first_state(seed, node, stream), count)


def test_the_period_is_the_longest():
    """The step has the order 2^32 - 1: it divides that, and no share of it by a prime."""
    step = np.zeros((32, 32), bool)  # of a state, bit 0 first
    step[np.arange(31), np.arange(1, 32)] = True
    step[31, [0, 2, 6, 7]] = True

    def power(exponent):
        result, square = np.eye(32, dtype=bool), step
        while exponent:
            if exponent & 1:
                result = result.astype(int) @ square % 2 == 1
            square, exponent = square.astype(int) @ square % 2 == 1, exponent >> 1
        return result

    order = 2**32 - 1
    assert (power(order) == np.eye(32)).all()
    for prime in (3, 5, 17, 257, 65537):
        assert not (power(order // prime) == np.eye(32)).all()


def test_nodes_and_streams_begin_apart():
    salts = {salt(node, stream) for node in range(1000) for stream in (CREATION, DESTINATION)}
    assert len(salts) == 2000


def test_words_below_a_threshold_are_as_many_as_it_says_and_do_not_come_in_runs():
    words = random_words(7, 8, CREATION, 100_000)
    for threshold in (655, 6554, 32768):
        hits, share = words < threshold, threshold / 65536
        deviation = np.sqrt(share * (1 - share) / hits.size)
        assert abs(hits.mean() - share) < 5 * deviation
        for lag in (1, 2, 3):
            both = (hits[:, lag:] & hits[:, :-lag]).mean()
            assert abs(both - share**2) < 0.1 * share**2 + 5 * share / np.sqrt(hits.size)
