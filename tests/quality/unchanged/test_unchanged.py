"""Trees with a command of a few lines in the place of Knotwork's, and what is compared."""

import pytest
from click.testing import CliRunner
from knotwork import Hypercube, Network, __version__
from knotwork.emit.package import network_files
from knotwork.errors import CheckFailedError, ConfigurationError, ToolError
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork.routing import routings_of
from knotwork.topology import TOPOLOGIES
from knotwork.version import public
from quality.unchanged import __main__ as program
from quality.unchanged.__main__ import (
    Comparison,
    chosen_networks,
    compare,
    different,
    print_comparison,
)
from quality.unchanged.networks import NETWORKS
from quality.unchanged.record import NO_NETWORK, comparable, questions, read, unversioned
from quality.unchanged.trees import Tree, check_out


def test_every_network_routing_router_class_and_option_is_there():
    made = [Network.from_words(words.split()) for words in NETWORKS]
    routings = {(network.topology.name, network.parameters["routing"]) for network in made}
    known = {(name, one) for name in TOPOLOGIES for one in routings_of(name)}
    assert known - routings == {("graph", one) for one in routings_of("graph")}  # made of files
    assert {network.router_class for network in made} == set(ROUTER_PARAMETERS)
    for option in ("has_parity", "has_multicast", "has_broadcast", "sequence_width"):
        assert any(getattr(network, option) for network in made), option
    assert not all(network.has_source for network in made)
    assert {network.cycles_per_hop for network in made} == {1, 2}


def test_times_and_help_are_left_out_wherever_they_stand():
    answer = {"nodes": 4, "seconds": 1.0, "help": "words", "points": [{"seconds": 2.0, "hops": 2}]}
    assert comparable(answer) == {"nodes": 4, "points": [{"hops": 2}]}
    assert read('{"nodes": 4, "seconds": 2}') == {"nodes": 4}
    assert read("4 nodes") == "4 nodes"


def test_every_verb_that_answers_is_asked():
    asked = questions(["mesh", "x=3", "y=3"], 9, "model")
    verbs = "describe route check schedule multicast broadcast simulate sweep"
    assert {line[0] for line in asked.values()} == set(verbs.split())
    assert asked["sweep"][1] == "mesh:x=3,y=3"
    assert questions(["petersen"], 10, "both")["sweep"][1] == "petersen"
    assert asked["route"] == ["route", "mesh", "x=3", "y=3", "0", "8"]


def test_what_differs_or_is_in_one_tree_only_is_named_and_fails(capsys):
    old = {"files": {"a.v": "1", "b.json": "2"}, "answers": {"check": [0, {}], "route": [0, [1]]}}
    new = {"files": {"a.v": "1", "c.v": "3"}, "answers": {"check": [1, {}], "route": [0, [1]]}}
    assert different(old, old) == []
    assert different(old, new) == ["b.json", "c.v", "check"]
    equal = [Comparison("mesh x=3", 5, 13, []), Comparison(NO_NETWORK, 0, 3, [])]
    print_comparison("abc", equal)
    printed = capsys.readouterr().out
    assert all(words in printed for words in ("Compared with abc", "mesh x=3", "all networks"))
    with pytest.raises(CheckFailedError, match="unchanged: 1 of 3 rows differ"):
        print_comparison("abc", [*equal, Comparison("torus", 5, 13, ["route", "a.v"])])
    assert "route, a.v" in capsys.readouterr().out


def test_networks_are_chosen_by_how_they_begin(monkeypatch):
    assert len(chosen_networks("")) == len(NETWORKS) + 1
    with pytest.raises(ConfigurationError, match="--only must begin a network, not 'cube'"):
        chosen_networks("cube")
    asked = []

    def compare(network, trees, engine):
        asked.append((network, engine))
        return Comparison(network, 5, 13, [])

    monkeypatch.setattr(program, "compare", compare)
    words = ["HEAD", "--only", "petersen", "--jobs", "1"]
    done = CliRunner().invoke(program.unchanged, words, standalone_mode=False)
    assert done.exception is None
    assert asked == [("petersen", "model"), (NO_NETWORK, "model")]


