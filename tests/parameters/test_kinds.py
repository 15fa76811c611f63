import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork.parameters.kinds import YES_NO, Choice, Integer, Integers, Real, Span, Text

KINDS = (Integer(2, 9), Integers(1, 4), Real(0, 1), Choice(("a", "b")), Span(1, 8), Text(), YES_NO)


@given(st.sampled_from([True, False]))
def test_a_truth_value_is_read_as_it_is_shown(value):
    assert YES_NO.read(YES_NO.shown(value)) is value
    assert YES_NO.read(value) is value


@pytest.mark.parametrize("word", ["YES", "true", "1", "", "yes "])
def test_other_words_are_no_truth_values(word):
    with pytest.raises(ValueError, match=r"."):
        YES_NO.parse(word or "?")


@pytest.mark.parametrize("value", ["yes", 1, 0, None])
def test_only_a_truth_value_is_accepted_as_one(value):
    assert not YES_NO.accepts(value)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
@pytest.mark.parametrize("value", [None, [], {}, object(), (1, 2, 3, 4, 5), -1, 10**30, True, ""])
def test_what_a_kind_accepts_never_raises(kind, value):
    assert kind.accepts(value) in (True, False)


def test_a_list_from_a_file_is_a_tuple():
    assert Integers(1, 4).read([4, 2]) == Integers(1, 4).read("4,2") == (4, 2)


@given(st.integers(1, 8), st.integers(1, 8))
def test_a_span_is_an_ordered_pair(first, last):
    assert Span(1, 8).accepts(Span(1, 8).parse(f"{first}-{last}")) == (first <= last)
    assert Span(1, 8).parse(str(first)) == (first, first)
