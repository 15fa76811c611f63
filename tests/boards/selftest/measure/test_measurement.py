"""What the emitted self-test measures, commanded over its UART, against the golden model."""

import pytest
from helpers.self_tests import measured_line
from knotwork import Network
from knotwork_boards.measuring import PATTERNS, Settings


@pytest.fixture
def measured(simulated):
    """Lines of windows, each after the commands that were sent before it."""

    def run(network, commands, *, clock_hz=8 * 115200):
        faults = [None] * (len(commands) + 1)
        keys = {"clock_hz": clock_hz, "rounds_log2": 0, "measure": True}
        return [line for line, _, _ in simulated(network, faults, commands=commands, **keys)]

    return run


def windows(rates, lengths, patterns, **others):
    return [
        Settings(mode=1, rate=round(rate * 65536), length=length, pattern=pattern, **others)
        for pattern in patterns
        for length in lengths
        for rate in rates
    ]


def golden(network, chosen):
    """Lines of windows from number 1 on, by the golden model."""
    return [measured_line(network, number, one) for number, one in enumerate(chosen, start=1)]


def words_of(line):
    """Words of a line by name."""
    return {name: int(value) for name, _, value in (w.partition("=") for w in line.split()[1:-1])}


def test_a_window_is_what_the_golden_model_says_and_commands_are_counted(measured):
    network = Network.from_word("moebius:n=2,data_width=13,buffer_depth=2")
    low, over = windows([0.2, 1.0], [1], [0], cycles=400, warmup=50, seed=12345)
    reversed_ = Settings(mode=1, rate=20000, length=2, pattern=3, cycles=300, warmup=0, seed=7)
    commands = [settings.commands.decode() for settings in (low, over, reversed_)]
    lines = measured(network, [*commands, "r10001\nx\nc\nm0\n", "g\n"])
    assert lines[1:4] == golden(network, (low, over, reversed_))
    assert words_of(lines[2])["overrun"] > 0
    last = words_of(lines[4])  # the self-test again, from the beginning
    assert lines[4].endswith(" PASS\r\n")
    assert (last["window"], last["mode"], last["dropped"]) == (0, 0, 2)
    assert (last["sent"], last["flits"]) == (16, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "word",
    [
        "moebius:n=3,data_width=16",
        "mesh:x=3,y=2,data_width=32,buffer_depth=4",
        "ccc:n=2,data_width=16,buffer_depth=4",
        "wk:w=3,levels=2,data_width=20,buffer_depth=4",
        "mesh:x=2,y=2,classes=2,data_width=16,buffer_depth=4",
    ],
)
def test_every_rate_length_and_pattern_is_as_the_golden_model_says(measured, word):
    network, patterns = Network.from_word(word), [0, PATTERNS.index("complement")]
    facts = {"cycles": 1500, "warmup": 300, "seed": 12345}
    chosen = windows([0.05, 0.4, 1.0], [1, 4], patterns, **facts)
    lines = measured(network, [settings.commands.decode() for settings in chosen])
    assert lines[1:] == golden(network, chosen)