PYPROJECT = """
[project]
name = "knotwork"
version = "7.5"
[project.scripts]
knotwork = "{module}:main"
[project.entry-points."knotwork.commands"]
describe = "{module}:describe"
"""
COMMAND = """
import json, pathlib, sys
from importlib.metadata import entry_points, version

def main():
    verb, *words = sys.argv[1:]
    if verb == "generate":
        folder = pathlib.Path(words[words.index("-o") + 1])
        folder.mkdir()
        (folder / "net.v").write_text("module net; // {verilog}")
    if verb == "schedule":
        print("never the same words", file=sys.stderr)
        sys.exit(2)
    verbs = [one.name for one in entry_points(group="knotwork.commands")]
    print(json.dumps({{"nodes": 4, "verb": verb, "seconds": {seconds}, "hops": {hops},
                       "version": version("knotwork"), "verbs": verbs}}))
"""


@pytest.fixture
def tree(tmp_path):
    """Make a tree whose command is of a module of this name."""

    def tree(module, *, verilog="sound", seconds=1.0, hops=3):
        sources = tmp_path / module
        (sources / "hdl").mkdir(parents=True)
        (sources / "pyproject.toml").write_text(PYPROJECT.format(module=module))
        text = COMMAND.format(verilog=verilog, seconds=seconds, hops=hops)
        (sources / "hdl" / f"{module}.py").write_text(text)
        return Tree.at(sources, tmp_path / f"{module}_metadata")

    return tree


def test_trees_are_asked_by_their_own_commands_and_differ_in_more_than_times(tree):
    old = tree("old_cli")
    found = old.record("mesh x=3", "model")
    status, answer = found["answers"]["describe"]
    assert (status, answer["nodes"], answer["version"]) == (0, 4, "7.5")
    assert answer["verbs"] == ["describe"]
    assert list(found["files"]) == ["net.v"]
    assert found["answers"]["schedule random"] == [2, ""]
    same = compare("mesh x=3", (old, tree("new_cli", seconds=2.0)), "model")
    assert same == ("mesh x=3", 1, 13, [])
    assert compare(NO_NETWORK, (old, old), "model").answers == 3
    other = tree("other_cli", verilog="changed", hops=4)
    named = compare("mesh x=3", (old, other), "model").different
    assert named[0] == "net.v"
    assert "route --table" in named
    assert "schedule random" not in named


def test_a_tree_that_cannot_answer_and_a_revision_that_is_not_there_are_errors(tree, tmp_path):
    broken = tree("broken_cli")
    (broken.sources / "hdl" / "broken_cli.py").write_text("import nothing_of_the_kind")
    with pytest.raises(ToolError, match="mesh x=3: must answer, not"):
        broken.record("mesh x=3", "model")
    with pytest.raises(ConfigurationError) as error:
        check_out("no-such-revision", tmp_path)
    assert str(error.value) == (
        "unchanged: the revision must be one of git's, not 'no-such-revision'"
    )
    check_out("HEAD", tmp_path / "head")
    assert (tmp_path / "head" / "hdl" / "knotwork" / "__init__.py").exists()
    assert (tmp_path / "head" / "pyproject.toml").exists()


def test_files_that_differ_in_the_version_alone_are_equal(tmp_path):
    network = Network(Hypercube(n=1), data_width=8, buffer_depth=2)
    files = network_files(network).generated
    found, written = [], []
    for place, version in (("old", "0.2.0"), ("new", "0.3.0.dev0+0123456789ab")):
        (tmp_path / place).mkdir()
        for name, text in files.items():
            told = text.replace(f":{public(__version__)}\n", f":{version}\n")
            (tmp_path / place / name).write_text(told.replace(__version__, version))
        found.append([unversioned(tmp_path / place / name) for name in files])
        written.append([(tmp_path / place / name).read_bytes() for name in files])
    assert found[0] == found[1]
    assert all(one != other for one, other in zip(*written, strict=True))
    (tmp_path / "new" / f"{network.name}.v").write_text("module other;")
    assert unversioned(tmp_path / "new" / f"{network.name}.v") != found[0][0]
