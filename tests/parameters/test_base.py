"""Keys with their kinds and ranges, identifiers, and the keys of router classes."""

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork.errors import ConfigurationError, KnotworkError
from knotwork.parameters import (
    IDENTIFIER,
    ROUTER_PARAMETERS,
    YES_NO,
    BatchParameters,
    Choice,
    CircuitParameters,
    DeflectionParameters,
    Integer,
    Integers,
    PacketParameters,
    Parameters,
    Real,
    RouterParameters,
    Span,
    Text,
    format_value,
    parameter,
    parse_words,
)
from knotwork.parameters.kinds import (
    KEYWORDS,
    LONGEST,
    TAKEN,
    Fractions,
    FromFile,
    Mix,
    Reals,
    shares,
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


def test_defaults_are_shown_unless_they_are_silent():
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
    assert Younger().as_dict() == Younger(loud=False).as_dict() == {"size": 3}
    assert Younger(loud=True).as_dict() == {"size": 3, "loud": "yes"}
    assert list(Younger.keys()) == ["size", "loud"]
    assert parse_words(["note=a=b"], owner="gadget") == {"note": "a=b"}


@dataclass(frozen=True, kw_only=True)
class Younger(Parameters):
    name: ClassVar[str] = "younger"

    size: int = parameter(Integer(2, 8), help="how large", default=3)
    loud: bool = parameter(YES_NO, help="whether", default=False, silent=True)


RULES = {
    "size": "an integer in 2..8",
    "rate": "a number in 0..1",
    "length": "an integer or a range FIRST-LAST in 1..9",
    "kind": "one of round, square",
    "safe": "one of yes, no",
    "note": "a word",
    "rows": "integers in 1..9 separated by commas",
}
WRONG = [
    *(("size", value, value) for value in ("two", "0x4", "", True, 3.0)),
    ("size", "9", 9),
    *(("rate", "1.5", 1.5), ("rate", "nan", "nan"), ("rate", "fast", "fast")),
    *(("kind", "oval", "oval"), ("kind", ["oval"], ["oval"]), ("safe", "maybe", "maybe")),
    *(("note", "", ""), ("length", "5-2", (5, 2)), ("length", "1-2-3", "1-2-3")),
    *(("rows", value, value) for value in ("", "1,,2", "1,x", 4)),
    *(("rows", "4,10", (4, 10)), ("rows", [1, True], (1, True)), ("rows", [], ())),
]


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        *(({"size": 3, key: value}, f"{key} must be {RULES[key]}, not {shown!r}")
          for key, value, shown in WRONG),
        ({}, "size must be given: an integer in 2..8"),
        ({"size": 3, "sise": 4}, f"a key must be one of {', '.join(RULES)}, not 'sise'; did you "
         "mean size?"),
    ],
)  # fmt: skip
def test_what_breaks_a_rule_is_refused_in_one_line(texts, line):
    with pytest.raises(ConfigurationError) as refusal:
        Gadget.from_texts(texts)
    assert str(refusal.value) == f"gadget: {line}"
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
    assert format_value(made.rows) == ",".join(map(str, rows))
    assert format_value(made.size) == "3"
    for given_rows in (format_value(made.rows), rows, tuple(rows)):
        assert Gadget.from_texts({"size": 3, "rows": given_rows}) == made


@pytest.mark.parametrize(
    "name", ["a", "_", "my_noc", "Noc3", "router", "x" * LONGEST, "clk", "Module", "_3d"]
)
def test_an_identifier_is_taken(name):
    assert IDENTIFIER.accepts(name)
    assert IDENTIFIER.read(name) == name


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "3d", "a-b", "a.b", "a b", "a\n", "\na", "é", "٣", "a$", "\\a", "x" * 129),
        *("module", "logic", "endtable", "nettype", *TAKEN),
        *(3, None, True, ["a"]),
    ],
)
def test_what_is_none_or_has_a_meaning_already_is_not(name):
    assert not IDENTIFIER.accepts(name)


