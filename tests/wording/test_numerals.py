"""Numbers as users write them: the same on command lines and in files."""

from fractions import Fraction

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork.cli.main import cli
from knotwork.cli.options import RealNumber, WholeNumber
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.network_words import read_toml
from knotwork.parameters import Integer, Integers, Real, Span
from knotwork.parameters.reals import Fractions, Reals
from knotwork.wording import fraction, parse_index, parse_integer, parse_real
from knotwork_soc.region import Bytes

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
        with pytest.raises(ValueError, match="no number"):
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
        assert WholeNumber(0, 9).convert(text, seed, context) == found
    assert RealNumber(0).convert("1e3", seed, context) == 1000
    for kind, rule in (
        (WholeNumber(0, 9), "an integer in 0..9"),
        (WholeNumber(0), "an integer of at least 0"),
        (RealNumber(), "a number"),
    ):
        for text in ("\u0663", "1_0", "+2", "nan", *(["-1"] if kind.least == 0 else [])):
            with pytest.raises(ConfigurationError) as refused:
                kind.convert(text, seed, context)
            assert str(refused.value) == f"sweep: --seed must be {rule}, not {text!r}"
