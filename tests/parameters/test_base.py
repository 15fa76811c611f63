from dataclasses import dataclass
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork.errors import ConfigurationError, KnotworkError
from knotwork.parameters import (
    YES_NO,
    Choice,
    Integer,
    Integers,
    Parameters,
    Real,
    Span,
    Text,
    parameter,
    parse_words,
    spelled,
)


@dataclass(frozen=True, kw_only=True)
class Gadget(Parameters):
    name: ClassVar[str] = "gadget"

    size: int = parameter(Integer(2, 8), help="how large")
    rate: float = parameter(Real(0, 1), help="how often", default=0.5)
    length: tuple[int, int] = parameter(Span(1, 9), help="how long", default=(1, 1))
    kind: str = parameter(Choice(("round", "square")), help="which", default="round")
    safe: bool = parameter(YES_NO, help="whether", default=True)
    note: str | None = parameter(Text(), help="what", default=None)
    rows: tuple[int, ...] | None = parameter(Integers(1, 9), help="how many", default=None)


@given(size=st.integers(2, 8), rate=st.floats(0, 1), ends=st.tuples(*[st.integers(1, 9)] * 2))
def test_words_make_the_same_as_values(size, rate, ends):
    first, last = sorted(ends)
    texts = parse_words(
        [f"size={size}", f"rate={rate!r}", f"length={first}-{last}", "kind=square"], owner="gadget"
    )
    expected = Gadget(size=size, rate=rate, length=(first, last), kind="square")
    assert Gadget.from_texts(texts) == expected
    assert Gadget.from_texts(expected.as_dict()) == expected


def test_defaults_and_single_length():
    made = Gadget.from_texts({"size": "3", "length": "4"})
    assert made.as_dict() == {
        "size": 3,
        "rate": 0.5,
        "length": (4, 4),
        "kind": "round",
        "safe": "yes",
        "note": None,
        "rows": None,
    }
    assert list(Gadget.keys()) == list(made.as_dict())


@dataclass(frozen=True, kw_only=True)
class Younger(Parameters):
    name: ClassVar[str] = "younger"

    size: int = parameter(Integer(2, 8), help="how large", default=3)
    loud: bool = parameter(YES_NO, help="whether", default=False, silent=True)


def test_nothing_is_said_of_a_silent_key_at_its_default():
    assert Younger().as_dict() == Younger(loud=False).as_dict() == {"size": 3}
    assert Younger(loud=True).as_dict() == {"size": 3, "loud": "yes"}
    assert list(Younger.keys()) == ["size", "loud"]


KNOWN = "size, rate, length, kind, safe, note, rows"


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        ({}, "gadget: size must be given: an integer in 2..8"),
        ({"size": "9"}, "gadget: size must be an integer in 2..8, not 9"),
        ({"size": "two"}, "gadget: size must be an integer in 2..8, not 'two'"),
        ({"size": "0x4"}, "gadget: size must be an integer in 2..8, not '0x4'"),
        ({"size": ""}, "gadget: size must be an integer in 2..8, not ''"),
        ({"size": True}, "gadget: size must be an integer in 2..8, not True"),
        ({"size": 3.0}, "gadget: size must be an integer in 2..8, not 3.0"),
        ({"size": 3, "rate": "1.5"}, "gadget: rate must be a number in 0..1, not 1.5"),
        ({"size": 3, "rate": "nan"}, "gadget: rate must be a number in 0..1, not nan"),
        ({"size": 3, "rate": "fast"}, "gadget: rate must be a number in 0..1, not 'fast'"),
        ({"size": 3, "kind": "oval"}, "gadget: kind must be one of round, square, not 'oval'"),
        ({"size": 3, "kind": ["oval"]}, "gadget: kind must be one of round, square, not ['oval']"),
        ({"size": 3, "safe": "maybe"}, "gadget: safe must be one of yes, no, not 'maybe'"),
        ({"size": 3, "note": ""}, "gadget: note must be a word, not ''"),
        (
            {"size": 3, "length": "5-2"},
            "gadget: length must be an integer or a range FIRST-LAST in 1..9, not (5, 2)",
        ),
        (
            {"size": 3, "length": "1-2-3"},
            "gadget: length must be an integer or a range FIRST-LAST in 1..9, not '1-2-3'",
        ),
        *(
            (
                {"size": 3, "rows": given},
                f"gadget: rows must be integers in 1..9 separated by commas, not {shown}",
            )
            for given, shown in [
                ("", "''"),
                ("1,,2", "'1,,2'"),
                ("1,x", "'1,x'"),
                ("4,10", "(4, 10)"),
                ([1, True], "(1, True)"),
                ([], "()"),
                (4, "4"),
            ]
        ),
        (
            {"size": 3, "sise": 4},
            f"gadget: a key must be one of {KNOWN}, not 'sise'; did you mean size?",
        ),
    ],
)
def test_what_breaks_a_rule_is_refused_in_one_line(texts, line):
    with pytest.raises(ConfigurationError) as refusal:
        Gadget.from_texts(texts)
    assert str(refusal.value) == line
    assert isinstance(refusal.value, KnotworkError)
    assert isinstance(refusal.value, ValueError)
    assert refusal.value.status == 2


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["size"], "gadget: a parameter must be key=value, not 'size'"),
        (["=3"], "gadget: a parameter must be key=value, not '=3'"),
        (["size=3", "size=4"], "gadget: size must be named once, not twice"),
    ],
)
def test_words_that_are_no_parameters_are_refused(words, line):
    with pytest.raises(ConfigurationError) as refusal:
        parse_words(words, owner="gadget")
    assert str(refusal.value) == line


@given(rows=st.lists(st.integers(1, 9), min_size=1))
def test_a_list_of_integers_is_spelled_with_commas(rows):
    made = Gadget(size=3, rows=tuple(rows))
    assert spelled(made.rows) == ",".join(map(str, rows))
    assert spelled(made.size) == "3"
    for given_rows in (spelled(made.rows), rows, tuple(rows)):
        assert Gadget.from_texts({"size": 3, "rows": given_rows}) == made


def test_a_value_may_hold_an_equals_sign():
    assert parse_words(["note=a=b"], owner="gadget") == {"note": "a=b"}
