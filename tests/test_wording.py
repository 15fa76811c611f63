"""Numbers in words, and what a user may have meant."""

from fractions import Fraction

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork.cli.main import cli
from knotwork.cli.options import IntegerType, NumberType
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.network_words import read_toml
from knotwork.parameters import ROUTER_PARAMETERS, Integer, Integers, Real, Span
from knotwork.parameters.kinds import Fractions, Reals
from knotwork.topology import TOPOLOGIES
from knotwork.wording import (
    closest,
    did_you_mean,
    entry_named,
    fraction,
    not_one_of,
    parse_index,
    parse_integer,
    parse_real,
    plural,
)
from knotwork_soc.parameters import Bytes

KEYS = [*ROUTER_PARAMETERS["packet"].keys(), "n", "k", "routing", "router"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("hypercub", "hypercube"),
        ("Hypercube", "hypercube"),
        ("HYPERCUBE", "hypercube"),
        ("hyprecube", "hypercube"),
        ("möbius", "moebius"),
        ("mobius", "moebius"),
        ("Torus", "torus"),
        ("mehs", "mesh"),
        ("fat-tree", "fattree"),
        ("sw-banyan", "sw_banyan"),
        ("hypercube", None),  # known
        ("xyzzy", None),
        ("", None),
        ("7", None),
        (7, None),
        (None, None),
        ("hypercube" * 1000, None),
    ],
)
def test_the_network_that_may_be_meant(given, meant):
    assert closest(given, TOPOLOGIES) == meant


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("N", "n"),
        ("K", "k"),
        ("datawidth", "data_width"),
        ("data-width", "data_width"),
        ("Routing", "routing"),
        ("ROUTER", "router"),
        ("vcs", None),
        ("depth", None),
        ("bufferdepth", "buffer_depth"),
    ],
)
def test_the_key_that_may_be_meant(given, meant):
    assert closest(given, KEYS) == meant


def test_each_slip_of_one_letter_is_understood():
    for name in TOPOLOGIES:
        if len(name) < 4:
            continue
        for place in range(len(name)):
            assert closest(name[:place] + name[place + 1 :], TOPOLOGIES) == name
            assert closest(name[:place] + "#" + name[place:], TOPOLOGIES) == name


def test_ends_of_lines_and_numbers():
    assert did_you_mean("Mesh", TOPOLOGIES) == "; did you mean mesh?"
    assert did_you_mean("xyzzy", TOPOLOGIES) == ""
    assert not_one_of("torus: code", ["binary", "johnson"], "jonson") == (
        "torus: code must be one of binary, johnson, not 'jonson'; did you mean johnson?"
    )
    assert not_one_of("a board", ["icesugar"], 3, rule="what `boards` lists") == (
        "a board must be what `boards` lists, not 3"
    )
    assert [plural(number, "hop") for number in (0, 1, 2)] == ["0 hops", "1 hop", "2 hops"]


def test_an_entry_is_found_by_its_name_alone():
    registry = {"mesh": 1, "torus": 2}
    assert entry_named(registry, "a network", "torus") == 2
    for wrong, end in (
        ("mehs", "'mehs'; did you mean mesh?"),
        (["mesh"], "['mesh']"),
        (None, "None"),
    ):
        with pytest.raises(ConfigurationError) as refusal:
            entry_named(registry, "a network", wrong)
        assert str(refusal.value) == f"a network must be one of mesh, torus, not {end}"


FOREIGN = (
    *("\u0663", "\uff12", "\u00b2", "2_0", "+2", " 2", "2 ", "2\n", "0x2", "", "-", "two"),
    "1" * 21,
)
"""Texts that Python's `int` or `str.isdigit` may take, and others that none takes."""


@given(st.integers(-(10**20) + 1, 10**20 - 1))
def test_whole_numbers_are_decimal_digits(number):
    assert parse_integer(str(number)) == number
    assert parse_index(str(number), 10**20) == (number if number >= 0 else None)


@pytest.mark.parametrize("text", FOREIGN)
def test_nothing_else_is_a_whole_number(text):
    readers = [parse_integer, Integer(0, 99).parse, Span(0, 99).parse]
    readers += [Bytes(0, 99).parse] * (text != "0x2")
    # Blanks may stand around what commas separate.
    readers += [Integers(0, 99).parse] * (text.strip() != "2")
    for read in readers:
        with pytest.raises(ValueError, match=r"."):
            read(text)
    assert parse_index(text, 10**30) is None


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_real_numbers_are_read_as_they_are_written(number):
    for text in (str(number), f"{number:.18e}", f"{number:.3f}", f"{number:g}"):
        assert parse_real(text) == float(text)


@pytest.mark.parametrize(
    "text", [*FOREIGN, "nan", "inf", "-Infinity", "1e9999", "1__0.5", "0.5_1", "1e+", ".", "1 e3"]
)
def test_nothing_else_is_a_real_number(text):
    if text == "1" * 21:
        assert parse_real(text) == float(text)
        return
    readers = [parse_real, Real(0, 9).parse, fraction]
    readers += [Reals(0, 9).parse, Fractions(9).parse] * (text.strip() != "2")
    for read in readers:
        with pytest.raises(ValueError, match=r"."):
            read(text)


def test_fractions_are_exact_and_of_bounded_size():
    assert fraction("0.1") == fraction("1/10") == fraction("1e-1") == Fraction(1, 10)
    assert Fractions(9).read("1, 1/4") == (Fraction(1), Fraction(1, 4))
    assert Reals(0, 1).read("0.5, 0.25") == (0.5, 0.25)
    for text in ("1e999999999", "1/1_0", "1/0", "1/2/3", "1." + "0" * 1000, "1e-999999999"):
        with pytest.raises(ValueError, match="not a number"):
            fraction(text)


@pytest.mark.parametrize("text", ["\u0663", "2_0", "+2"])
def test_words_and_files_refuse_the_same(text, tmp_path):
    line = f"mesh: x must be an integer in 1..1024, not {text!r}"
    (tmp_path / "net.toml").write_text(f'network = "mesh"\nx = "{text}"\ny = 2\n', "utf-8")
    for words in (["mesh", f"x={text}", "y=2"], [str(tmp_path / "net.toml")]):
        with pytest.raises(ConfigurationError) as refused:
            Network.from_words(words)
        assert str(refused.value) == line
    assert read_toml(tmp_path / "net.toml")["x"] == text


def test_the_numbers_of_options_are_read_alike():
    """No option leaves its number to Python, which takes ``2_0``."""
    for name in cli.entries:
        command = cli.get_command(click.Context(cli), name)
        for each in command.params:
            assert not isinstance(each.type, type(click.INT) | type(click.FLOAT)), (name, each.name)
    context = click.Context(click.Command("sweep"), info_name="sweep")
    seed = click.Option(["--seed"])
    for text, found in (("7", 7), (7, 7), ("007", 7)):
        assert IntegerType(0, 9).convert(text, seed, context) == found
    assert NumberType(0).convert("1e3", seed, context) == 1000
    for kind, rule in (
        (IntegerType(0, 9), "an integer in 0..9"),
        (IntegerType(0), "an integer of at least 0"),
        (NumberType(), "a number"),
    ):
        for text in ("\u0663", "1_0", "+2", "nan", *(["-1"] if kind.least == 0 else [])):
            with pytest.raises(ConfigurationError) as refused:
                kind.convert(text, seed, context)
            assert str(refused.value) == f"sweep: --seed must be {rule}, not {text!r}"
