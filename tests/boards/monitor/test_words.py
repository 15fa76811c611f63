import pytest
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_boards.measuring.patterns import PATTERNS
from knotwork_boards.measuring.settings import SETTINGS
from knotwork_boards.monitor.words import Asked, rate_word, read_words, shown_setting


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
    with pytest.raises(ConfigurationError) as refused:
        read_words(text)
    assert str(refused.value) == complaint


def test_a_network_has_its_own_patterns():
    petersen = Network.from_word("petersen")
    with pytest.raises(ConfigurationError, match="uniform, successor, complement, not 'reversal'"):
        read_words("pattern reversal", petersen)
    assert read_words("pattern successor", petersen).commands == b"p1\n"


def test_settings_are_shown_as_they_are_written():
    for name, field in SETTINGS.items():
        text = shown_setting(name, field.default)
        assert read_words(f"{name} {text}").settings == {name: field.default}, name
    assert shown_setting("pattern", 99) == "99"
    assert rate_word(0.3) == 19661


def test_settings_come_before_actions():
    assert Asked({"rate": 1}, ("clear",)).commands == b"r1\nc\n"
