import json

import pytest
from helpers.refusals import refuses
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_boards.measuring import LINE_WORDS, PATTERNS, SETTINGS
from knotwork_boards.monitor.commands import (
    Request,
    format_setting,
    permutation_commands,
    rate_word,
    read_words,
)
from knotwork_boards.monitor.window_line import WindowLine
from knotwork_boards.selftest.batch.tables import permutation_words


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("start", "g\n"),
        ("stop clear", "h\nc\n"),
        ("rate 0.5", "r8000\n"),
        ("rate=1 length=4", "r10000\nl4\n"),
        ("pattern complement  mode measure", "p2\nm1\n"),
        ("clear cycles 4096 warmup 0 seed 255 start", "w1000\nu0\nsff\nc\ng\n"),
        ("mode self-test", "m0\n"),
        ("rate 1e-2", "r28f\n"),
        ("", ""),
    ],
)
def test_words_become_commands(text, commands):
    assert read_words(text).commands == commands.encode()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("rate", "monitor: rate must have a value, as in `rate 0.2`"),
        ("mode", "monitor: mode must have a value, as in `mode measure`"),
        ("rate 1.5", "monitor: rate must be a number in 0..1, not '1.5'"),
        ("rate nan", "monitor: rate must be a number in 0..1, not 'nan'"),
        ("rate -1", "monitor: rate must be a number in 0..1, not '-1'"),
        ("length 0", "monitor: length must be an integer in 1..16, not '0'"),
        ("length x", "monitor: length must be an integer in 1..16, not 'x'"),
        (
            "seed 99999999999",
            "monitor: seed must be an integer in 0..2147483647, not '99999999999'",
        ),
        (
            "mode test",
            "monitor: mode must be one of self-test, measure, not 'test'; did you mean self-test?",
        ),
        (
            "strat",
            "monitor: a command must be one of start, stop, clear, mode, rate, pattern, length, "
            "cycles, warmup, seed, not 'strat'; did you mean start?",
        ),
        (
            "pattern unifrom",
            f"monitor: pattern must be one of {', '.join(PATTERNS)}, not 'unifrom'; did you mean "
            f"uniform?",
        ),
    ],
)
def test_a_wrong_word_is_refused(text, complaint):
    with refuses(complaint):
        read_words(text)


def test_a_network_has_its_own_patterns():
    petersen = Network.from_word("petersen")
    with pytest.raises(ConfigurationError, match="uniform, successor, complement, not 'reversal'"):
        read_words("pattern reversal", petersen)
    assert read_words("pattern successor", petersen).commands == b"p1\n"


def test_settings_are_shown_as_they_are_written():
    for name, field in SETTINGS.items():
        text = format_setting(name, field.default)
        assert read_words(f"{name} {text}").settings == {name: field.default}, name
    assert format_setting("pattern", 99) == "99"
    assert rate_word(0.3) == 19661


def test_settings_come_before_actions():
    assert Request({"rate": 1}, ("clear",)).commands == b"r1\nc\n"


def test_a_network_without_batches_has_no_table(tmp_path):
    with refuses("hypercube_n2: a table must be one of routing=lc1 or lc2, not ecube"):
        permutation_commands(Network.from_word("hypercube:n=2"), tmp_path / "t.json")


def test_a_file_that_holds_no_permutation_is_refused(tmp_path):
    file = tmp_path / "t.json"
    file.write_text(json.dumps([0, 0, 1, 2]))
    network = Network.from_word("hypercube:n=2,routing=lc1")
    with pytest.raises(ConfigurationError, match=r"t\.json: "):
        permutation_commands(network, file)


def test_a_permutation_is_loaded_word_by_word(tmp_path):
    file = tmp_path / "t.json"
    file.write_text(json.dumps([3, 2, 1, 0]))
    network = Network.from_word("hypercube:n=2,routing=lc1")
    *words, end = permutation_commands(network, file).decode().splitlines()
    assert end == "t"
    assert [int(word[1:], 16) for word in words] == permutation_words(network, [3, 2, 1, 0])
    assert {word[0] for word in words} == {"t"}


COUNTS = "lost=0 duplicated=0 corrupted=0 misrouted=0 refused=0"
GOOD = f"moebius_n3_twist0 window=3 sent=64 received=63 {COUNTS} PASS\r\n"


def test_a_line_is_parsed():
    line = WindowLine.parse(GOOD.replace("lost=0", "lost=1").replace("PASS", "FAIL"))
    counts = {"sent": 64, "received": 63, "lost": 1, "duplicated": 0, "corrupted": 0}
    counts |= {"misrouted": 0, "refused": 0}
    assert line.as_dict() == {"name": "moebius_n3_twist0", "window": 3, **counts, "verdict": "FAIL"}
    assert not line.passed
    assert line.faults == {"lost": 1}


@pytest.mark.parametrize(
    "text",
    [
        *("", "PASS\r\n", GOOD[10:30], GOOD.replace("64", "x"), GOOD[20:], "\ufffd" + GOOD),
        *(
            GOOD.replace("lost=0 ", ""),
            GOOD.replace("PASS", "PAS"),
            GOOD.replace(" sent", "  sent"),
        ),
        GOOD.replace("lost=0", "lost=0 lost=1"),
        GOOD.replace("=64", "=6\ufffd"),
    ],
)
def test_text_that_is_not_a_line_is_none(text):
    assert WindowLine.parse(text) is None


def test_words_that_are_not_known_are_kept():
    line = WindowLine.parse(GOOD.replace("PASS", "later_word=7 PASS"))
    assert line.measures == {"later_word": 7}
    assert line.as_dict()["later_word"] == 7
    assert not line.is_measured
    assert (line.accepted(8), line.latency_mean, line.histogram) == (None, None, [])


def test_words_may_stand_in_any_order():
    words = GOOD.split()
    assert WindowLine.parse(" ".join([words[0], *words[-2:0:-1], words[-1]])) == WindowLine.parse(
        GOOD
    )


def test_loads_and_latencies_follow_from_the_words(line_text):
    text = line_text(
        *("net", 1),
        mode=1,
        cycles=100,
        flits=120,
        samples=30,
        latency_sum=75,
        h2=30,
        received=40,
        latency_min=1,
        latency_max=4,
    )
    line = WindowLine.parse(text)
    assert line.accepted(4) == 0.3
    assert (line.latency_mean, line.samples) == (2.5, 30)
    assert line.histogram == [0, 0, 30, *[0] * 13]
    assert set(LINE_WORDS) <= line.as_dict().keys()
    line = WindowLine.parse(line_text("net", 1, mode=1, cycles=100, received=3))
    assert (line.latency_mean, line.accepted(2)) == (None, 0.0)  # without samples
