import pytest
from knotwork_boards.measuring.settings import LINE_WORDS
from knotwork_boards.monitor.window_line import WindowLine

COUNTS = "lost=0 duplicated=0 corrupted=0 misrouted=0 refused=0"
GOOD = f"moebius_n3_twist0 window=3 sent=64 received=64 {COUNTS} PASS\r\n"
BAD = (
    "moebius_n3_twist0 window=4 sent=64 received=63 "
    "lost=1 duplicated=0 corrupted=0 misrouted=0 refused=0 FAIL\r\n"
)


def test_a_line_is_parsed():
    line = WindowLine.parse(BAD)
    assert line is not None
    assert line.as_dict() == {
        "name": "moebius_n3_twist0",
        "window": 4,
        "sent": 64,
        "received": 63,
        "lost": 1,
        "duplicated": 0,
        "corrupted": 0,
        "misrouted": 0,
        "refused": 0,
        "verdict": "FAIL",
    }
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


def test_loads_and_latencies_follow_from_the_words(line_of):
    text = line_of(
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


def test_a_window_without_samples_has_no_latency(line_of):
    line = WindowLine.parse(line_of("net", 1, mode=1, cycles=100, received=3))
    assert (line.latency_mean, line.accepted(2)) == (None, 0.0)
