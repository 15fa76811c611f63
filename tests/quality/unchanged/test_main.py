import pytest
from click.testing import CliRunner
from knotwork.errors import CheckFailedError, ConfigurationError
from quality.unchanged import __main__ as program
from quality.unchanged.__main__ import Comparison, chosen_networks, different, tell
from quality.unchanged.record import NO_NETWORK

OLD = {"files": {"a.v": "1", "b.json": "2"}, "answers": {"check": [0, {}], "route": [0, [1]]}}


def test_what_differs_or_is_in_one_tree_only_is_named():
    assert different(OLD, OLD) == []
    new = {"files": {"a.v": "1", "c.v": "3"}, "answers": {"check": [1, {}], "route": [0, [1]]}}
    assert different(OLD, new) == ["b.json", "c.v", "check"]


def test_the_table_has_a_row_per_network_and_a_difference_fails(capsys):
    equal = [Comparison("mesh x=3", 5, 13, []), Comparison(NO_NETWORK, 0, 3, [])]
    tell("abc", equal)
    printed = capsys.readouterr().out
    assert "Compared with abc" in printed
    assert "mesh x=3" in printed
    assert "all networks" in printed
    with pytest.raises(CheckFailedError, match="unchanged: 1 of 3 rows differ"):
        tell("abc", [*equal, Comparison("torus", 5, 13, ["route", "a.v"])])
    assert "route, a.v" in capsys.readouterr().out


def test_networks_are_chosen_by_how_they_begin():
    assert chosen_networks("petersen") == ["petersen", NO_NETWORK]
    assert len(chosen_networks("")) > 40
    with pytest.raises(ConfigurationError, match="--only must begin a network, not 'cube'"):
        chosen_networks("cube")


def test_all_networks_are_compared(monkeypatch):
    asked = []

    def compare(network, trees, engine):
        asked.append((network, engine))
        return Comparison(network, 5, 13, [])

    monkeypatch.setattr(program, "compare", compare)
    words = ["HEAD", "--only", "petersen", "--jobs", "1"]
    done = CliRunner().invoke(program.unchanged, words, standalone_mode=False)
    assert done.exception is None
    assert asked == [("petersen", "model"), (NO_NETWORK, "model")]