def test_all_reserved_words_are_known():
    """As many as annex B of IEEE Std 1800-2017 has."""
    assert len(KEYWORDS) == 248
    assert {"always_ff", "soft", "implements", "interconnect", "wand"} <= KEYWORDS


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
    assert YES_NO.read(YES_NO.display(value)) is value
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


def test_lists_of_numbers_and_parts_of_mixes():
    assert Reals(0, 1).read("0.9,0.05") == Reals(0, 1).read([0.9, 0.05]) == (0.9, 0.05)
    assert Reals(0, 1).accepts((0, 0.5))
    assert not any(map(Reals(0, 1).accepts, [(), (0, 0.0), (1.5,), 0.5]))
    kind = Fractions(9)
    told = (Fraction(1), Fraction(1, 4))
    assert kind.read("1,1/4") == kind.read("1,0.25") == kind.read([1, 0.25]) == told
    assert (kind.display(told), kind.name_part(told)) == ("1,1/4", "1_1in4")
    assert kind.accepts(told)
    for wrong in ((), (Fraction(0),), (Fraction(5, 4),), (Fraction(1, 10),), (0.5,), "1/4"):
        assert not kind.accepts(wrong)
    for text in ("1/0", "a", "1,"):
        with pytest.raises(ValueError, match=r"."):
            kind.parse(text)
    assert shares("a:3,b:0.5") == (("a", 3.0), ("b", 0.5))
    assert shares("a") == (("a", 1.0),)
    assert Mix(("a", "b")).rule == "one of a, b, or several with shares as a:3,b:1"


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


class Content(str):
    @classmethod
    def read(cls, path):
        return cls(path.read_text())


def test_files_are_read_as_their_class(tmp_path):
    (tmp_path / "file").write_text("text")
    kind = FromFile("a file", Content)
    assert kind.read(str(tmp_path / "file")) == "text"
    assert kind.accepts(Content("text"))
    assert not kind.accepts(Path("text"))
    assert kind.display(Content("text")) == "text"
    kind = FromFile("a file", "fractions:Fraction")
    assert kind.content_class is Fraction
    assert kind.accepts(Fraction(1, 2))
    assert not kind.accepts("1/2")
    assert Integers(1, 4).read([4, 2]) == Integers(1, 4).read("4,2") == (4, 2)


@pytest.mark.parametrize("name", ROUTER_PARAMETERS)
def test_every_class_says_which_packets_it_takes(name):
    hardware = ROUTER_PARAMETERS[name]()
    assert 1 <= hardware.shortest_packet <= (hardware.longest_packet or hardware.shortest_packet)
    assert hardware.cycles_per_hop >= 1
    assert hardware.input_buffer >= 0


def test_router_keys_answer_for_their_class_alone():
    assert PacketParameters(parity=True).has_parity
    assert PacketParameters(allow_deadlock=True).allows_deadlock
    assert PacketParameters(pipeline=2).cycles_per_hop == 2
    assert PacketParameters(buffer_depth=8).input_buffer == 8
    assert CircuitParameters(max_packet=5).longest_packet == 5
    assert BatchParameters(words=3).shortest_packet == BatchParameters(words=3).longest_packet == 3
    assert not DeflectionParameters(source=False).has_source
    assert DeflectionParameters(sequence_width=4).sequence_bits == 4
    asked = PacketParameters()
    assert asked.requested_virtual_channels is None
    assert asked.resolve(3).virtual_channels == 3
    batch = BatchParameters()
    assert batch.resolve(1) is batch
    words = "parameters must be PacketParameters, not BatchParameters"
    with pytest.raises(TypeError, match=f"^{re.escape(words)}$"):
        PacketParameters.of(BatchParameters())
    hardware: RouterParameters = PacketParameters()
    assert PacketParameters.of(hardware) is hardware
