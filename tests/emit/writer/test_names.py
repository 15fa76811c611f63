"""Identifiers are free, and no keywords."""

from knotwork.emit.writer.names import Names, identifier


def test_a_name_that_is_taken_gets_a_number():
    names = Names()
    assert [names.take(name) for name in ("kept", "kept", "kept", "full")] == [
        "kept",
        "kept_2",
        "kept_3",
        "full",
    ]


def test_a_keyword_gets_a_suffix_and_other_signs_none():
    assert identifier("interface") == "interface_"
    assert identifier("$signal") == "signal"
    assert identifier("0") == "_0"
    assert identifier("a.b") == "a_b"
