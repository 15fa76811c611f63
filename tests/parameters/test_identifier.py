import pytest
from knotwork.parameters import IDENTIFIER
from knotwork.parameters.identifier import KEYWORDS, LONGEST, TAKEN


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
