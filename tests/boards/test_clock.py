import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.errors import ConfigurationError
from knotwork_boards.clock import BuildKeys, ClockSearch, clock_below, clock_of
from knotwork_boards.table import BOARDS, board_named

ULX3S = board_named("ulx3s_85f")


def searched(board, wanted, reaches):
    """Frequencies that are tried while a build reaches `reaches` of its clock's MHz."""
    search = ClockSearch(board, wanted)
    tried = []
    for clock in search:
        tried.append(clock.mhz)
        fmax = reaches(clock.mhz)
        if fmax >= clock.mhz:
            return tried
        search.reached(clock, fmax)
    return [*tried, None]


def test_the_boards_own_clock_is_taken_alone():
    assert searched(ULX3S, "board", lambda mhz: 1) == [25, None]
    assert clock_of(ULX3S).setting is None


def test_a_given_frequency_is_tried_once_and_never_exceeded():
    assert searched(ULX3S, 101.0, lambda mhz: 200) == [100]
    assert searched(ULX3S, 101.0, lambda mhz: 99) == [100, None]


def test_what_was_reached_is_tried_next():
    first, second = searched(ULX3S, "auto", lambda mhz: 80)
    assert first > 100
    assert 0.9 * 80 < second < 80


@settings(max_examples=40)
@given(reach=st.integers(15, 200), loss=st.integers(0, 12), name=st.sampled_from(sorted(BOARDS)))
def test_a_search_ends_at_a_clock_that_is_reached(reach, loss, name):
    tries = []

    def reaches(mhz):
        tries.append(mhz)
        return reach * (100 - loss * (len(tries) % 2)) / 100  # every second build is worse

    found = searched(board_named(name), "auto", reaches)
    assert found[-1] is not None
    assert len(found) <= 6
    assert found[-1] > 0.6 * min(reach, board_named(name).family.reach_mhz)


def test_a_network_slower_than_any_clock_is_given_up():
    assert searched(board_named("icebreaker"), "auto", lambda mhz: 5)[-1] is None


def test_the_boards_clock_serves_where_the_pll_is_too_fast():
    icebreaker = board_named("icebreaker")
    assert clock_below(icebreaker, 15) == clock_of(icebreaker)  # the PLL makes 16 MHz and more
    assert clock_below(icebreaker, 17).setting is not None
    assert clock_below(icebreaker, 11) is None


@pytest.mark.parametrize("value", ["fast", "0.5", "401", "nan", "", "-25", "25 MHz"])
def test_a_frequency_that_is_none_is_refused(value):
    with pytest.raises(ConfigurationError) as refused:
        BuildKeys.from_texts({"clock_mhz": value})
    assert str(refused.value).startswith(
        "bitstream: clock_mhz must be auto, board or a number in 1..400 (MHz), not "
    )


@pytest.mark.parametrize(("text", "value"), [("auto", "auto"), ("board", "board"), ("62.5", 62.5)])
def test_words_and_numbers_are_taken(text, value):
    assert BuildKeys.from_texts({"clock_mhz": text}).clock_mhz == value
    assert BuildKeys.from_texts({}).clock_mhz == "auto"
