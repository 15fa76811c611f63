from dataclasses import fields

import pytest
from knotwork.errors import ConfigurationError
from knotwork_boards.measuring.settings import (
    GO,
    LETTERS,
    LINE_WORDS,
    SETTINGS,
    Settings,
    command,
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
    assert Settings().told.keys() <= set(LINE_WORDS)


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
    with pytest.raises(ConfigurationError) as wrong:
        Settings(**{name: value})
    assert str(wrong.value) == f"self-test: {name} must be an integer in {rule}, not {value}"


def test_what_is_no_command_is_refused():
    with pytest.raises(ConfigurationError) as letter:
        command("x")
    assert str(letter.value) == (
        "self-test: a command must begin with one of m, r, p, l, w, u, s, g, h, c, t, not 'x'"
    )
    with pytest.raises(ConfigurationError) as value:
        command("t", 1 << 32)
    assert str(value.value) == (
        "self-test: the value of a command must be in 0..4294967295, not 4294967296"
    )
