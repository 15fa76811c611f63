from dataclasses import fields

import numpy as np
import pytest
from helpers.refusals import refuses
from knotwork import Network
from knotwork_boards.measuring.settings import (
    GO,
    LETTERS,
    LINE_WORDS,
    PATTERNS,
    SETTINGS,
    Settings,
    available_patterns,
    command,
    destinations,
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
