from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork.parameters.kinds import (
    YES_NO,
    Choice,
    FromFile,
    Integer,
    Integers,
    Mix,
    Real,
    Span,
    Text,
    shares,
)
from knotwork.parameters.reals import Fractions, Reals

KINDS = (
    Integer(2, 9),
    Integers(1, 4),
    Real(0, 1),
    Reals(0, 1),
    Fractions(9),
    Choice(("a", "b")),
    Mix(("a", "b")),
    Span(1, 8),
    Text(),
    YES_NO,
)


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


def test_numbers_and_fractions_are_lists():
    assert Reals(0, 1).read("0.9,0.05") == Reals(0, 1).read([0.9, 0.05]) == (0.9, 0.05)
    assert Reals(0, 1).accepts((0, 0.5))
    assert not any(map(Reals(0, 1).accepts, [(), (0, 0.0), (1.5,), 0.5]))
    kind = Fractions(9)
    told = (Fraction(1), Fraction(1, 4))
    assert kind.read("1,1/4") == kind.read("1,0.25") == kind.read([1, 0.25]) == told
    assert (kind.shown(told), kind.named(told)) == ("1,1/4", "1_1in4")
    assert kind.accepts(told)
    for wrong in ((), (Fraction(0),), (Fraction(5, 4),), (Fraction(1, 10),), (0.5,), "1/4"):
        assert not kind.accepts(wrong)
    for text in ("1/0", "a", "1,"):
        with pytest.raises(ValueError, match=r"."):
            kind.parse(text)


@given(st.integers(1, 8), st.integers(1, 8))
def test_a_span_is_an_ordered_pair(first, last):
    assert Span(1, 8).accepts(Span(1, 8).parse(f"{first}-{last}")) == (first <= last)
    assert Span(1, 8).parse(str(first)) == (first, first)


@pytest.mark.parametrize("text", ["a", "a:1", "a:0.7,b:0.3", "b:2,a:1e-3"])
def test_a_mix_is_a_word_or_several_with_shares(text):
    assert Mix(("a", "b")).accepts(Mix(("a", "b")).parse(text))


@pytest.mark.parametrize(
    "text", ["c", "a,b", "a:1,a:2", "a:1,c:1", "a:0,b:1", "a:-1", "a:x", "a:nan", "a:inf", ":1"]
)
def test_what_is_no_mix_is_not_accepted(text):
    assert not Mix(("a", "b")).accepts(text)


def test_the_parts_of_a_mix_are_as_written():
    assert shares("a:3,b:0.5") == (("a", 3.0), ("b", 0.5))
    assert shares("a") == (("a", 1.0),)
    assert Mix(("a", "b")).rule == "one of a, b, or several with shares as a:3,b:1"


class Content(str):
    @classmethod
    def read(cls, path):
        return cls(path.read_text())


def test_a_file_is_read_and_its_content_taken(tmp_path):
    (tmp_path / "file").write_text("text")
    kind = FromFile("a file", Content)
    assert kind.read(str(tmp_path / "file")) == "text"
    assert kind.accepts(Content("text"))
    assert not kind.accepts(Path("text"))
    assert kind.shown(Content("text")) == "text"


def test_the_class_of_a_file_s_content_may_be_named():
    kind = FromFile("a file", "fractions:Fraction")
    assert kind.content_class is Fraction
    assert kind.accepts(Fraction(1, 2))
    assert not kind.accepts("1/2")
