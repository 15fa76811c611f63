"""Options, output and help of commands."""

import json
from dataclasses import dataclass

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result
from helpers.tables import rows_of
from knotwork import Network
from knotwork.cli import output
from knotwork.cli.answers.describe import bound_cell, priorities
from knotwork.cli.command import verb
from knotwork.cli.message_options import MessageRequest
from knotwork.cli.options import split_words, start_work, work_limit
from knotwork.errors import ConfigurationError
from knotwork.estimates.work import Work
from knotwork.progress import hide_progress, show_progress


@pytest.mark.parametrize(
    ("words", "net", "others"),
    [
        ("", "", ""),
        ("petersen", "petersen", ""),
        ("wk w=3 levels=2 @01 5", "wk w=3 levels=2", "@01 5"),
        ("my.toml 5 w=3", "my.toml", "5 w=3"),
    ],
)
def test_a_network_s_words_end_at_the_first_without_a_key(words, net, others):
    assert split_words(words.split()) == (net.split(), others.split())


def limited(seconds: float, words: list[str]) -> Result:
    """Outcome of a verb that estimates so many seconds."""

    @click.command()
    @work_limit
    def verb() -> None:
        show_progress()
        try:
            start_work("knit scarf", Work(seconds, 1e6))
        finally:
            hide_progress()

    return CliRunner().invoke(verb, words, standalone_mode=False)


@pytest.mark.parametrize(
    ("seconds", "words", "said"),
    [
        (4, [], ""),
        (6, [], "knotwork: knit scarf takes about 6 s and 1 MB\n"),
        (7000, ["--limit", "2h"], "knotwork: knit scarf takes about 1 h 57 min and 1 MB\n"),
    ],
)
def test_work_of_more_than_a_few_seconds_is_announced(seconds, words, said):
    made = limited(seconds, words)
    assert (made.exception, made.stderr, made.stdout) == (None, said, "")


@pytest.mark.parametrize("words", [[], ["--limit", "11s"]])
def test_work_beyond_the_limit_is_refused(words):
    made = limited(700, words)
    assert isinstance(made.exception, ConfigurationError)
    assert str(made.exception).endswith("takes about 12 min and 1 MB; --limit 15min allows it")
    assert made.stderr == ""


NOTHING = MessageRequest(None, None, None, None, 1)


def test_whether_anything_is_asked_for():
    NOTHING.require("draw", one=False)
    assert not NOTHING.is_any
    for some in (NOTHING._replace(permutation="lc"), NOTHING._replace(messages="m.json")):
        some.require("draw", one=True)
        assert some.is_any


@dataclass
class Inner:
    low: int
    places: np.ndarray


@dataclass
class Record:
    name: str
    inner: Inner


def test_json_of_records_and_arrays(capsys):
    output.print_json([Record("a", Inner(1, np.arange(3))), np.int64(4)])
    assert json.loads(capsys.readouterr().out) == [
        {"name": "a", "inner": {"low": 1, "places": [0, 1, 2]}},
        4,
    ]


@pytest.mark.parametrize("value", [{1, 2}, Record, object()])
def test_what_is_no_plain_data_is_refused(value):
    with pytest.raises(TypeError, match="an answer must be plain data, not "):
        output.print_json(value)


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, "-"),
        (True, "yes"),
        (False, "no"),
        (3, "3"),
        (2 / 3, "0.66667"),
        ({"a": 1, "b": "x"}, "a=1 b=x"),
        (6.0, "6"),
        (100.0, "100"),
        (0.0, "0"),
        (-2.5, "-2.5"),
        (0.00012345, "0.00012"),
        (123456.789, "123456.789"),
        ([1, 0.5, None], "1, 0.5, -"),
        ([{"a": 1}, {"a": 2}], "a=1\na=2"),
    ],
)
def test_cell_of_a_value(value, cell):
    assert output.text(value) == cell


def test_tables_matrices_and_large_answers(capsys):
    output.table("T", ("one", "two"), [("[bold]", ":smile:")])
    assert rows_of(capsys.readouterr().out) == [["[bold]", ":smile:"]]
    output.facts("T", {"size": 3, "regular": True})
    assert rows_of(capsys.readouterr().out) == [["size", "3"], ["regular", "yes"]]
    output.print_json_rows("next", np.array([[-1, 1], [0, -1]]), {"network": "x"})
    assert json.loads(capsys.readouterr().out) == {"network": "x", "next": [[-1, 1], [0, -1]]}
    output.print_json_lists("rounds", [[{"a": 1}, 2], [], [3]], {"steps": 3})
    assert json.loads(capsys.readouterr().out) == {"steps": 3, "rounds": [[{"a": 1}, 2], [], [3]]}
    output.print_matrix(np.array([[-1, 1], [0, -1]]))
    assert capsys.readouterr().out == "   |  0  1\n---+------\n 0 | -1  1\n 1 |  0 -1\n"


def test_keys_are_not_loaded_before_they_are_shown():
    def never():
        raise AssertionError("loaded")

    @verb(keys={"Keys": never})
    def build():
        """Build it."""
        click.echo("built")

    assert CliRunner().invoke(build, []).output == "built\n"


@pytest.mark.parametrize(
    ("keys", "highest", "packet", "cycles", "depth"),
    [
        (",classes=3,class_limits=1,1,1/256", 2, 1, 6, 6),
        (",classes=2,class_limits=1,1/256,pipeline=3", 1, 1, 7, 7),
        (",classes=2,class_limits=1,1/100,class_bursts=1,2", 1, 2, 11, 7),
    ],
)
def test_tells_the_bound_of_the_highest_class(keys, highest, packet, cycles, depth):
    bound = priorities(Network.from_word(f"mesh:x=2,y=1{keys}"))["latency_bound"]
    known = {"class": highest, "packet": packet, "cycles": cycles, "buffer_depth": depth}
    assert bound == {**known, "reason": None}
    flits = f"{packet} flit{'s' * (packet > 1)}"
    assert bound_cell(bound) == (
        f"{cycles} cycles in the network for packets of class {highest}, of up to {flits}"
    )


@pytest.mark.parametrize(
    ("keys", "reason"),
    {
        ",classes=2": "nothing limits what the nodes send",
        ",classes=2,class_limits=1,1/100,arbitration=weighted": "the bound is that of "
        "arbitration=strict",
    }.items(),
)
def test_without_a_bound_there_is_a_reason(keys, reason):
    bound = priorities(Network.from_word(f"mesh:x=2,y=1{keys}"))["latency_bound"]
    assert (bound["class"], bound["cycles"], bound["buffer_depth"]) == (1, None, None)
    assert bound["reason"] == reason
    assert bound_cell(bound) == f"none for class 1: {reason}"


def test_a_network_without_classes_has_none():
    assert priorities(Network.from_word("mesh:x=2,y=1")).get("latency_bound") is None
